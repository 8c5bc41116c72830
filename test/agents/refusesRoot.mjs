// Refuses to open a session as root. REFUSES_ROOT_NAME: the name that it reports; REFUSES_ROOT_WORDS: its own words for it.
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
