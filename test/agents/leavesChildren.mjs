// Starts a child in its own group, one in a separate session, and one that ignores SIGTERM and holds stdout, and reports their process IDs.
// Exits at the end of stdin, but not with --deaf.
import { spawn } from 'node:child_process';
const idle = 'setInterval(() => {}, 1 << 30)';
const node = (script, options) => spawn(process.execPath, ['-e', script], { stdio: 'ignore', ...options });
const stubborn = node(`process.on('SIGTERM', () => {}); process.send('ready'); process.disconnect(); ${idle}`, {
  detached: true,
  stdio: ['ignore', 'inherit', 'ignore', 'ipc'],
});
const children = [node(idle, {}), node(idle, { detached: true }), stubborn];
if (process.argv.includes('--deaf'))
  process
    .on('SIGINT', () => {})
    .on('SIGTERM', () => {})
    .stdin.resume();
else process.stdin.on('end', () => process.exit(0)).resume();
setInterval(() => {}, 1 << 30);
stubborn.once('message', () => {
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'children', params: { pids: children.map((child) => child.pid) } })}\n`);
});
