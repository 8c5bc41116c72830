// Refuses to open a session as root, in the words of the agent whose name it reports (REFUSES_ROOT_NAME).
import { serve } from './wire.mjs';

serve({
  initialize: () => ({ protocolVersion: 1, agentInfo: { name: process.env.REFUSES_ROOT_NAME, version: '0.0.34' } }),
  'session/new': () => {
    throw {
      code: -32603,
      message: 'Internal error: --dangerously-skip-permissions cannot be used with root/sudo privileges for security reasons',
    };
  },
});
