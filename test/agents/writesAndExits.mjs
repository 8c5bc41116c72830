// Writes bytes (base64) to stdout, and exits with the given code as soon as they are in the pipe.
const [base64 = '', code = '0'] = process.argv.slice(2);
process.stdout.write(Buffer.from(base64, 'base64'), () => process.exit(Number(code)));
