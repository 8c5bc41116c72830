// Signs the user in, but only its next process knows that.
import { existsSync, writeFileSync } from 'node:fs';
import { say, serve } from './wire.mjs';

const isSignedIn = existsSync('signed-in');

serve({
  initialize: () => ({ protocolVersion: 1, agentInfo: { name: 'Late', version: '1' }, authMethods: [{ id: 'browser', name: 'Browser' }] }),
  authenticate: () => {
    writeFileSync('signed-in', '');
    return {};
  },
  'session/new': () => {
    if (!isSignedIn) throw { code: -32000, message: 'Authentication required' };
    return { sessionId: 's1' };
  },
  'session/prompt': ({ sessionId }) => {
    say(sessionId, 'in');
    return { stopReason: 'end_turn' };
  },
});
