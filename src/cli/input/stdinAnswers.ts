/** Answers as JSON lines, by the ID of the request. They may precede the request. */
import type { Ask, AskAnswer } from '../../core/index.js';
import type { Answerer } from './answering.js';
import { nonInteractiveCancel } from './answerPolicy.js';
import { readJsonLines } from './jsonLines.js';
import { type AnswerLine, answerLine } from './stdinSchema.js';

interface OpenAsk {
  readonly kind: Ask['kind'];
  readonly answer: (answer: AskAnswer) => boolean;
}

export interface LineAnswerer extends Answerer {
  give(line: AnswerLine): void;
  /** No more answers will come. */
  end(): void;
}

/** @param onProblem called for an answer that is not accepted; the request stays open */
export function answersByLine(onProblem: (message: string) => void): LineAnswerer {
  const open = new Map<string, OpenAsk>();
  const early = new Map<string, AnswerLine>();
  let ended = false;

  const give = (line: AnswerLine): void => {
    const { id, kind, answer } = readAnswer(line);
    const asked = open.get(id);
    if (!asked) early.set(id, line);
    else if (asked.kind !== kind) onProblem(`"${id}" is a ${asked.kind}, not a ${kind}`);
    else if (!asked.answer(answer)) onProblem(`The answer to the ${kind} "${id}" is not an option`);
  };

  return {
    give,
    end() {
      ended = true;
      for (const { answer } of [...open.values()]) answer(nonInteractiveCancel);
    },
    ask(ask, answer) {
      open.set(ask.id, { kind: ask.kind, answer });
      const given = early.get(ask.id);
      early.delete(ask.id);
      if (given) give(given);
      if (ended && open.has(ask.id)) answer(nonInteractiveCancel);
    },
    closed: (askId) => void open.delete(askId),
    dispose() {
      for (const id of early.keys()) onProblem(`No request has the ID "${id}"`);
    },
  };
}

/** Reads nothing but answers from stdin. */
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

function readAnswer(line: AnswerLine): { readonly id: string; readonly kind: Ask['kind']; readonly answer: AskAnswer } {
  const answer: AskAnswer =
    'optionId' in line
      ? { type: 'selected', optionId: line.optionId }
      : 'text' in line
        ? { type: 'answered', text: line.text }
        : { type: 'cancelled' };
  return 'permission' in line ? { id: line.permission, kind: 'permission', answer } : { id: line.question, kind: 'question', answer };
}
