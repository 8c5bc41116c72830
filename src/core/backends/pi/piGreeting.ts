/** The first question to a process. Where no answer comes soon, it may be another program than it is taken for, and is asked so that this shows. */
import { HostError } from '../../base/errors.js';
import type { Command } from './piCalls.js';
import type { PiDialect } from './dialect.js';
import type { PiState } from './schema/answers.js';

/** Most programs that begin at once have begun by then. */
const doubtMs = 1_000;
/** So long an answer may take to what was asked before a late `ready`; after that it counts as lost. */
const lateAnswerMs = 1_500;

const question: Command = { type: 'get_state' };
/** A question to everybody: the family looks at `type` alone, and whoever speaks JSON-RPC answers that it knows no such method. */
const openQuestion: Command = { ...question, jsonrpc: '2.0', method: 'get_state' };

export interface Greeting {
  readonly dialect: PiDialect;
  /** Resolves when the process says `ready`, or ends. */
  readonly ready: Promise<void>;
  readonly saidReady: () => boolean;
  readonly ask: (command: Command, signal: AbortSignal) => Promise<PiState>;
  readonly signal: AbortSignal;
}

/** @throws HostError `handshake_failed` for the other dialect, and whatever `ask` throws */
export async function greet(o: Greeting): Promise<PiState> {
  const { dialect, saidReady } = o;
  const state = await (dialect.saysReady ? whenReady(o) : atOnce(o));
  if (state !== undefined && dialect.saysReady === saidReady()) return state;
  throw new HostError('handshake_failed', { reason: 'other_protocol', protocol: dialect.name, found: dialect.other });
}

/** @returns undefined where it says `ready` before it answers: what it was asked until then may never be answered */
async function atOnce({ ask, ready, signal }: Greeting): Promise<PiState | undefined> {
  const answer = ask(question, signal);
  const first = Promise.race([answer, ready.then(() => undefined)]);
  if (await isSettled(first, doubtMs, signal)) return first;
  return Promise.race([first, ask(openQuestion, signal)]);
}

/** It reads nothing before its `ready`; the other dialect never says so, and answers all the same. */
async function whenReady({ ask, ready, signal }: Greeting): Promise<PiState> {
  if (await isSettled(ready, doubtMs, signal)) return ask(question, signal);
  const early = new AbortController();
  const answer = ask(openQuestion, AbortSignal.any([signal, early.signal]));
  await Promise.race([answer, ready]);
  if (await isSettled(answer, lateAnswerMs, signal)) return answer;
  early.abort();
  return ask(question, signal);
}

/** Within this time; a rejection counts, and is left to whoever waits for the promise. */
async function isSettled(promise: Promise<unknown>, limitMs: number, signal: AbortSignal): Promise<boolean> {
  let isOver = (_: boolean): void => {};
  const late = new Promise<boolean>((resolve) => (isOver = resolve));
  const giveUp = (): void => isOver(false);
  const timer = setTimeout(giveUp, limitMs);
  signal.addEventListener('abort', giveUp, { once: true });
  const settled = promise.then(
    () => true,
    () => true,
  );
  return Promise.race([settled, late]).finally(() => {
    clearTimeout(timer);
    signal.removeEventListener('abort', giveUp);
  });
}
