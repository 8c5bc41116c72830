// Starts children and never ends them: one in its own group, and two in separate groups, one of which ignores SIGTERM.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { misbehave, recordPid } from './faultBase.mjs';

const idle = 'setInterval(() => {}, 1 << 30);';
const start = (script, detached) => spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'ignore', 'ignore', 'ipc'], detached });

misbehave(async () => {
  const stubborn = start(`process.on('SIGTERM', () => {}); process.send('up'); process.disconnect(); ${idle}`, true);
  const children = [start(idle, false), start(idle, true), stubborn];
  for (const { pid } of children) recordPid(pid);
  await once(stubborn, 'message');
  for (const child of children) child.unref();
});
