// Starts daemons as shells do it with setsid: a process in between starts them in sessions of their own and ends, so that no parent leads to them.
// One is started at once, one when its stdin ends, and one ignores TERM. Says who they are, and for the late one writes its number to a file.
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
// A sign of life, so that the host looks at what there is, and some time for it.
process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'warmUp', params: {} })}\n`);
setTimeout(() => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'children', params: { pids } })}\n`), 1_500);
process.stdin
  .on('end', () => {
    writeFileSync(process.argv[2], String(daemonise(idle)));
    process.exit(0);
  })
  .resume();
