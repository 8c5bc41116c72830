// Waits indefinitely for the user to sign in, and then creates a file. After that attempt was canceled, the next one succeeds.
import { writeFileSync } from 'node:fs';
import { say, serve } from './wire.mjs';

let waiting;
let wasCanceled = false;

serve({
  initialize: () => ({
    protocolVersion: 1,
    agentInfo: { name: 'waits-for-sign-in', title: 'Patient', version: '1.0.0' },
    agentCapabilities: {},
    authMethods: [{ id: 'browser', name: 'Browser' }],
  }),
  authenticate: (_, id) => {
    if (wasCanceled) return {};
    waiting = id;
    writeFileSync('waiting', '');
    return new Promise(() => {});
  },
  '$/cancel_request': ({ requestId }) => (wasCanceled = requestId === waiting),
  'session/new': () => {
    if (!wasCanceled) throw { code: -32000, message: 'Authentication required' };
    return { sessionId: 's1' };
  },
  'session/prompt': ({ sessionId }) => {
    say(sessionId, 'in');
    return { stopReason: 'end_turn' };
  },
});
