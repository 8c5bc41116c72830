// Is killed while a tool runs in a child process.
import { spawn } from 'node:child_process';
import { misbehave, recordPid, silent, update } from './faultBase.mjs';

misbehave(({ sessionId }) => {
  recordPid(spawn(process.execPath, ['-e', 'setInterval(() => {}, 1 << 30)'], { stdio: 'ignore' }).pid);
  update(sessionId, { sessionUpdate: 'tool_call', toolCallId: 't1', title: 'Run', kind: 'execute', status: 'in_progress' });
  process.kill(process.pid, 'SIGKILL');
  return silent;
});
