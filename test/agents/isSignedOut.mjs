// Requires a sign-in, with several methods. After `authenticate`, it works until the prompt "expire".
import { say, serve } from './wire.mjs';

let signedIn = false;
const check = () => {
  if (!signedIn) throw { code: -32000, message: 'Authentication required' };
};

serve({
  initialize: ({ clientCapabilities }) => ({
    protocolVersion: 1,
    agentCapabilities: { loadSession: true },
    authMethods: [
      { id: 'browser', name: 'Browser' },
      { id: 'key', name: 'API key', type: 'env_var', vars: [{ name: 'SOME_API_KEY' }] },
      ...(clientCapabilities.auth?.terminal
        ? [
            { id: 'wizard', name: 'Wizard', type: 'terminal', args: ['--login'] },
            { id: 'broken', type: 'terminal', name: 5 },
          ]
        : []),
    ],
  }),
  authenticate: () => {
    signedIn = true;
    return null;
  },
  'session/new': () => {
    check();
    return { sessionId: 's1' };
  },
  'session/load': () => {
    check();
    return {};
  },
  'session/prompt': ({ sessionId, prompt }) => {
    if (prompt[0].text === 'expire') signedIn = false;
    check();
    say(sessionId, 'in');
    return { stopReason: 'end_turn' };
  },
});
