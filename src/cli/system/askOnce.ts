/** Asks users one question outside of a conversation, or for secrets that must stay invisible. */
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { type Io, isInteractive, readAll } from './io.js';

/** Returns undefined at the end of stdin. */
export function askLine({ stdin, stderr }: Io, question: string): Promise<string | undefined> {
  return read(stdin, stderr, () => stderr.write(question));
}

/**
 * Asks for each secret at a terminal, where typing is invisible; otherwise reads the lines of stdin.
 * @returns fewer secrets if fewer were entered
 */
export async function readSecrets(io: Io, names: readonly string[]): Promise<readonly string[]> {
  if (!isInteractive(io)) {
    const lines = (await readAll(io.stdin)).split(/\r?\n/).map((line) => line.trim());
    return lines.filter((line) => line !== '').slice(0, names.length);
  }
  const given: string[] = [];
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  for (const name of names) {
    const secret = await read(io.stdin, nowhere, () => io.stderr.write(`${name} (typing is not shown): `), true);
    io.stderr.write('\n');
    if (secret === undefined || secret.trim() === '') break;
    given.push(secret.trim());
  }
  return given;
}

function read(input: NodeJS.ReadStream, output: NodeJS.WritableStream, ask: () => void, hidesTyping = false): Promise<string | undefined> {
  const lines = createInterface({ input, output, terminal: hidesTyping });
  return new Promise((resolve) => {
    lines.once('line', (line) => {
      resolve(line);
      lines.close();
    });
    lines.once('SIGINT', () => lines.close());
    lines.once('close', () => resolve(undefined));
    ask();
  });
}
