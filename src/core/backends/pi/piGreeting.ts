/**
 * Sends the first command to a process. If the answer takes long, the process may be a different program than expected, so a second
 * question finds that out.
 */
import { HostError } from '../../base/errors.js';
import type { Command } from './piCalls.js';
import type { PiDialect } from './dialect.js';
import type { PiState } from './schema/answers.js';

/** Most programs that start quickly have started by then. */
const doubtMs = 1_000;
/** How long the answer to a question before a late `ready` may take; after that, it counts as lost. */
const lateAnswerMs = 1_500;

const question: Command = { type: 'get_state' };
/**
 * A question for every program: the Pi family only looks at `type`, and a program with JSON-RPC answers that it does not know the method.
 */
const openQuestion: Command = { ...question, jsonrpc: '2.0', method: 'get_state' };

export interface Greeting {
  readonly dialect: PiDialect;
  /** Resolves when the process sends `ready`, or ends. */
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

/** @returns undefined if the process sends `ready` before it answers; earlier questions may then never be answered */
async function atOnce({ ask, ready, signal }: Greeting): Promise<PiState | undefined> {
  const answer = ask(question, signal);
  const first = Promise.race([answer, ready.then(() => undefined)]);
  if (await isSettled(first, doubtMs, signal)) return first;
  return Promise.race([first, ask(openQuestion, signal)]);
}

/** Programs of this dialect read nothing before `ready`; those of the other one never send it, but answer. */
async function whenReady({ ask, ready, signal }: Greeting): Promise<PiState> {
  if (await isSettled(ready, doubtMs, signal)) return ask(question, signal);
  const early = new AbortController();
  const answer = ask(openQuestion, AbortSignal.any([signal, early.signal]));
  await Promise.race([answer, ready]);
  if (await isSettled(answer, lateAnswerMs, signal)) return answer;
  early.abort();
  return ask(question, signal);
}

/** Whether the promise settles within this time. A rejection counts too, and is left to whoever awaits the promise. */
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
