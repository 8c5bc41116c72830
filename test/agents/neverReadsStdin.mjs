// Sends one message, and never reads stdin.
process.stdout.write('{"jsonrpc":"2.0","method":"ready"}\n');
setInterval(() => {}, 1 << 30);
