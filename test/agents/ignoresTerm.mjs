// Ignores the end of stdin, SIGINT and SIGTERM.
process.on('SIGINT', () => {});
process.on('SIGTERM', () => {});
process.stdin.resume();
setInterval(() => {}, 1 << 30);
process.stdout.write('{"jsonrpc":"2.0","method":"ready"}\n');
