// Speaks, and never reads a byte.
process.stdout.write('{"jsonrpc":"2.0","method":"ready"}\n');
setInterval(() => {}, 1 << 30);
