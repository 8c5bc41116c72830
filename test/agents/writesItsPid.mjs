// Writes its process ID to the file `pid` in its folder, and keeps its sessions.
import { writeFileSync } from 'node:fs';
import { say, serve, update } from './wire.mjs';

writeFileSync('pid', String(process.pid));

serve({
  initialize: () => ({ protocolVersion: 1, agentInfo: { name: 'loses', version: '1.0.0' }, agentCapabilities: { loadSession: true } }),
  'session/load': ({ sessionId }) => {
    update(sessionId, { sessionUpdate: 'user_message_chunk', content: { type: 'text', text: 'first' } });
    return {};
  },
  'session/prompt': ({ sessionId, prompt }) => {
    say(sessionId, `answer to ${prompt.at(-1).text}`);
    return { stopReason: 'end_turn' };
  },
});
