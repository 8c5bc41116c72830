// Refuses to open a session because it runs as root. REFUSES_ROOT_NAME: the agent's name. REFUSES_ROOT_WORDS: its error message.
import { serve } from './wire.mjs';

serve({
  initialize: () => ({ protocolVersion: 1, agentInfo: { name: process.env.REFUSES_ROOT_NAME, version: '0.0.34' } }),
  'session/new': () => {
    throw {
      code: -32603,
      message:
        process.env.REFUSES_ROOT_WORDS ??
        'Internal error: --dangerously-skip-permissions cannot be used with root/sudo privileges for security reasons',
    };
  },
});
