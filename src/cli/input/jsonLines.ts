/** One JSON value a line on stdin. */
import { createInterface } from 'node:readline';
import type { Disposable } from '../../core/index.js';

export interface JsonLinesOptions<T> {
  /** Undefined for what is none of the lines that may come. */
  readonly parse: (value: unknown) => T | undefined;
  readonly onLine: (line: T) => void;
  /** Is told of lines that say nothing; reading goes on. */
  readonly onProblem: (message: string) => void;
  readonly onEnd: () => void;
}

/** Reads until the end of stdin, or until it is disposed; there is no end then. */
export function readJsonLines<T>(stdin: NodeJS.ReadStream, { parse, onLine, onProblem, onEnd }: JsonLinesOptions<T>): Disposable {
  const lines = createInterface({ input: stdin, terminal: false });
  lines.on('line', (text) => {
    if (text.trim() === '') return;
    const line = parse(jsonIn(text));
    if (line === undefined) onProblem(`This line on stdin says nothing that is known: ${text.slice(0, 200)}`);
    else onLine(line);
  });
  lines.on('close', onEnd);
  return {
    dispose() {
      lines.removeAllListeners('close');
      lines.close();
      stdin.destroy();
    },
  };
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // which nothing is parsed from: the caller says so
  }
}
