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
import { type Expectation, type Moment, shortCallMs } from './table.js';

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

/** The process is gone in mid-turn, and another one resumes what it had saved. */
function piInterrupted(moment: InTurn): Expectation {
  const isAsked = moment === 'permission';
  return {
    words: `the turn is interrupted, what was said stays${isAsked ? ', the request closes as cancelled' : ''}; the agent comes back with what it had saved`,
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
  words: 'the turn has no deadline; Force stop ends it as interrupted, and the conversation can be resumed',
  status: 'stopped',
  usable: 'by hand',
  user: 'stops',
  ...(moment === 'permission' ? { asks: ['cancelled turn_cancelled'] } : {}),
  transcript: [...piShown.before, ...piShown.cut[moment], 'end interrupted agent_exited'],
});
const piComesBack: Partial<Record<Moment, Expectation>> = {
  load: { ...piFine.load, words: 'a further start resumes the conversation' },
  idle: { ...piFine.idle, words: 'the agent comes back by itself with the conversation', ends: true },
};
const piLoadFails: Expectation = {
  words: 'resuming fails and says why; the user can try again',
  call: 'ok',
  status: 'failed',
  usable: 'by hand',
  transcript: piSaid,
};
const piNew = 'a session is opened by what the start has told';

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
      words: 'of a first turn the agent has saved nothing: the user goes on in another session',
      call: 'interrupted agent_exited',
      status: 'failed',
      usable: 'in a new one',
      queued: 'agent_exited',
      transcript: [...piShown.cut.prompt, 'end interrupted agent_exited'],
    },
    idle: piComesBack.idle,
  },
  cut: noMeaning.connection,
  frozen: { otherwise: 'where nothing is waited for, nothing is seen of it', start: startIsLate, ...inEach(piHangs) },
  mute: {
    otherwise: 'there is no answer to be left out',
    initialize: startIsLate,
    ...inEach(piHangs),
    load: { ...piLoadFails, deadlines: { sessionMs: shortCallMs } },
  },
  garbageOnStdout: { otherwise: piNew, ...without(piFine, 'new') },
  halfLine: {
    otherwise: piNew,
    start: startFails('handshake_failed'),
    initialize: startFails('handshake_failed'),
    ...inEach(piInterrupted),
    ...piComesBack,
  },
  hugeLine: {
    otherwise: 'as in mid-turn: what is too large is left out',
    initialize: startFails('handshake_failed'),
    prompt: piFine.prompt,
    load: piLoadFails,
  },
  wrongId: { otherwise: piNew, ...without(piFine, 'new', 'start', 'idle') },
  answersTwice: { otherwise: 'no command of the host is open', initialize: piFine.initialize, load: piFine.load },
  outOfOrder: { otherwise: piNew, ...without(piFine, 'new', 'start', 'idle') },
  slowReader: { otherwise: piNew, ...without(piFine, 'new', 'idle') },
  closes: noMeaning.close,
  refuses: noMeaning.upgrade,
};
