/** What each fault does to a conversation with Pi. */
import {
  type Column,
  type InTurn,
  type Shown,
  ends,
  inEach,
  noMeaning,
  ready,
  startFails,
  startIsLate,
  turn,
  unharmed,
  without,
} from './rows.js';
import { type Expectation, type Moment, saysUnread, saysUnreadInEach, shortCallMs } from './table.js';

const piShown: Shown = {
  before: turn('earlier'),
  whole: {
    prompt: turn('hello'),
    permission: ['user: ask', 'agent: No.', ends],
    cancel: ['user: wait', 'agent: waiting', 'end cancelled'],
  },
  cut: { prompt: ['user: hello', 'agent: h'], permission: ['user: ask'], cancel: ['user: wait', 'agent: waiting'] },
  refusal: 'declined',
};
const piSaid = [...turn('hello'), ...turn('more')];
const piFine = {
  ...unharmed(piShown, true),
  load: { ...unharmed(piShown, true).load, transcript: piSaid },
  idle: { ...unharmed(piShown, true).idle, transcript: turn('hello') },
};

/** The process ends during a turn, and another one resumes what it had saved. */
function piInterrupted(moment: InTurn): Expectation {
  const isAsked = moment === 'permission';
  return {
    words: `the turn is interrupted, its output stays${isAsked ? ', the request closes as cancelled' : ''}; the agent restarts and resumes what it had saved`,
    call: 'interrupted agent_exited',
    ...ready,
    earlier: true,
    ...(moment === 'prompt' ? { queued: 'agent_exited' } : {}),
    ...(isAsked ? { asks: ['cancelled agent_gone'] } : {}),
    transcript: [
      ...piShown.before,
      ...piShown.cut[moment],
      ...(isAsked ? ['notice request_closed_unanswered'] : []),
      'end interrupted agent_exited',
    ],
  };
}
const piHangs = (moment: InTurn): Expectation => ({
  ...piInterrupted(moment),
  words: 'the turn has no deadline; Force Stop interrupts it, and the conversation can be resumed',
  status: 'stopped',
  usable: 'by hand',
  user: 'stops',
  ...(moment === 'permission' ? { asks: ['cancelled turn_cancelled'] } : {}),
  transcript: [...piShown.before, ...piShown.cut[moment], 'end interrupted agent_exited'],
});
const piComesBack: Partial<Record<Moment, Expectation>> = {
  load: { ...piFine.load, words: 'another start resumes the conversation' },
  idle: { ...piFine.idle, words: 'the agent restarts automatically and resumes the conversation', ends: true },
};
const piLoadFails: Expectation = {
  words: 'resuming fails with the reason, and the user can try again',
  call: 'ok',
  status: 'failed',
  usable: 'by hand',
  transcript: piSaid,
};
const piNew = 'a session opens with what the start reported';

export const piColumn: Column = {
  killed: {
    otherwise: piNew,
    start: startFails('handshake_failed'),
    initialize: startFails('handshake_failed'),
    ...inEach(piInterrupted),
    ...piComesBack,
  },
  exits: {
    otherwise: 'see killed',
    prompt: {
      words: 'the agent has saved nothing of a first turn, and the user continues in another session',
      call: 'interrupted agent_exited',
      status: 'failed',
      usable: 'in a new one',
      queued: 'agent_exited',
      transcript: [...piShown.cut.prompt, 'end interrupted agent_exited'],
    },
    idle: piComesBack.idle,
  },
  cut: noMeaning.connection,
  frozen: { otherwise: 'the host notices it only while it waits for the agent', start: startIsLate, ...inEach(piHangs) },
  mute: {
    otherwise: 'there is no answer to leave out',
    initialize: startIsLate,
    ...inEach(piHangs),
    load: { ...piLoadFails, deadlines: { sessionMs: shortCallMs } },
  },
  garbageOnStdout: { otherwise: piNew, ...without(saysUnreadInEach(piFine), 'new') },
  halfLine: {
    otherwise: piNew,
    start: startFails('handshake_failed'),
    initialize: startFails('handshake_failed'),
    ...inEach(piInterrupted),
    ...piComesBack,
  },
  hugeLine: {
    otherwise: 'see prompt: a line that is too large is dropped',
    initialize: startFails('handshake_failed'),
    prompt: saysUnread(piFine.prompt),
    load: piLoadFails,
  },
  wrongId: { otherwise: piNew, ...without(piFine, 'new', 'start', 'idle') },
  answersTwice: { otherwise: 'no command of the host is open', initialize: piFine.initialize, load: piFine.load },
  outOfOrder: { otherwise: piNew, ...without(piFine, 'new', 'start', 'idle') },
  slowReader: { otherwise: piNew, ...without(piFine, 'new', 'idle') },
  closes: noMeaning.close,
  refuses: noMeaning.upgrade,
};
