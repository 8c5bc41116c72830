// Writes that many bytes (argument) to stderr before its first message, and exits at the end of stdin.
const bytes = Number(process.argv[2]);
const line = `${'ä'.repeat(100)}\n`;
for (let written = 0; written < bytes; written += Buffer.byteLength(line)) process.stderr.write(line);
process.stderr.write('last words\n', () => process.stdout.write('{"jsonrpc":"2.0","method":"ready"}\n'));
process.stdin.on('end', () => process.exit(0)).resume();
