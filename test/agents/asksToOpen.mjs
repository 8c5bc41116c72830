// Asks before it answers the methods in ASKS_AT, because of that request of the host, and refuses the request if the user does not accept.
// ASKS_FOR: a form, a page (`url`), or `nothing more`: it answers without waiting for the user. Then the next prompt is answered with what the user said. It exits at the prompt "die".
import { request, say, serve } from './wire.mjs';

const { ASKS_AT = '', ASKS_FOR = 'form' } = process.env;
const form = {
  mode: 'form',
  requestedSchema: { type: 'object', properties: { code: { type: 'string' } }, required: ['code'] },
};
const page = { mode: 'url', elicitationId: 'e1', url: 'https://example.com/sign-in' };
let last;

const asking = (method, answer) => async (_, requestId) => {
  if (!ASKS_AT.split(',').includes(method)) return answer();
  const asked = request('elicitation/create', {
    requestId,
    message: `Before ${method}`,
    ...(ASKS_FOR === 'url' ? page : form),
  }).then((given) => (last = given));
  if (ASKS_FOR === 'nothing more') return answer();
  const { action } = await asked;
  if (action !== 'accept') throw { code: -32000, message: `The user answered ${action}` };
  return answer();
};

const table = {
  authenticate: () => ({}),
  'session/new': () => ({
    sessionId: 's1',
    modes: {
      currentModeId: 'a',
      availableModes: [
        { id: 'a', name: 'A' },
        { id: 'b', name: 'B' },
      ],
    },
  }),
  'session/load': () => ({}),
  'session/resume': () => ({}),
  'session/fork': () => ({ sessionId: 's2' }),
  'session/set_mode': () => ({}),
};

serve({
  initialize: () => ({
    protocolVersion: 1,
    agentInfo: { name: 'asks-to-open', title: 'Curious', version: '1.0.0' },
    agentCapabilities: { loadSession: true, sessionCapabilities: { resume: {}, fork: {} } },
    authMethods: [{ id: 'browser', name: 'Browser' }],
  }),
  ...Object.fromEntries(Object.entries(table).map(([method, answer]) => [method, asking(method, answer)])),
  'session/prompt': ({ sessionId, prompt }) => {
    if (prompt[0].text === 'die') process.exit(9);
    say(sessionId, JSON.stringify(last ?? null));
    return { stopReason: 'end_turn' };
  },
});
