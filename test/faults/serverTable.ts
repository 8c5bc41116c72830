/**
 * What each fault does to a conversation with a server: Agent-CLI, which forgets a session with its connection, and the agent service,
 * which saves nothing.
 */
import {
  type Column,
  type InTurn,
  type Row,
  type Shown,
  ends,
  inEach,
  noMeaning,
  ready,
  startFails,
  startIsLate,
  startsAllTheSame,
  unharmed,
  without,
} from './rows.js';
import { type Expectation, type Moment, saysUnreadInEach, shortStartMs } from './table.js';

const open = 'notice server_unauthenticated';
const cliShown: Shown = {
  before: [],
  whole: {
    prompt: ['user: hello', open, 'agent: hello', ends],
    permission: ['user: ask', open, 'tool shell (rejected)', 'agent: not run', ends],
    cancel: ['user: wait', open, 'agent: hanging', 'end cancelled'],
  },
  cut: {
    prompt: ['user: hello', open, 'agent: hel'],
    permission: ['user: ask', open, 'tool shell (unreported)'],
    cancel: ['user: wait', open, 'agent: hanging'],
  },
  refusal: 'selected reject',
};
const stateless = 'notice agent_keeps_no_context';
const serviceShown: Shown = {
  before: [],
  whole: { prompt: ['user: hello', stateless, 'agent: hello', ends], permission: [], cancel: ['user: wait', stateless, 'end cancelled'] },
  cut: { prompt: ['user: hello', stateless], permission: [], cancel: ['user: wait', stateless] },
  refusal: '',
};

const interrupted = ({ cut }: Shown, moment: InTurn): Expectation => ({
  words: 'the turn is interrupted, and its output stays',
  call: 'interrupted agent_exited',
  ...ready,
  ...(moment === 'prompt' ? { queued: 'agent_exited' } : {}),
  ...(moment === 'permission' ? { asks: ['cancelled agent_gone'] } : {}),
  transcript: [...cut[moment], ...(moment === 'permission' ? ['notice request_closed_unanswered'] : []), 'end interrupted agent_exited'],
});
/** The server is running, and has forgotten the conversation of the lost connection. */
const cliLoses = (moment: InTurn): Expectation => ({
  ...interrupted(cliShown, moment),
  words: 'the turn is interrupted, its output stays; the server has forgotten the session, and the user continues in another one',
  status: 'failed',
  usable: 'in a new one',
});
const cliIsGone = (moment: InTurn): Expectation => ({
  ...cliLoses(moment),
  words:
    'the turn is interrupted, its output stays; the host retries a few times, and once the server is back the user continues in another session',
});
const cliHangs = (moment: InTurn): Expectation => ({
  ...cliLoses(moment),
  words: 'the turn has no deadline; Force Stop interrupts it, and the user continues in another session',
  status: 'stopped',
  user: 'stops',
  ...(moment === 'permission' ? { asks: ['cancelled turn_cancelled'] } : {}),
  transcript: [...cliShown.cut[moment].map((line) => line.replace('unreported', 'cancelled')), 'end interrupted agent_exited'],
});
const cliFine: Readonly<Record<Moment, Expectation>> = {
  ...unharmed(cliShown, false),
  idle: { ...unharmed(cliShown, false).idle, transcript: cliShown.whole.prompt },
};
const cliIdle: Expectation = {
  ...cliFine.idle,
  words: 'the host reconnects; the server has forgotten the conversation, and the user continues in another session',
  status: 'failed',
  usable: 'in a new one',
  ends: true,
};
const cliNew = 'a session is a connection, and nothing is loaded';
const cliLost = (start: Expectation): Row => ({ otherwise: cliNew, start, initialize: start, ...inEach(cliLoses), idle: cliIdle });
const closesCli: Row = { otherwise: 'see cut', start: startFails('connect_failed'), prompt: cliLoses('prompt'), idle: cliIdle };

const refusals: Column = {
  refuses404: { otherwise: 'there is no upgrade after the start', start: startFails('connect_failed') },
  refuses503: { otherwise: 'there is no upgrade after the start', start: startFails('connect_failed') },
  refuses401: {
    otherwise: 'there is no upgrade after the start',
    start: { ...startFails('key_refused'), words: 'the start fails because the key is refused, and works with the right one' },
  },
  redirects: {
    otherwise: 'there is no upgrade after the start',
    start: { ...startFails('connect_failed'), words: 'the start fails because redirects are not followed' },
  },
  neverAnswers: { otherwise: 'see mute', start: { ...startFails('connect_failed'), deadlines: { initializeMs: shortStartMs } } },
};

export const cliColumn: Column = {
  killed: {
    otherwise: cliNew,
    start: startFails('connect_failed', 'when it is back'),
    initialize: startFails('connect_failed', 'when it is back'),
    ...inEach(cliIsGone),
    idle: { ...cliIdle, words: 'the host retries a few times; once the server is back, the user continues in another session' },
  },
  exits: noMeaning.process,
  cut: cliLost(startFails('connect_failed')),
  frozen: { otherwise: 'see mute; pings detect it while the host waits for nothing', ...inEach(cliHangs) },
  mute: { otherwise: cliNew, initialize: startIsLate, ...inEach(cliHangs) },
  garbageOnStdout: { otherwise: cliNew, ...without(saysUnreadInEach(cliFine), 'new', 'load') },
  halfLine: cliLost(startFails('connect_failed')),
  hugeLine: cliLost(startFails('handshake_failed')),
  wrongId: { otherwise: cliNew, ...without(cliFine, 'new', 'load', 'start', 'idle') },
  answersTwice: { otherwise: 'a part of an answer that arrives twice counts as two parts', initialize: cliFine.initialize },
  outOfOrder: noMeaning.order,
  slowReader: { otherwise: cliNew, ...without(cliFine, 'new', 'load', 'idle') },
  closes1000: closesCli,
  closes1001: closesCli,
  closes1008: closesCli,
  closes1011: closesCli,
  closes4000: closesCli,
  ...refusals,
};

const serviceFine: Readonly<Record<Moment, Expectation>> = {
  ...unharmed(serviceShown, false),
  idle: { ...unharmed(serviceShown, false).idle, transcript: serviceShown.whole.prompt },
};
const serviceNew = 'a session exists only in the host: the protocol has no requests to the user, no cancel and no load';
const serviceBack: Expectation = {
  ...interrupted(serviceShown, 'prompt'),
  words: 'the turn is interrupted, and the next one uses another connection',
};
const serviceIdle: Expectation = { ...serviceFine.idle, words: 'the host reconnects', ends: true };
/** The fault strikes once, so the second attempt succeeds. */
const serviceLost: Row = {
  otherwise: serviceNew,
  start: { ...startsAllTheSame, words: 'the host tries a second time, and the agent starts' },
  initialize: { ...startsAllTheSame, words: 'the host tries a second time, and the agent starts' },
  prompt: serviceBack,
  idle: serviceIdle,
};
const serviceGone: Partial<Expectation> = {
  status: 'failed',
  usable: 'when it is back',
  words: 'the host retries a few times; once the server is back, the conversation continues',
};
const serviceHangs: Expectation = {
  words: 'the turn has no deadline; a cancel ends it at once, because it closes the connection',
  call: 'ended cancelled',
  status: 'stopped',
  usable: 'by hand',
  user: 'stops',
  transcript: [...serviceShown.cut.prompt, 'end cancelled'],
};

export const serviceColumn: Column = {
  killed: {
    otherwise: 'a dying server may still accept a connection and refuse the key: see cut',
    prompt: { ...serviceBack, ...serviceGone },
    idle: { ...serviceIdle, ...serviceGone },
  },
  exits: noMeaning.process,
  cut: serviceLost,
  frozen: { otherwise: serviceNew, prompt: serviceHangs },
  mute: { otherwise: serviceNew, initialize: startIsLate, prompt: serviceHangs },
  garbageOnStdout: { otherwise: serviceNew, ...without(saysUnreadInEach(serviceFine), 'new', 'load', 'permission', 'cancel') },
  halfLine: serviceLost,
  hugeLine: { ...serviceLost, start: startFails('handshake_failed'), initialize: startFails('handshake_failed') },
  wrongId: { otherwise: serviceNew, ...without(serviceFine, 'new', 'load', 'permission', 'cancel', 'start', 'idle') },
  answersTwice: { otherwise: serviceNew, initialize: serviceFine.initialize, prompt: serviceFine.prompt },
  outOfOrder: noMeaning.order,
  slowReader: { otherwise: serviceNew, ...without(serviceFine, 'new', 'load', 'permission', 'cancel', 'idle') },
  closes1000: serviceLost,
  closes1001: serviceLost,
  closes1008: serviceLost,
  closes1011: serviceLost,
  closes4000: serviceLost,
  ...refusals,
};
