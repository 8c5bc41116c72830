/** Asks users one question outside of a conversation, or for secrets that must stay invisible. */
import { createInterface } from 'node:readline';
import { addAbortSignal, Writable } from 'node:stream';
import { onContinued, raiseInterrupt, untilInterrupted } from './interrupts.js';
import { type Io, isInteractive, readAll } from './io.js';
import { HostError, toHostError } from '../../core/index.js';

/** Returns undefined at the end of stdin. @throws the reason of the signal */
export function askLine(io: Io, question: string, signal: AbortSignal): Promise<string | undefined> {
  return read(io, question, { signal });
}

/**
 * Asks for each secret at a terminal, where typing is invisible; otherwise reads the lines of stdin.
 * @returns fewer secrets if fewer were entered
 * @throws the reason of the signal, or an `AbortError`
 */
export async function readSecrets(io: Io, names: readonly string[], signal: AbortSignal): Promise<readonly string[]> {
  if (!isInteractive(io)) {
    const text = await readAll(addAbortSignal(signal, io.stdin));
    const lines = text?.split(/\r?\n/).map((line) => line.trim()) ?? [];
    return lines.filter((line) => line !== '').slice(0, names.length);
  }
  const given: string[] = [];
  for (const name of names) {
    const secret = await read(io, `${name} (typing is not shown): `, { signal, hidesTyping: true });
    if (secret === undefined || secret.trim() === '') break;
    given.push(secret.trim());
  }
  return given;
}

interface Reading {
  readonly signal: AbortSignal;
  readonly hidesTyping?: boolean;
}

async function read({ stdin, stderr }: Io, question: string, { signal, hidesTyping = false }: Reading): Promise<string | undefined> {
  signal.throwIfAborted();
  const output = hidesTyping ? new Writable({ write: (_chunk, _encoding, done) => done() }) : stderr;
  const lines = createInterface({ input: stdin, output, terminal: hidesTyping, signal });
  const ask = (): void => void stderr.write(question);
  // The shell has written below the question.
  const continued = onContinued(ask);
  const answer = await new Promise<string | undefined>((resolve) => {
    lines.once('line', (line) => {
      resolve(line);
      lines.close();
    });
    // While typing is hidden, the terminal sends no signal for the key.
    lines.once('SIGINT', raiseInterrupt);
    lines.once('close', () => resolve(undefined));
    ask();
  });
  continued.dispose();
  // Only Enter that is shown has begun a new line.
  if (answer === undefined || hidesTyping) stderr.write('\n');
  signal.throwIfAborted();
  return answer;
}

/** Asks a question that only "y" or "yes" affirms. @param refused said otherwise @throws HostError `cancelled` for any other answer */
export async function confirm(question: string, refused: string, io: Io): Promise<void> {
  const answer = await untilInterrupted((signal) => askLine(io, `${question} (y or n): `, signal)).catch((error: unknown) => {
    throw toHostError(error).with({ detail: refused });
  });
  if (!isYes(answer)) throw new HostError('cancelled', { detail: refused });
}

export function isYes(answer: string | undefined): boolean {
  return /^y(?:es)?$/i.test(answer?.trim() ?? '');
}
