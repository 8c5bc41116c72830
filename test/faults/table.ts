/** The laboratory as data: what each fault does to a conversation at each moment, and what the host is to make of it. */
import type { AgentStatus, Deadlines } from '../../src/core/host/api.js';

export const moments = ['start', 'initialize', 'new', 'prompt', 'permission', 'cancel', 'load', 'idle'] as const;
export type Moment = (typeof moments)[number];

/** One run of the laboratory. */
export interface Expectation {
  /** For people. */
  readonly words: string;
  /** How the call ends that the moment is part of: `ok`, the code of its error, or the outcome of its turn. */
  readonly call: string;
  readonly status: AgentStatus['state'];
  /** The conversation when everything came to rest; absent where there is none. */
  readonly transcript?: readonly string[];
  /** How the agent's requests were answered, in order. */
  readonly asks?: readonly string[];
  /** How the next prompt is possible: at once, after an action of the user, or not at all. */
  readonly usable: 'at once' | 'by hand' | 'never';
  /** The user does: refuses what the agent asks; stops the agent, since nothing else ends the turn. */
  readonly user?: 'refuses' | 'stops';
  /** The process ends without a call to tell it. */
  readonly ends?: true;
  /** Short where the fault is to run into them. */
  readonly deadlines?: Partial<Deadlines>;
}

/** Why the fault has no such moment. */
export interface NoCell {
  readonly cannot: string;
}

type Row = Readonly<Record<Moment, Expectation | NoCell>>;

/** What a turn shows when it goes on past the fault, and when it ends there. */
const said = {
  prompt: { whole: ['user: hello', 'agent: half whole', 'end end_turn'], cut: ['user: hello', 'agent: half'] },
  permission: { whole: ['user: ask', 'tool Do it (cancelled)', 'agent: no', 'end end_turn'], cut: ['user: ask', 'tool Do it (cancelled)'] },
  cancel: { whole: ['user: wait', 'agent: waiting stopping', 'end cancelled'], cut: ['user: wait', 'agent: waiting stopping'] },
} as const;
type InTurn = keyof typeof said;

const before = ['user: hello', 'agent: half whole', 'end end_turn', 'user: more', 'agent: half whole', 'end end_turn'];
const noTurn = 'outside a turn there is nothing of it to break';
const noRequest = 'there is no request to answer';

const cannot = (reason: string): NoCell => ({ cannot: reason });

/** The agent is only strange: the user sees nothing of it. */
const unharmed: Readonly<Record<Moment, Expectation>> = {
  start: { words: 'the agent starts all the same', call: 'ok', status: 'ready', usable: 'at once' },
  initialize: { words: 'the agent starts all the same', call: 'ok', status: 'ready', usable: 'at once' },
  new: { words: 'the session opens all the same', call: 'ok', status: 'ready', usable: 'at once', transcript: [] },
  prompt: { words: 'the turn goes on to its end', call: 'ended end_turn', status: 'ready', usable: 'at once', transcript: said.prompt.whole },
  permission: {
    words: 'the request stays open, the refusal arrives', call: 'ended end_turn', status: 'ready', usable: 'at once', user: 'refuses',
    asks: ['selected no'], transcript: said.permission.whole,
  },
  cancel: { words: 'the turn ends as cancelled', call: 'ended cancelled', status: 'ready', usable: 'at once', transcript: said.cancel.whole },
  load: { words: 'the conversation goes on as it was, without doubles', call: 'ok', status: 'ready', usable: 'at once', transcript: before },
  idle: { words: 'nothing happens', call: 'ended end_turn', status: 'ready', usable: 'at once', transcript: said.prompt.whole },
};

const startFails = (code: string, o: Partial<Expectation> = {}): Expectation =>
  ({ words: `the start fails and says why (${code}); another start works`, call: code, status: 'failed', usable: 'by hand', ...o });

const opensNot = (code: string, o: Partial<Expectation> = {}): Expectation =>
  ({ words: `the session does not open, which is told (${code}); another one does`, call: code, status: 'failed', usable: 'by hand', ...o });

/** The process is gone in mid-turn, and comes back by itself. */
function interrupted(moment: InTurn, shown: readonly string[] = said[moment].cut): Expectation {
  return {
    words: `the turn is interrupted, what was said stays${moment === 'permission' ? ', the request closes as cancelled' : ''}; the agent comes back by itself with the conversation`,
    call: 'interrupted agent_exited', status: 'ready', usable: 'at once', transcript: [...shown, 'end interrupted agent_exited'],
    ...(moment === 'permission' ? { asks: ['cancelled agent_gone'] } : {}),
  };
}

/** Nothing but the user's Force stop ends the turn. */
function hangs(moment: InTurn, shown: readonly string[] = said[moment].cut): Expectation {
  return {
    words: 'the turn has no deadline; Force stop ends it as interrupted, and the conversation can be taken up', call: 'interrupted agent_exited',
    status: 'stopped', usable: 'by hand', user: 'stops', transcript: [...shown, 'end interrupted agent_exited'],
    ...(moment === 'permission' ? { asks: ['cancelled turn_cancelled'] } : {}),
  };
}

const lostInLoad: Expectation = { words: 'a further start takes the conversation up', call: 'ok', status: 'ready', usable: 'at once', transcript: before };
const lostIdle: Expectation = { words: 'the agent comes back by itself with the conversation', call: 'ended end_turn', status: 'ready', usable: 'at once', ends: true, transcript: said.prompt.whole };

export const table: Readonly<Record<string, Row>> = {
  crashOnStart: {
    start: startFails('handshake_failed', { words: 'the start fails and says why; so does the next', usable: 'never' }),
    initialize: startFails('handshake_failed', { words: 'the start fails and says why; so does the next', usable: 'never' }),
    new: cannot('it has started by then: see halfLine'),
    prompt: cannot('it has started by then: see exitMidTurn'),
    permission: cannot('it has started by then: see exitMidTurn'),
    cancel: cannot('it has started by then: see exitMidTurn'),
    load: cannot('it has started by then: see diesOnLoad'),
    idle: cannot('it has started by then: see halfLine'),
  },
  exitMidTurn: {
    start: cannot(noTurn), initialize: cannot(noTurn), new: cannot(noTurn),
    prompt: interrupted('prompt'), permission: interrupted('permission'), cancel: interrupted('cancel'),
    load: cannot(noTurn), idle: cannot(noTurn),
  },
  killedMidTool: {
    start: cannot(noTurn), initialize: cannot(noTurn), new: cannot(noTurn),
    prompt: interrupted('prompt', [...said.prompt.cut, 'tool Run (cancelled)']),
    permission: interrupted('permission', [...said.permission.cut, 'tool Run (cancelled)']),
    cancel: interrupted('cancel', [...said.cancel.cut, 'tool Run (cancelled)']),
    load: cannot(noTurn), idle: cannot(noTurn),
  },
  neverAnswers: {
    start: cannot(noRequest),
    initialize: startFails('handshake_timeout', { deadlines: { initializeMs: 1_000 } }),
    new: opensNot('request_timeout', { deadlines: { sessionMs: 1_000 } }),
    prompt: hangs('prompt'),
    permission: hangs('permission'),
    cancel: hangs('cancel'),
    load: { words: 'taking up fails and says why; the user can try again', call: 'ok', status: 'failed', usable: 'by hand', transcript: before, deadlines: { sessionMs: 1_000 } },
    idle: cannot(noRequest),
  },
  answersTwice: {
    start: cannot(noRequest), initialize: unharmed.initialize, new: unharmed.new,
    prompt: { ...unharmed.prompt, words: 'the turn ends with the first answer', transcript: [...said.prompt.cut, 'end end_turn'] },
    permission: {
      words: 'the turn is over with its first answer, the open request closes as cancelled', call: 'ended end_turn', status: 'ready', usable: 'at once',
      asks: ['cancelled withdrawn'], transcript: [...said.permission.cut, 'end end_turn'],
    },
    cancel: unharmed.cancel, load: unharmed.load, idle: cannot(noRequest),
  },
  garbageOnStdout: unharmed,
  halfLine: {
    start: startFails('handshake_failed'), initialize: startFails('handshake_failed'), new: opensNot('agent_exited', { words: 'the session does not open, which is told; the agent comes back by itself', status: 'ready' }),
    prompt: interrupted('prompt'), permission: interrupted('permission'), cancel: interrupted('cancel'), load: lostInLoad, idle: lostIdle,
  },
};

const all = Object.entries(table).flatMap(([fault, row]) => moments.map((moment) => ({ fault, moment, cell: row[moment] })));

export const cells = all.flatMap(({ fault, moment, cell }) => ('cannot' in cell ? [] : [{ fault, moment, expected: cell }]));
export const noCells = all.flatMap(({ fault, moment, cell }) => ('cannot' in cell ? [{ fault, moment, cannot: cell.cannot }] : []));
