// Prints text endlessly and ignores its input, like a program that was configured by mistake. With a number, it prints that many lines and waits.
const [count = 'Infinity'] = process.argv.slice(2);
process.stdin.resume().on('end', () => process.exit(0));
let line = 0;
const print = () => {
  while (line < Number(count)) if (!process.stdout.write(`\u001b[1mWelcome\u001b[0m to line ${++line}, key sk-secret_0123456789\n`)) return;
};
process.stdout.on('drain', print).on('error', () => {});
print();
