// Ends neither at the end of its stdin nor on INT or TERM.
process.on('SIGINT', () => {});
process.on('SIGTERM', () => {});
process.stdin.resume();
setInterval(() => {}, 1 << 30);
process.stdout.write('{"jsonrpc":"2.0","method":"ready"}\n');
