// Starts children, each in a separate group, sends a message so that the host can see them, and dies a little later.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { misbehave, recordPid, send, silent } from './faultBase.mjs';

const idle = 'setInterval(() => {}, 1 << 30);';
const start = (script) =>
  spawn(process.execPath, ['-e', `${script} process.send('up'); process.disconnect(); ${idle}`], {
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    detached: true,
  });

misbehave(async () => {
  process.stdin.pause();
  const children = [start(''), start("process.on('SIGTERM', () => {});")];
  for (const { pid } of children) recordPid(pid);
  await Promise.all(children.map((child) => once(child, 'message')));
  send({ method: '_children', params: {} });
  await delay(1_500);
  process.kill(process.pid, 'SIGKILL');
  return silent;
});
