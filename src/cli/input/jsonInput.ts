/** Answers as JSON lines, by the ID of the request. They may precede the request. */
import * as z from 'zod/mini';
import { type Disposable, parseJson, type UserAnswer, type UserRequest } from '../../core/index.js';
import { recoveryChoices } from '../arguments/optionValues.js';
import { fieldValues } from '../output/eventSchema.js';
import { answerFromOption, answerFromText, isOptionRequest } from '../output/requestText.js';
import { readLines } from '../system/io.js';
import { type Answerer, nonInteractiveCancel } from './answering.js';

interface OpenRequest {
  readonly request: UserRequest;
  readonly answer: (answer: UserAnswer, feedback?: string) => boolean;
}

interface LineAnswerer extends Answerer {
  give(line: AnswerLine): void;
  /** No more answers will come. */
  end(): void;
}

/** @param onProblem is called for an answer that is not accepted; the request stays open */
export function answersByLine(onProblem: (message: string) => void): LineAnswerer {
  const open = new Map<string, OpenRequest>();
  const early = new Map<string, AnswerLine>();
  /** The IDs of the requests that are over, whoever answered them. */
  const over = new Set<string>();
  let ended = false;

  const give = (line: AnswerLine): void => {
    const { id, event } = addressOf(line);
    if (over.has(id)) return onProblem(`The ${event} "${id}" is no longer open`);
    const asked = open.get(id);
    if (!asked) return void early.set(id, line);
    const requested = eventOf(asked.request);
    if (requested !== event) return onProblem(`"${id}" is a ${requested}, not a ${event}`);
    const answer = answerOf(asked.request, line);
    const feedback = 'feedback' in line ? line.feedback : undefined;
    if (!answer || !asked.answer(answer, feedback)) onProblem(`The answer to the ${event} "${id}" is not an option`);
  };

  return {
    give,
    end() {
      ended = true;
      for (const { answer } of [...open.values()]) answer(nonInteractiveCancel);
    },
    ask(request, answer) {
      over.delete(request.id);
      open.set(request.id, { request, answer });
      const given = early.get(request.id);
      early.delete(request.id);
      if (given) give(given);
      if (ended && open.has(request.id)) answer(nonInteractiveCancel);
    },
    closed(requestId) {
      open.delete(requestId);
      over.add(requestId);
    },
    dispose() {
      for (const id of early.keys()) onProblem(`No request has the ID "${id}"`);
    },
  };
}

/** Reads only answers from stdin. */
export function answersFromStdin(stdin: NodeJS.ReadStream, onProblem: (message: string) => void): Answerer {
  const answers = answersByLine(onProblem);
  const lines = readJsonLines(stdin, {
    parse: (value) => answerLine.safeParse(value).data,
    onLine: answers.give,
    onProblem,
    onEnd: answers.end,
  });
  return {
    ask: answers.ask,
    closed: answers.closed,
    dispose() {
      lines.dispose();
      answers.dispose();
    },
  };
}

function eventOf(request: UserRequest): 'permission' | 'question' {
  return isOptionRequest(request) ? 'permission' : 'question';
}

function addressOf(line: AnswerLine): { readonly id: string; readonly event: 'permission' | 'question' } {
  return 'permission' in line ? { id: line.permission, event: 'permission' } : { id: line.question, event: 'question' };
}

/** Returns undefined if the line does not answer this kind of request. */
function answerOf(request: UserRequest, line: AnswerLine): UserAnswer | undefined {
  if ('cancelled' in line) return { type: 'cancel' };
  if ('declined' in line) return isOptionRequest(request) ? undefined : { type: 'decline' };
  if ('values' in line) return { type: 'accept', values: line.values };
  if (isOptionRequest(request)) return 'optionId' in line ? answerFromOption(request, line.optionId) : undefined;
  return 'text' in line ? answerFromText(request, line.text) : undefined;
}

// The lines that `--format json` reads from stdin: one JSON value per line. Documented in docs/cli.md.

/** One input line of `--format json --permission ask`. */
export const answerLine = z.union([
  z.strictObject({ permission: z.string(), optionId: z.string(), feedback: z.optional(z.string()) }),
  z.strictObject({ permission: z.string(), cancelled: z.literal(true), feedback: z.optional(z.string()) }),
  z.strictObject({ question: z.string(), text: z.string() }),
  z.strictObject({ question: z.string(), values: fieldValues }),
  z.strictObject({ question: z.string(), declined: z.literal(true) }),
  z.strictObject({ question: z.string(), cancelled: z.literal(true) }),
]);

type AnswerLine = z.infer<typeof answerLine>;

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
      // PowerShell begins what it pipes with a byte order mark.
      const line = parse(parseJson(text.replace(/^\uFEFF/, '')));
      if (line === undefined) onProblem(`Unrecognized input line: ${text.slice(0, SHOWN_CHARS)}`);
      else onLine(line);
    },
    onLineTooLong: (head) => onProblem(`Input line too long: ${head.slice(0, SHOWN_CHARS)}`),
    onEnd,
  });
}
