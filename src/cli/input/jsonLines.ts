/** The lines that `--format json` reads from stdin: one JSON value per line. Documented in docs/cli.md. */
import * as z from 'zod/mini';
import { fieldValues } from '../output/eventSchema.js';
import type { Disposable } from '../../core/index.js';
import { recoveryChoices } from '../arguments/request.js';
import { readLines } from '../system/stdinLines.js';

/** One input line of `--format json --permission ask`. */
export const answerLine = z.union([
  z.strictObject({ permission: z.string(), optionId: z.string(), feedback: z.optional(z.string()) }),
  z.strictObject({ permission: z.string(), cancelled: z.literal(true), feedback: z.optional(z.string()) }),
  z.strictObject({ question: z.string(), text: z.string() }),
  z.strictObject({ question: z.string(), values: fieldValues }),
  z.strictObject({ question: z.string(), declined: z.literal(true) }),
  z.strictObject({ question: z.string(), cancelled: z.literal(true) }),
]);

export type AnswerLine = z.infer<typeof answerLine>;

/** One input line of `acp-host chat --format json`. */
export const chatLine = z.union([
  answerLine,
  z.strictObject({ prompt: z.string(), delivery: z.optional(z.enum(['turn', 'steer', 'followUp'])) }),
  z.strictObject({ unqueue: z.string() }),
  z.strictObject({ stop: z.string() }),
  z.strictObject({ cancel: z.literal(true) }),
  z.strictObject({ stopSubagent: z.string() }),
  z.strictObject({ resend: z.union([z.literal(true), z.string()]) }),
  z.strictObject({ skip: z.literal(true) }),
  z.strictObject({ recover: z.enum(recoveryChoices) }),
  z.strictObject({ retry: z.literal('now') }),
  z.strictObject({ signIn: z.union([z.literal(true), z.string()]) }),
  z.strictObject({ option: z.string(), value: z.union([z.string(), z.boolean()]) }),
]);

export type ChatLine = z.infer<typeof chatLine>;

const SHOWN_CHARS = 200;

interface JsonLinesOptions<T> {
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
