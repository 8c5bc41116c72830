// Does in a turn what the first word of the prompt says. It uses raw NDJSON on purpose, so that no library is between the test and the wire.
// OBEDIENT_CAN: what it supports for earlier sessions, of "load resume close"; by default "load".
// OBEDIENT_REPLAYS: the prompts that it remembers, as JSON.
// OBEDIENT_SETS_MODE: with "between turns", it refuses to set the mode during a turn.
// OBEDIENT_FORGETS: a session that it does not know, or 1 for all sessions.
// OBEDIENT_LOAD_FAILS: every load fails.
// OBEDIENT_DEPTHS: the values of its option after a load.
// OBEDIENT_REFUSES_DEPTH: the value of its option that it refuses; OBEDIENT_REFUSES_LATE: this one only when it gets another request.
// OBEDIENT_QUEUES: it has its own queue, and never works on what is in it. A steer becomes part of the turn at once.
// OBEDIENT_SIGNED_OUT: it requires a sign-in for a session; with "at the prompt", only for a prompt.
// OBEDIENT_LOADS_LATE: it completes a load only when it gets another request.
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { readLines } from './lines.mjs';

const failsToStart = 'fails-to-start';
if (existsSync(failsToStart)) {
  rmSync(failsToStart);
  process.exit(2);
}

const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const update = (sessionId, body) => send({ method: 'session/update', params: { sessionId, update: body } });
const say = (sessionId, text) => update(sessionId, { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } });
const modes = {
  currentModeId: 'ask',
  availableModes: [
    { id: 'ask', name: 'Ask' },
    { id: 'free', name: 'Free' },
  ],
};
const options = [
  { optionId: 'yes', name: 'Yes', kind: 'allow_once' },
  { optionId: 'no', name: 'No', kind: 'reject_once' },
];

const can = (process.env.OBEDIENT_CAN ?? 'load').split(' ');
const depths = (offered, currentValue) => [
  { type: 'select', id: 'depth', name: 'Depth', currentValue, options: offered.map((value) => ({ value, name: value })) },
];
const forgets = (sessionId) =>
  sessionId === 'unknown' || process.env.OBEDIENT_FORGETS === '1' || process.env.OBEDIENT_FORGETS === sessionId;

const queue = [];
const queueing = process.env.OBEDIENT_QUEUES ? { _meta: { 'acp-host': { deliveries: ['turn', 'steer', 'followUp'] } } } : {};

let requests = 0;
let sessions = 0;
let inTurn = 0;
let depth = 'low';
let askedForMore;
let onNextRequest;
let onEnd;
const moreIsAsked = process.env.OBEDIENT_LOADS_LATE === undefined ? undefined : new Promise((resolve) => (askedForMore = resolve));
let signedIn = process.env.OBEDIENT_SIGNED_OUT === undefined;
const waiting = new Map();
const checkSignedIn = () => {
  if (!signedIn) throw { code: -32000, message: 'Sign in first' };
};
const onCancel = new Map();

function ask(sessionId, toolCallId) {
  const id = `ask-${++requests}`;
  send({
    id,
    method: 'session/request_permission',
    params: { sessionId, toolCall: { toolCallId, title: 'Do it', kind: 'execute', rawInput: { command: 'true' } }, options },
  });
  return new Promise((resolve) =>
    waiting.set(id, (reply) => resolve(reply.result?.outcome?.optionId ?? reply.result?.outcome?.outcome ?? 'error')),
  );
}

const cancelled = (sessionId) => new Promise((resolve) => onCancel.set(sessionId, resolve));

const turns = {
  async say(sessionId, rest) {
    say(sessionId, rest);
    return 'end_turn';
  },
  async nothing() {
    process.stderr.write('the reason is on stderr, key sk-secret_0123456789\n');
    return 'end_turn';
  },
  async ask(sessionId) {
    update(sessionId, {
      sessionUpdate: 'tool_call',
      toolCallId: 'c1',
      title: 'Do it',
      kind: 'execute',
      status: 'pending',
      rawInput: { command: 'true' },
    });
    say(sessionId, await ask(sessionId, 'c1'));
    return 'end_turn';
  },
  async askTwice(sessionId) {
    const first = await ask(sessionId, 'c1');
    const second = await ask(sessionId, 'c2');
    say(sessionId, `${first} ${second}`);
    return first === 'cancelled' ? 'cancelled' : 'end_turn';
  },
  async wait(sessionId) {
    const stopped = cancelled(sessionId);
    update(sessionId, { sessionUpdate: 'tool_call', toolCallId: 'w1', title: 'Wait', kind: 'execute', status: 'in_progress' });
    await stopped;
    return 'cancelled';
  },
  /** Repeats a word until it is canceled. */
  async drip(sessionId, rest) {
    const dripping = setInterval(() => say(sessionId, `${rest} `), 5);
    await cancelled(sessionId);
    clearInterval(dripping);
    return 'cancelled';
  },
  /** Is still stopping when it gets the next request. */
  async stopSlowly(sessionId) {
    const another = new Promise((resolve) => (onNextRequest = resolve));
    const stopped = cancelled(sessionId);
    say(sessionId, 'started');
    await stopped;
    await another;
    return 'cancelled';
  },
  /** Ends when stdin does, and so does the agent. */
  async finishAtEnd(sessionId) {
    say(sessionId, 'started');
    await new Promise((resolve) => (onEnd = resolve));
    say(sessionId, 'finished');
    return 'end_turn';
  },
  async failOnCancel(sessionId) {
    const stopped = cancelled(sessionId);
    say(sessionId, 'started');
    await stopped;
    throw { code: -32603, message: 'aborted' };
  },
  async die(sessionId, rest) {
    say(sessionId, 'half');
    process.stderr.write('dying now\n');
    setImmediate(() => process.exit(Number(rest)));
    return new Promise(() => {});
  },
  /** Exits, and so does the next process at its start. Later starts succeed. */
  async dieTwice(sessionId) {
    writeFileSync(failsToStart, '');
    return turns.die(sessionId, '1');
  },
  /** Exits with code 0 when it gets the signal. */
  async leaveOn(sessionId, signal) {
    process.once(signal, () => process.exit(0));
    say(sessionId, `pid ${process.pid}`);
    return 'end_turn';
  },
  async env(sessionId, rest) {
    say(sessionId, process.env[rest] ?? 'unset');
    return 'end_turn';
  },
};

const methods = {
  initialize: () => ({
    protocolVersion: 1,
    agentInfo: { name: 'obedient', version: '1.0.0' },
    agentCapabilities: {
      loadSession: can.includes('load'),
      ...(process.env.OBEDIENT_QUEUES ? { promptCapabilities: { image: true } } : {}),
      sessionCapabilities: { resume: can.includes('resume') ? {} : null, close: can.includes('close') ? {} : null },
    },
    authMethods: [{ id: 'in', name: 'Sign in' }],
  }),
  authenticate: () => {
    signedIn = true;
    return {};
  },
  'session/new': () => {
    if (process.env.OBEDIENT_SIGNED_OUT !== 'at the prompt') checkSignedIn();
    const sessionId = `s${process.env.OBEDIENT_UNIQUE_IDS === undefined ? '' : `${process.pid}-`}${++sessions}`;
    update(sessionId, {
      sessionUpdate: 'available_commands_update',
      availableCommands: [{ name: 'early', description: 'came before the answer' }],
    });
    return { sessionId, modes, ...queueing, ...(process.env.OBEDIENT_DEPTHS ? { configOptions: depths(['low', 'high'], depth) } : {}) };
  },
  'session/load': async ({ sessionId }) => {
    if (moreIsAsked) await moreIsAsked;
    if (forgets(sessionId)) throw { code: -32002, message: 'No such session' };
    if (process.env.OBEDIENT_LOAD_FAILS) throw { code: -32603, message: 'The file is broken' };
    // It remembers nothing across processes: for its own sessions, it only replays an answer and the prompts that it was given.
    const prompts = JSON.parse(process.env.OBEDIENT_REPLAYS ?? (/^s\d/.test(sessionId) ? '[]' : '["old prompt"]'));
    for (const text of prompts) update(sessionId, { sessionUpdate: 'user_message_chunk', content: { type: 'text', text } });
    say(sessionId, 'old answer');
    return process.env.OBEDIENT_DEPTHS ? { configOptions: depths(process.env.OBEDIENT_DEPTHS.split(' '), depth) } : {};
  },
  'session/resume': ({ sessionId }) => {
    if (forgets(sessionId)) throw { code: -32002, message: 'No such session' };
    return {};
  },
  'session/close': ({ sessionId }) => {
    onCancel.get(sessionId)?.();
    return {};
  },
  'session/set_config_option': async ({ value }) => {
    if (value === process.env.OBEDIENT_REFUSES_LATE) await new Promise((resolve) => (onNextRequest = resolve));
    if ([process.env.OBEDIENT_REFUSES_DEPTH, process.env.OBEDIENT_REFUSES_LATE].includes(value))
      throw { code: -32602, message: 'Not today' };
    depth = value;
    return { configOptions: depths((process.env.OBEDIENT_DEPTHS ?? 'low high').split(' '), depth) };
  },
  'session/set_mode': ({ sessionId, modeId }) => {
    if (inTurn > 0 && process.env.OBEDIENT_SETS_MODE === 'between turns') throw { code: -32603, message: 'Not in a turn' };
    update(sessionId, { sessionUpdate: 'current_mode_update', currentModeId: modeId });
    return {};
  },
  'session/prompt': async ({ sessionId, prompt, _meta }) => {
    checkSignedIn();
    const { delivery, promptId } = _meta?.['acp-host'] ?? {};
    if (delivery === 'steer') {
      for (const content of prompt)
        update(sessionId, { sessionUpdate: 'user_message_chunk', content, _meta: { 'acp-host': { promptId } } });
      return { stopReason: 'end_turn' };
    }
    if (delivery === 'followUp') {
      queue.push({ id: promptId, text: prompt.map(({ type, text }) => text ?? `[${type}]`).join('\n') });
      update(sessionId, { sessionUpdate: 'session_info_update', _meta: { 'acp-host': { queue } } });
      return { stopReason: 'end_turn' };
    }
    // The blocks before the last one are only context.
    const [verb, ...rest] = (prompt.at(-1).text ?? '').split(' ');
    inTurn++;
    try {
      return { stopReason: await turns[verb](sessionId, rest.join(' ')) };
    } finally {
      inTurn--;
    }
  },
};

readLines(
  process.stdin,
  async (line) => {
    const message = JSON.parse(line);
    if (message.method === undefined) return waiting.get(message.id)?.(message);
    if (message.method === 'session/cancel') return onCancel.get(message.params.sessionId)?.();
    if (message.id === undefined) return;
    onNextRequest?.();
    if (message.method !== 'initialize' && message.method !== 'session/load') askedForMore?.();
    try {
      const method = methods[message.method];
      if (method === undefined) throw { code: -32601, message: 'Method not found' };
      send({ id: message.id, result: await method(message.params) });
    } catch (error) {
      send({ id: message.id, error: { code: error.code ?? -32603, message: error.message } });
    }
  },
  () => {
    onEnd?.();
    // After what the end of the turn writes.
    setImmediate(() => process.exit(0));
  },
);
