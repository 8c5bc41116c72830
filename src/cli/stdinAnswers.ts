/** Answers as JSON lines on stdin, by the id of the request; they may come before it. */
import { createInterface } from 'node:readline';
import type { Ask, AskAnswer } from '../core/index.js';
import type { Answerer } from './answering.js';
import { closedByNobody } from './answerPolicy.js';
import { type AnswerLine, answerLine } from './schema.js';

interface OpenAsk {
  readonly kind: Ask['kind'];
  readonly answer: (answer: AskAnswer) => boolean;
}

/** @param onProblem is told of lines that were no answer; the run goes on */
export function answersFromStdin(stdin: NodeJS.ReadStream, onProblem: (message: string) => void): Answerer {
  const open = new Map<string, OpenAsk>();
  const early = new Map<string, AnswerLine>();
  let ended = false;

  const give = (line: AnswerLine): void => {
    const { id, kind, answer } = readAnswer(line);
    const asked = open.get(id);
    if (!asked) early.set(id, line);
    else if (asked.kind !== kind) onProblem(`"${id}" is a ${asked.kind}, not a ${kind}`);
    else if (!asked.answer(answer)) onProblem(`The answer to the ${kind} "${id}" is none that the agent offers`);
  };

  const lines = createInterface({ input: stdin, terminal: false });
  lines.on('line', (text) => {
    if (text.trim() === '') return;
    const parsed = parseLine(text);
    if (parsed === undefined) onProblem(`This line on stdin is no answer: ${text.slice(0, 200)}`);
    else give(parsed);
  });
  lines.on('close', () => {
    ended = true;
    for (const { answer } of [...open.values()]) answer(closedByNobody);
  });

  return {
    ask(ask, answer) {
      open.set(ask.id, { kind: ask.kind, answer });
      const given = early.get(ask.id);
      early.delete(ask.id);
      if (given) give(given);
      if (ended && open.has(ask.id)) answer(closedByNobody);
    },
    closed: (askId) => void open.delete(askId),
    dispose() {
      lines.removeAllListeners('close');
      lines.close();
      stdin.destroy();
      for (const id of early.keys()) onProblem(`Nothing was asked under the id "${id}"`);
    },
  };
}

function parseLine(text: string): AnswerLine | undefined {
  try {
    return answerLine.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

function readAnswer(line: AnswerLine): { readonly id: string; readonly kind: Ask['kind']; readonly answer: AskAnswer } {
  const answer: AskAnswer = 'optionId' in line ? { type: 'selected', optionId: line.optionId }
    : 'text' in line ? { type: 'answered', text: line.text }
      : { type: 'cancelled' };
  return 'permission' in line ? { id: line.permission, kind: 'permission', answer } : { id: line.question, kind: 'question', answer };
}
