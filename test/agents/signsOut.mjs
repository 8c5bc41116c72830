// Its user is signed in, and can sign out. From then on, each session and each prompt needs `authenticate`. SIGNS_OUT: "not" if it can't, "fails" if
// it fails.
import { say, serve } from './wire.mjs';

let isSignedIn = true;
const checked = (answer) => (params) => {
  if (!isSignedIn) throw { code: -32000, message: 'You are signed out' };
  return answer(params);
};

serve({
  initialize: () => ({
    protocolVersion: 1,
    agentInfo: { name: 'signs-out', title: 'Obedient', version: '1.0.0' },
    agentCapabilities: { loadSession: true, ...(process.env.SIGNS_OUT === 'not' ? {} : { auth: { logout: {} } }) },
    authMethods: [{ id: 'key', name: 'SOME_API_KEY' }],
  }),
  authenticate: () => {
    isSignedIn = true;
    return {};
  },
  logout: () => {
    if (process.env.SIGNS_OUT === 'fails') throw { code: -32603, message: 'The file is read-only' };
    isSignedIn = false;
    return {};
  },
  'session/new': checked(() => ({ sessionId: 's1' })),
  'session/load': checked(() => ({})),
  'session/prompt': ({ sessionId, prompt }) =>
    prompt[0].text === 'wait'
      ? new Promise(() => {})
      : checked(() => {
          say(sessionId, prompt[0].text);
          return { stopReason: 'end_turn' };
        })(),
});
