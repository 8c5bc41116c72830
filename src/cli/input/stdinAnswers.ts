/** Answers as JSON lines, by the ID of the request. They may precede the request. */
import type { UserAnswer, UserRequest } from '../../core/index.js';
import { answerFromOption, answerFromText, isOptionRequest } from '../output/requestText.js';
import type { Answerer } from './answering.js';
import { nonInteractiveCancel } from './answerPolicy.js';
import { type AnswerLine, answerLine, readJsonLines } from './jsonLines.js';

interface OpenRequest {
  readonly request: UserRequest;
  readonly answer: (answer: UserAnswer, feedback?: string) => boolean;
}

export interface LineAnswerer extends Answerer {
  give(line: AnswerLine): void;
  /** No more answers will come. */
  end(): void;
}

/** @param onProblem is called for an answer that is not accepted; the request stays open */
export function answersByLine(onProblem: (message: string) => void): LineAnswerer {
  const open = new Map<string, OpenRequest>();
  const early = new Map<string, AnswerLine>();
  let ended = false;

  const give = (line: AnswerLine): void => {
    const { id, event } = addressOf(line);
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
      open.set(request.id, { request, answer });
      const given = early.get(request.id);
      early.delete(request.id);
      if (given) give(given);
      if (ended && open.has(request.id)) answer(nonInteractiveCancel);
    },
    closed: (requestId) => void open.delete(requestId),
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
