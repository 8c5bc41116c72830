// Reports the name of an agent that never asks (NEVER_ASKS_NAME), and refuses to open a session as root where it is told to (REFUSES_ROOT).
import { say, serve } from './wire.mjs';

serve({
  initialize: () => ({ protocolVersion: 1, agentInfo: { name: process.env.NEVER_ASKS_NAME ?? 'pi-acp', version: '0.0.34' } }),
  'session/new': () => {
    if (process.env.REFUSES_ROOT)
      throw {
        code: -32603,
        message: 'Internal error: --dangerously-skip-permissions cannot be used with root/sudo privileges for security reasons',
      };
    return { sessionId: 's1' };
  },
  'session/prompt': ({ sessionId }) => {
    say(sessionId, 'done');
    return { stopReason: 'end_turn' };
  },
});
