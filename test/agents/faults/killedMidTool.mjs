// Is killed while a tool runs.
import { misbehave, silent, update } from './faultBase.mjs';

misbehave(({ sessionId }) => {
  update(sessionId, { sessionUpdate: 'tool_call', toolCallId: 't1', title: 'Run', kind: 'execute', status: 'in_progress' });
  process.kill(process.pid, 'SIGKILL');
  return silent;
});
