/** One JSON value per line of stdin. */
import type { Disposable } from '../../core/index.js';
import { readLines } from '../system/stdinLines.js';

const SHOWN_CHARS = 200;

export interface JsonLinesOptions<T> {
  /** Returns undefined for an unknown value. */
  readonly parse: (value: unknown) => T | undefined;
  readonly onLine: (line: T) => void;
  /** Called for a line that cannot be parsed; reading continues. */
  readonly onProblem: (message: string) => void;
  readonly onEnd: () => void;
}

/** Reads until the end of stdin. After disposing, `onEnd` is not called. */
export function readJsonLines<T>(stdin: NodeJS.ReadStream, { parse, onLine, onProblem, onEnd }: JsonLinesOptions<T>): Disposable {
  return readLines(stdin, {
    onLine(text) {
      const line = parse(jsonIn(text));
      if (line === undefined) onProblem(`Unrecognized input line: ${text.slice(0, SHOWN_CHARS)}`);
      else onLine(line);
    },
    onLineTooLong: (head) => onProblem(`Input line too long: ${head.slice(0, SHOWN_CHARS)}`),
    onEnd,
  });
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // `parse` rejects it, and the caller reports it
  }
}
