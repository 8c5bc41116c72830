// Starts daemons as shells do with setsid: a process in between starts each in a separate session and exits, so that the daemon has no parent.
// One of them ignores SIGTERM, and another one is started at the end of stdin. Reports the process IDs, and saves that of the last one in a file.
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';

const idle = 'setInterval(() => {}, 1 << 30);';
const daemonise = (script) => {
  const between = `const { spawn } = require('node:child_process');
    const child = spawn(process.execPath, ['-e', ${JSON.stringify(script)}], { detached: true, stdio: 'ignore' });
    child.unref();
    process.stdout.write(String(child.pid));`;
  return Number(spawnSync(process.execPath, ['-e', between], { encoding: 'utf8' }).stdout);
};

const stubborn = `process.on('SIGTERM', () => {}); ${idle}`;
const pids = [daemonise(idle), daemonise(stubborn)];
// This message makes the host list the processes, and the delay gives it time to do so.
process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'warmUp', params: {} })}\n`);
setTimeout(() => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'children', params: { pids } })}\n`), 1_500);
process.stdin
  .on('end', () => {
    writeFileSync(process.argv[2], String(daemonise(idle)));
    process.exit(0);
  })
  .resume();
