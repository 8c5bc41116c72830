/**
 * An ACP agent with everything that the conformance suite of the seam uses, selected by the prompt. It sends any other prompt back in pieces.
 * CONFORMS_CAN: what it supports of "load resume fork close signIn image". It remembers one session, `earlier`.
 */
import { spawn } from 'node:child_process';
import { request, say, send, serve, update } from './wire.mjs';

const can = (process.env.CONFORMS_CAN ?? '').split(' ');
const stops = new Map();
let sessions = 0;
let depth = 'low';
let mute = false;
let deaf = false;
let signedIn = false;

const never = new Promise(() => {});
const stopped = (sessionId) => new Promise((resolve) => stops.set(sessionId, resolve));
const configOptions = () => [
  { type: 'select', id: 'depth', name: 'Depth', currentValue: depth, options: ['low', 'high'].map((value) => ({ value, name: value })) },
];
const modes = {
  currentModeId: 'ask',
  availableModes: [
    { id: 'ask', name: 'Ask' },
    { id: 'free', name: 'Free' },
  ],
};

async function ask(sessionId) {
  const { outcome } = await request('session/request_permission', {
    sessionId,
    toolCall: { toolCallId: 'call', title: 'Do it', kind: 'execute', rawInput: { command: 'true' } },
    options: [
      { optionId: 'yes', name: 'Yes', kind: 'allow_once' },
      { optionId: 'no', name: 'No', kind: 'reject_once' },
    ],
  });
  say(sessionId, outcome.optionId ?? outcome.outcome);
  return outcome.outcome;
}

const turns = {
  ask,
  async form(sessionId) {
    const requestedSchema = { type: 'object', properties: { name: { type: 'string', title: 'Name' } }, required: ['name'] };
    const answer = await request('elicitation/create', { sessionId, mode: 'form', message: 'Who?', requestedSchema });
    say(sessionId, JSON.stringify(answer));
  },
  async askAgain(sessionId) {
    const stop = stopped(sessionId);
    await ask(sessionId);
    await stop;
    await ask(sessionId);
    return 'cancelled';
  },
  async hang(sessionId) {
    await stopped(sessionId);
    return 'cancelled';
  },
  async mute(sessionId) {
    mute = true;
    say(sessionId, 'mute');
    await stopped(sessionId);
    mute = false;
    return 'cancelled';
  },
  oops() {
    throw { code: -32603, message: 'an agent cannot do this' };
  },
  die: () => process.exit(9),
  deaf(sessionId) {
    deaf = true;
    for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => {});
    say(sessionId, 'deaf');
  },
  async family(sessionId) {
    const stubborn = "process.on('SIGTERM', () => {}); setInterval(() => {}, 1 << 30); process.send('ready'); process.disconnect();";
    const child = spawn(process.execPath, ['-e', stubborn], { detached: true, stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
    await new Promise((resolve) => child.once('message', resolve));
    say(sessionId, `${process.pid} ${child.pid}`);
  },
  babble(sessionId) {
    process.stdout.write('I am an agent\n');
    for (const line of ['[1,[2]]', 'null', '5', '{"jsonrpc":"2.0"}', '{"jsonrpc":"2.0","id":"nobody","result":{}}'])
      process.stdout.write(`${line}\n`);
    send({ method: 'session/hologram', params: { sessionId } });
    send({ id: 'h', method: 'session/hologram', params: null });
    send({ method: 'session/update', params: 7 });
    say(sessionId, 'babble');
    update('nobody', { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'lost' } });
    update(sessionId, { sessionUpdate: 'hologram', of: 'something' });
    update(sessionId, { sessionUpdate: 'tool_call', toolCallId: 5 });
  },
  tool(sessionId) {
    update(sessionId, { sessionUpdate: 'tool_call', toolCallId: 'same', title: 'Look', kind: 'read', status: 'pending' });
    update(sessionId, { sessionUpdate: 'tool_call_update', toolCallId: 'same', status: 'completed' });
    say(sessionId, 'looked');
  },
};

function known(sessionId) {
  if (sessionId !== 'earlier') throw { code: -32002, message: 'No such session' };
  return { configOptions: configOptions() };
}

/** Leaves calls unanswered during the prompt `mute`. */
const unlessMute = (method) => (params) => (mute ? never : method(params));

serve(
  {
    initialize: () => ({
      protocolVersion: 1,
      agentInfo: { name: 'conforms', version: '1.0.0' },
      agentCapabilities: {
        loadSession: can.includes('load'),
        promptCapabilities: { image: can.includes('image') },
        sessionCapabilities: {
          resume: can.includes('resume') ? {} : null,
          fork: can.includes('fork') ? {} : null,
          close: can.includes('close') ? {} : null,
        },
      },
      authMethods: can.includes('signIn') ? [{ id: 'in', name: 'Sign in' }] : [],
    }),
    authenticate() {
      signedIn = true;
      return {};
    },
    'session/new': unlessMute(() => {
      if (can.includes('signIn') && !signedIn) throw { code: -32000, message: 'Sign in first' };
      const sessionId = `s${++sessions}`;
      // The adapter must accept updates before the answer that names the session.
      say(sessionId, 'Ahoy.');
      return { sessionId, modes, configOptions: configOptions() };
    }),
    'session/load': ({ sessionId }) => {
      const options = known(sessionId);
      update(sessionId, { sessionUpdate: 'user_message_chunk', content: { type: 'text', text: 'old prompt' } });
      say(sessionId, 'old answer');
      return options;
    },
    'session/resume': ({ sessionId }) => known(sessionId),
    'session/fork': ({ sessionId }) => {
      const options = known(sessionId);
      say('fork', 'old answer');
      return { sessionId: 'fork', ...options };
    },
    // A running turn continues.
    'session/close': () => ({}),
    'session/set_config_option': unlessMute(({ value }) => {
      depth = value;
      return { configOptions: configOptions() };
    }),
    'session/set_mode': () => ({}),
    'session/cancel': ({ sessionId }) => stops.get(sessionId)?.(),
    async 'session/prompt'({ sessionId, prompt }) {
      const { text } = prompt.at(-1);
      if (Object.hasOwn(turns, text)) {
        const reason = await turns[text](sessionId);
        return { stopReason: reason === 'cancelled' ? reason : 'end_turn' };
      }
      // Each chunk is one code unit, even of a surrogate pair: the host must join them correctly.
      for (let index = 0; index < text.length; index++) say(sessionId, text[index]);
      return { stopReason: 'end_turn' };
    },
  },
  () => (deaf ? setInterval(() => {}, 1 << 30) : process.exit(0)),
);
