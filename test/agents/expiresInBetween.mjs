// Its sign-in expires when it gets a request of the method EXPIRES_AT, once. From then on, everything needs `authenticate`, also in its next
// process. It resumes sessions without their history if EXPIRES_AT is `session/resume`, and loads them otherwise. It begins to answer a prompt at which it expires. It writes the methods that it gets to the file `asked`, one a line.
import { appendFileSync, existsSync, rmSync, writeFileSync } from 'node:fs';
import { say, serve, update } from './wire.mjs';

const resumes = process.env.EXPIRES_AT === 'session/resume';
const expired = 'expired';
const hasExpired = 'has-expired';
const modes = {
  currentModeId: 'ask',
  availableModes: [
    { id: 'ask', name: 'Ask' },
    { id: 'plan', name: 'Plan' },
  ],
};
const models = {
  currentModelId: 'small',
  availableModels: [
    { modelId: 'small', name: 'Small' },
    { modelId: 'large', name: 'Large' },
  ],
};
const configOptions = (currentValue) => [
  {
    id: 'depth',
    name: 'Depth',
    type: 'select',
    currentValue,
    options: [
      { value: 'low', name: 'Low' },
      { value: 'high', name: 'High' },
    ],
  },
];

function checked(method, answer) {
  return async (params) => {
    appendFileSync('asked', `${method}\n`);
    if (method === process.env.EXPIRES_AT && !existsSync(hasExpired)) {
      for (const file of [expired, hasExpired]) writeFileSync(file, '');
      if (method === 'session/prompt') say(params.sessionId, 'half ');
    }
    if (existsSync(expired)) throw { code: -32000, message: 'Your sign-in has expired' };
    return answer(params);
  };
}

let sessions = 0;
const session = () => ({ modes, models, configOptions: configOptions('low') });
const answers = {
  'session/new': () => ({ sessionId: `s${++sessions}-${process.pid}`, ...session() }),
  'session/load': session,
  'session/resume': session,
  'session/fork': () => ({ sessionId: `f${++sessions}-${process.pid}`, ...session() }),
  'session/list': () => ({ sessions: [{ sessionId: 'elsewhere', cwd: process.cwd() }] }),
  'session/set_mode': ({ sessionId, modeId }) => {
    update(sessionId, { sessionUpdate: 'current_mode_update', currentModeId: modeId });
    return {};
  },
  'session/set_model': () => ({}),
  'session/set_config_option': ({ value }) => ({ configOptions: configOptions(value) }),
  'session/prompt': ({ sessionId, prompt }) => {
    const { text } = prompt.at(-1);
    if (text === 'die') process.exit(1);
    if (text === 'plan') update(sessionId, { sessionUpdate: 'current_mode_update', currentModeId: 'plan' });
    say(sessionId, text);
    return { stopReason: 'end_turn' };
  },
};

serve({
  initialize: () => ({
    protocolVersion: 1,
    agentInfo: { name: 'expires-in-between', title: 'Forgetful', version: '1.0.0' },
    agentCapabilities: { loadSession: !resumes, sessionCapabilities: { fork: {}, list: {}, ...(resumes && { resume: {} }) } },
    authMethods: [{ id: 'browser', name: 'Browser' }],
  }),
  authenticate: () => {
    rmSync(expired, { force: true });
    return {};
  },
  ...Object.fromEntries(Object.entries(answers).map(([method, answer]) => [method, checked(method, answer)])),
});
