/** The laboratory as data: what each fault does to a conversation at each moment, and how the host must react. */
import type { BackendDeadlines } from '../../src/core/backends/agentBackend.js';
import type { AgentStatus } from '../../src/core/host/api.js';

export const moments = ['start', 'initialize', 'new', 'prompt', 'permission', 'cancel', 'load', 'idle'] as const;
export type Moment = (typeof moments)[number];

/** One run of the laboratory. */
export interface Expectation {
  /** What the host does, for the title of the test. */
  readonly words: string;
  /** How the call ends that the moment is part of: `ok`, the code of its error, or the outcome of its turn. */
  readonly call: string;
  readonly status: AgentStatus['state'];
  /** The conversation when everything came to rest; absent where there is none. */
  readonly transcript?: readonly string[];
  /** How the agent's requests were answered, in order. */
  readonly asks?: readonly string[];
  /**
   * How the next prompt is possible: at once, after opening a session again, after restarting the agent too, once the server is there again,
   * in another session that continues this one, or not at all.
   */
  readonly usable: 'at once' | 'by hand' | 'after a restart' | 'when it is back' | 'in a new one' | 'never';
  /** A turn went well before the one that the fault strikes: the agent has something to remember. */
  readonly earlier?: true;
  /** What the user does: rejects the agent's requests, or stops the agent because nothing else ends the turn. */
  readonly user?: 'refuses' | 'stops';
  /** The process ends while no call is open. */
  readonly ends?: true;
  /** A line of the transcript that may arrive while no call is open. */
  readonly late?: string;
  /** On a busy machine, the end of the turn may come anywhere in what the agent says late. */
  readonly mayBeCut?: true;
  /** What is written between two turns may be read in either: a line that one of them shows, once at most. */
  readonly mayAlsoSay?: string;
  /** How a prompt ends that its sender holds until the end of the turn. */
  readonly queued?: string;
  /** Short if the fault should exceed them. */
  readonly deadlines?: Partial<BackendDeadlines>;
}

/** Why the fault cannot happen at the moment. */
export interface NoCell {
  readonly cannot: string;
}

type Row = Readonly<Record<Moment, Expectation | NoCell>>;

/** What a turn shows if it continues after the fault, and if it ends there. */
const said = {
  prompt: { whole: ['user: hello', 'agent: half whole', 'end end_turn'], cut: ['user: hello', 'agent: half'] },
  permission: { whole: ['user: ask', 'tool Do it (rejected)', 'agent: no', 'end end_turn'], cut: ['user: ask', 'tool Do it (unreported)'] },
  cancel: { whole: ['user: wait', 'agent: waiting stopping', 'end cancelled'], cut: ['user: wait', 'agent: waiting stopping'] },
} as const;
type InTurn = keyof typeof said;

/** For cells that exceed a deadline. The next agent must meet it too, even on a busy machine. */
export const shortStartMs = 3_000;
export const shortCallMs = 1_500;

const later = ['user: later', 'agent: half whole', 'end end_turn'];
const before = ['user: hello', 'agent: half whole', 'end end_turn', 'user: more', 'agent: half whole', 'end end_turn'];
/** With the notice that is added if a load ends before its replay does, or replays less than was saved. */
const forgot = [...before, 'notice recall_tail_lost'];
const noTurn = 'the fault needs a turn';
const onlyLoad = 'the fault needs a session to load';
const onlyVersion = 'only initialize reports the version';
const onlyIdle = 'the agent is not idle: see exitMidTurn and halfLine';
const noCancel = 'nothing is cancelled here';
const spokenLate = 'what comes right after the answer belongs to the turn, which then ends';
const noRequest = 'there is no request to answer';

const cannot = (reason: string): NoCell => ({ cannot: reason });
const never = (reason: string): Row => {
  const cell = cannot(reason);
  return { start: cell, initialize: cell, new: cell, prompt: cell, permission: cell, cancel: cell, load: cell, idle: cell };
};

/** The fault does no harm: the user does not notice it. */
const unharmed: Readonly<Record<Moment, Expectation>> = {
  start: { words: 'the agent starts anyway', call: 'ok', status: 'ready', usable: 'at once' },
  initialize: { words: 'the agent starts anyway', call: 'ok', status: 'ready', usable: 'at once' },
  new: { words: 'the session opens anyway', call: 'ok', status: 'ready', usable: 'at once', transcript: [] },
  prompt: { words: 'the turn completes, and so does the next one', call: 'ended end_turn', status: 'ready', usable: 'at once', queued: 'ended end_turn', transcript: [...said.prompt.whole, ...later] },
  permission: {
    words: 'the request stays open, and the rejection reaches the agent', call: 'ended end_turn', status: 'ready', usable: 'at once', user: 'refuses',
    asks: ['selected no'], transcript: said.permission.whole,
  },
  cancel: { words: 'the turn ends as cancelled', call: 'ended cancelled', status: 'ready', usable: 'at once', transcript: said.cancel.whole },
  load: { words: 'the conversation continues unchanged, without duplicates', call: 'ok', status: 'ready', usable: 'at once', transcript: before },
  idle: { words: 'nothing happens', call: 'ended end_turn', status: 'ready', usable: 'at once', transcript: said.prompt.whole },
};

const unread = 'notice messages_unread';

/** A part of the answer may be missing: the host says so at the end of the turn, and the prompt that its sender held gets a turn after it. */
export function saysUnread(cell: Expectation): Expectation {
  const { transcript = [], queued } = cell;
  const ends = transcript.flatMap((line, index) => (line.startsWith('end ') ? [index] : []));
  const shown = transcript.toSpliced(ends.at(queued === undefined ? -1 : -2) ?? transcript.length, 0, unread);
  return { ...cell, words: `${cell.words}; a notice says that something could not be read`, transcript: shown };
}

/** The same if something that cannot be read arrives at any moment of a turn, and between two turns. */
export function saysUnreadInEach(row: Readonly<Record<Moment, Expectation>>): Readonly<Record<Moment, Expectation>> {
  const { prompt, permission, cancel, idle } = row;
  return {
    ...row, prompt: saysUnread(prompt), permission: saysUnread(permission), cancel: saysUnread(cancel), idle: { ...idle, mayAlsoSay: unread },
  };
}

const startFails = (code: string, o: Partial<Expectation> = {}): Expectation =>
  ({ words: `the start fails with ${code}, and another start works`, call: code, status: 'failed', usable: 'by hand', ...o });

const opensNot = (code: string, o: Partial<Expectation> = {}): Expectation =>
  ({ words: `opening the session fails with ${code}, and another session opens`, call: code, status: 'failed', usable: 'by hand', ...o });

const opensNotAndIsBack = opensNot('agent_exited', { words: 'opening the session fails with agent_exited, and the agent restarts automatically', status: 'ready' });

const loadFails = (o: Partial<Expectation> = {}): Expectation =>
  ({ words: 'resuming fails with the reason, and the user can try again', call: 'ok', status: 'failed', usable: 'by hand', transcript: before, ...o });

/** The process ends during a turn, and is restarted automatically. */
function interrupted(moment: InTurn, shown: readonly string[] = said[moment].cut): Expectation {
  return {
    words: `the turn is interrupted, its output stays${besideIt[moment]}; the agent restarts automatically and resumes the conversation`,
    call: 'interrupted agent_exited', status: 'ready', usable: 'at once',
    transcript: [...shown, ...(moment === 'permission' ? ['notice request_closed_unanswered'] : []), 'end interrupted agent_exited'],
    ...(moment === 'permission' ? { asks: ['cancelled agent_gone'] } : {}),
    ...(moment === 'prompt' ? { queued: 'agent_exited' } : {}),
  };
}
const besideIt: Readonly<Record<InTurn, string>> = { prompt: ', the next prompt is refused', permission: ', the request closes as cancelled', cancel: '' };

/** Only the user's Force Stop ends the turn. */
function hangs(moment: InTurn): Expectation {
  const shown = moment === 'permission' ? ['user: ask', 'tool Do it (cancelled)'] : said[moment].cut;
  return {
    words: 'the turn has no deadline; Force Stop interrupts it, and the conversation can be resumed', call: 'interrupted agent_exited',
    status: 'stopped', usable: 'by hand', user: 'stops', transcript: [...shown, 'end interrupted agent_exited'],
    ...(moment === 'permission' ? { asks: ['cancelled turn_cancelled'] } : {}),
    ...(moment === 'prompt' ? { queued: 'agent_exited' } : {}),
  };
}

/** The agent gives an answer that cannot be used. */
const failed = (moment: InTurn, code: string): Expectation => ({
  words: `the turn fails with ${code}, and the next one works`, call: `failed ${code}`, status: 'ready', usable: 'at once',
  transcript: [...said[moment].cut, `end failed ${code}`], ...(moment === 'permission' ? { asks: ['cancelled withdrawn'] } : {}),
  ...(moment === 'prompt' ? { queued: 'ended end_turn', transcript: [...said.prompt.cut, `end failed ${code}`, ...later] } : {}),
});

const lostInLoad: Expectation = { words: 'another start resumes the conversation', call: 'ok', status: 'ready', usable: 'at once', transcript: before };
const lostIdle: Expectation = { words: 'the agent restarts automatically and resumes the conversation', call: 'ended end_turn', status: 'ready', usable: 'at once', ends: true, transcript: said.prompt.whole };

export const table: Readonly<Record<string, Row>> = {
  crashOnStart: {
    start: startFails('handshake_failed', { words: 'the start fails with the reason, and so does the next one', usable: 'never' }),
    initialize: startFails('handshake_failed', { words: 'the start fails with the reason, and so does the next one', usable: 'never' }),
    new: cannot('the agent has already started: see halfLine'),
    prompt: cannot('the agent has already started: see exitMidTurn'),
    permission: cannot('the agent has already started: see exitMidTurn'),
    cancel: cannot('the agent has already started: see exitMidTurn'),
    load: cannot('the agent has already started: see diesOnLoad'),
    idle: cannot('the agent has already started: see halfLine'),
  },
  exitMidTurn: {
    start: cannot(noTurn), initialize: cannot(noTurn), new: cannot(noTurn),
    prompt: interrupted('prompt'), permission: interrupted('permission'), cancel: interrupted('cancel'),
    load: cannot(noTurn), idle: cannot(noTurn),
  },
  exitZeroMidTurn: {
    start: cannot(noTurn), initialize: cannot(noTurn), new: cannot(noTurn),
    prompt: interrupted('prompt'), permission: interrupted('permission'), cancel: interrupted('cancel'),
    load: cannot(noTurn), idle: cannot('see exitZeroIdle'),
  },
  killedMidTool: {
    start: cannot(noTurn), initialize: cannot(noTurn), new: cannot(noTurn),
    prompt: interrupted('prompt', [...said.prompt.cut, 'tool Run (unreported)', 'notice agent_acted_unasked']),
    permission: interrupted('permission', [...said.permission.cut, 'tool Run (unreported)']),
    cancel: interrupted('cancel', [...said.cancel.cut, 'tool Run (cancelled)']),
    load: cannot(noTurn), idle: cannot(noTurn),
  },
  neverAnswers: {
    start: cannot(noRequest),
    initialize: startFails('handshake_timeout', { deadlines: { initializeMs: shortStartMs } }),
    new: opensNot('request_timeout', { deadlines: { sessionMs: shortCallMs } }),
    prompt: hangs('prompt'),
    permission: hangs('permission'),
    cancel: hangs('cancel'),
    load: loadFails({ deadlines: { sessionMs: shortCallMs } }),
    idle: cannot(noRequest),
  },
  answersTwice: {
    start: cannot(noRequest), initialize: unharmed.initialize, new: unharmed.new,
    prompt: { ...unharmed.prompt, words: 'the turn ends with the first answer, and the next one begins', transcript: [...said.prompt.cut, 'end end_turn', ...later] },
    permission: {
      words: 'the turn ends with the first answer, and the open request closes as cancelled', call: 'ended end_turn', status: 'ready', usable: 'at once',
      asks: ['cancelled withdrawn'], transcript: [...said.permission.cut, 'end end_turn'],
    },
    cancel: unharmed.cancel, load: { ...unharmed.load, words: 'the conversation continues unchanged; a notice says what the first answer left out', transcript: forgot },
    idle: cannot(noRequest),
  },
  garbageOnStdout: saysUnreadInEach(unharmed),
  halfLine: {
    start: startFails('handshake_failed'), initialize: startFails('handshake_failed'), new: opensNotAndIsBack,
    prompt: interrupted('prompt'), permission: interrupted('permission'), cancel: interrupted('cancel'), load: lostInLoad, idle: { ...lostIdle, mayAlsoSay: unread },
  },
  closesStdout: {
    start: startFails('handshake_failed'), initialize: startFails('handshake_failed'), new: opensNotAndIsBack,
    prompt: interrupted('prompt'), permission: interrupted('permission'), cancel: interrupted('cancel'), load: lostInLoad, idle: lostIdle,
  },
  hangsOnCancel: {
    start: cannot(noCancel), initialize: cannot(noCancel), new: cannot(noCancel), prompt: cannot(noCancel), permission: cannot('the host closes the request itself: see neverAnswers'),
    cancel: hangs('cancel'), load: cannot(noCancel), idle: cannot(noCancel),
  },
  ignoresTerm: unharmed,
  leavesChildren: unharmed,
  orphansItsChildren: {
    start: startFails('handshake_failed'), initialize: startFails('handshake_failed'), new: opensNotAndIsBack,
    prompt: interrupted('prompt'), permission: interrupted('permission'), cancel: interrupted('cancel'), load: lostInLoad, idle: lostIdle,
  },
  diesAfterSpawn: process.platform === 'linux' ? {
    start: startFails('handshake_failed'), initialize: startFails('handshake_failed'), new: opensNotAndIsBack,
    prompt: interrupted('prompt'), permission: interrupted('permission'), cancel: interrupted('cancel'), load: lostInLoad, idle: lostIdle,
  } : never('only Linux shows the environment of a process'),
  hugeLine: {
    start: unharmed.start, initialize: startFails('handshake_failed'), new: opensNot('line_too_long'),
    prompt: saysUnread(failed('prompt', 'line_too_long')), permission: saysUnread(failed('permission', 'line_too_long')),
    cancel: saysUnread(unharmed.cancel), load: loadFails(), idle: { ...unharmed.idle, mayAlsoSay: unread },
  },
  floodUpdates: {
    ...unharmed,
    new: { ...unharmed.new, words: 'the session opens; what the agent sends before is shown up to a limit, and a notice says that some is missing', transcript: ['agent: x×10000', 'notice events_missing'] },
    prompt: { ...unharmed.prompt, words: 'the turn completes and shows everything', transcript: ['user: hello', 'agent: halfx×20000 whole', 'end end_turn', ...later] },
    permission: {
      ...unharmed.permission, words: 'the request stays open, the rejection reaches the agent, and everything is shown',
      transcript: ['user: ask', 'tool Do it (rejected)', 'agent: x×20000no', 'end end_turn'],
    },
    cancel: { ...unharmed.cancel, words: 'the turn ends as cancelled and shows everything', transcript: ['user: wait', 'agent: waiting stoppingx×20000', 'end cancelled'] },
    idle: {
      ...unharmed.idle, words: 'the output belongs to the turn before', mayBeCut: true, late: 'agent: half wholex×20000',
      transcript: ['user: hello', 'agent: half wholex×20000', 'end end_turn'],
    },
  },
  neverReadsStdin: {
    start: startFails('handshake_timeout', { deadlines: { initializeMs: shortStartMs } }),
    initialize: startFails('handshake_timeout', { deadlines: { initializeMs: shortStartMs } }),
    new: opensNot('request_timeout', { words: 'opening the session fails with request_timeout, and works after a restart', deadlines: { sessionMs: shortCallMs }, usable: 'after a restart' }),
    prompt: hangs('prompt'), permission: hangs('permission'), cancel: hangs('cancel'),
    load: loadFails({ words: 'resuming fails with the reason, and works after a restart', deadlines: { sessionMs: shortCallMs }, usable: 'after a restart' }),
    idle: { ...unharmed.idle, words: 'nothing happens, and the next turn works after a restart', usable: 'after a restart' },
  },
  slowReader: unharmed,
  duplicateIds: {
    ...unharmed,
    permission: { ...unharmed.permission, words: 'both requests are shown, and both rejections reach the agent', asks: ['selected no', 'selected no'] },
  },
  wrongShapes: {
    start: unharmed.start, initialize: startFails('handshake_failed'), new: opensNot('invalid_response'),
    prompt: saysUnread(failed('prompt', 'invalid_response')), permission: saysUnread(failed('permission', 'invalid_response')),
    cancel: saysUnread(unharmed.cancel), load: loadFails(), idle: { ...unharmed.idle, mayAlsoSay: unread },
  },
  badVersion: {
    start: cannot(onlyVersion), initialize: startFails('version_unsupported'), new: cannot(onlyVersion), prompt: cannot(onlyVersion),
    permission: cannot(onlyVersion), cancel: cannot(onlyVersion), load: cannot(onlyVersion), idle: cannot(onlyVersion),
  },
  diesOnLoad: {
    start: cannot(onlyLoad), initialize: cannot(onlyLoad), new: cannot(onlyLoad), prompt: cannot(onlyLoad), permission: cannot(onlyLoad), cancel: cannot(onlyLoad),
    load: { words: 'after three starts the host gives up with the reason, and the conversation stays', call: 'ok', status: 'failed', usable: 'never', transcript: before },
    idle: cannot(onlyLoad),
  },
  loadReplaysTwice: {
    start: cannot(onlyLoad), initialize: cannot(onlyLoad), new: cannot(onlyLoad), prompt: cannot(onlyLoad), permission: cannot(onlyLoad), cancel: cannot(onlyLoad),
    load: unharmed.load, idle: cannot(onlyLoad),
  },
  loadForgetsTail: {
    start: cannot(onlyLoad), initialize: cannot(onlyLoad), new: cannot(onlyLoad), prompt: cannot(onlyLoad), permission: cannot(onlyLoad), cancel: cannot(onlyLoad),
    load: { ...unharmed.load, words: 'the conversation continues unchanged; its end stays, marked as not remembered', transcript: forgot }, idle: cannot(onlyLoad),
  },
  updatesAfterEnd: {
    start: { ...unharmed.start, words: 'the agent starts, and updates without a session are dropped' },
    initialize: { ...unharmed.initialize, words: 'the agent starts, and updates without a session are dropped' },
    new: { ...unharmed.new, words: 'the session opens, and the update is its first message', late: 'agent: late', transcript: ['agent: late'] },
    prompt: { words: spokenLate, call: 'ended end_turn', status: 'ready', usable: 'at once', transcript: ['user: hello', 'agent: halflate', 'end end_turn'] },
    permission: {
      words: `${spokenLate}; the open request closes as cancelled`, call: 'ended end_turn', status: 'ready', usable: 'at once',
      asks: ['cancelled withdrawn'], transcript: [...said.permission.cut, 'agent: late', 'end end_turn'],
    },
    cancel: { ...unharmed.cancel, words: spokenLate, transcript: ['user: wait', 'agent: waiting stoppinglate', 'end cancelled'] },
    load: { ...unharmed.load, words: 'the conversation continues unchanged; an update right after the load counts as part of the replay', transcript: forgot },
    idle: { ...unharmed.idle, words: spokenLate, late: 'agent: half wholelate', transcript: ['user: hello', 'agent: half wholelate', 'end end_turn'] },
  },
  exitZeroIdle: {
    start: cannot(onlyIdle), initialize: cannot(onlyIdle), new: cannot(onlyIdle), prompt: cannot(onlyIdle), permission: cannot(onlyIdle), cancel: cannot(onlyIdle), load: cannot(onlyIdle),
    idle: { ...lostIdle, words: 'the agent counts as stopped, not as lost, and the conversation can be resumed', status: 'stopped', usable: 'by hand' },
  },
};

const all = Object.entries(table).flatMap(([fault, row]) => moments.map((moment) => ({ fault, moment, cell: row[moment] })));

export const cells = all.flatMap(({ fault, moment, cell }) => ('cannot' in cell ? [] : [{ fault, moment, expected: cell }]));
export const noCells = all.flatMap(({ fault, moment, cell }) => ('cannot' in cell ? [{ fault, moment, cannot: cell.cannot }] : []));
