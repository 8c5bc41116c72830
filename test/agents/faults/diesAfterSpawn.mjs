// Starts children, each in a separate group, and is killed before the host can have seen them.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { misbehave, recordPid, silent } from './faultBase.mjs';

const start = (script) =>
  spawn(process.execPath, ['-e', `${script} process.send('up'); process.disconnect(); setInterval(() => {}, 1 << 30);`], {
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    detached: true,
  });

misbehave(async () => {
  process.stdin.pause();
  const children = [start(''), start("process.on('SIGTERM', () => {});")];
  for (const { pid } of children) recordPid(pid);
  await Promise.all(children.map((child) => once(child, 'message')));
  process.kill(process.pid, 'SIGKILL');
  return silent;
});
