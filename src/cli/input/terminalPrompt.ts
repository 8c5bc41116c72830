/** Asks the person at the terminal, one request at a time, by number. Closing a request cancels it. */
import { createInterface, type Interface } from 'node:readline';
import type { Ask, AskAnswer, PermissionAsk, QuestionAsk } from '../../core/index.js';
import type { Paint } from '../output/paint.js';
import type { Screen } from '../output/screen.js';
import { revealControls } from '../output/terminalText.js';
import type { Io } from '../system/io.js';
import type { Answerer } from './answering.js';
import { describePermission } from './describePermission.js';

interface Waiting {
  readonly ask: Ask;
  readonly answer: (answer: AskAnswer) => boolean;
}

export interface TerminalAsksOptions {
  readonly screen: Screen;
  readonly paint: Paint;
  readonly agentLabel: string;
  /** Absolute. */
  readonly cwd: string;
  /** Asks for a line with this text in front of it; undefined: nothing is being asked. */
  readonly prompt: (words: string | undefined) => void;
}

export interface TerminalAsks extends Answerer {
  /** @returns false where nothing is being asked, so that the line is not an answer */
  typed(line: string): boolean;
  /** No more input will come. */
  ended(): void;
}

export function terminalAsks({ screen, paint, agentLabel, cwd, prompt }: TerminalAsksOptions): TerminalAsks {
  const queue: Waiting[] = [];
  let ended = false;

  const show = ({ ask }: Waiting): void => {
    screen.interruptAnswer();
    const text = ask.kind === 'permission' ? permissionText(ask, { agentLabel, cwd, paint }) : questionText(ask, { agentLabel, paint });
    screen.line(`\n${text}`);
    prompt(promptFor(ask));
  };

  return {
    typed(line) {
      const current = queue[0];
      if (!current) return false;
      screen.lineTyped();
      const answer = readTyped(current.ask, line.trim());
      if (answer !== undefined && current.answer(answer)) return true;
      screen.line('Not a valid choice.');
      prompt(promptFor(current.ask));
      return true;
    },
    ended() {
      ended = true;
      for (const { answer } of [...queue]) answer({ type: 'cancelled' });
    },
    ask(ask, answer) {
      if (ended) {
        answer({ type: 'cancelled' });
        return;
      }
      const waiting = { ask, answer };
      queue.push(waiting);
      if (queue.length === 1) show(waiting);
    },
    closed(askId) {
      const index = queue.findIndex(({ ask }) => ask.id === askId);
      if (index === -1) return;
      queue.splice(index, 1);
      if (index !== 0) return;
      if (queue[0]) show(queue[0]);
      else prompt(undefined);
    },
    dispose: () => {},
  };
}

/** Reads nothing but answers from the terminal. */
export function askInTerminal({ io, ...options }: Omit<TerminalAsksOptions, 'prompt'> & { readonly io: Io }): Answerer {
  let lines: Interface | undefined;
  const asks = terminalAsks({
    ...options,
    prompt(words) {
      if (words === undefined) return;
      options.screen.aside(words);
      // Not before a question is asked: a background process must not touch the terminal's input.
      if (lines) return;
      lines = createInterface({ input: io.stdin, terminal: false });
      // A line typed while nothing was asked is not an answer to a later question.
      lines.on('line', (line) => void asks.typed(line)).on('close', () => asks.ended());
    },
  });
  return {
    ask: asks.ask,
    closed: asks.closed,
    dispose() {
      lines?.removeAllListeners('close').close();
      io.stdin.destroy();
    },
  };
}

function permissionText(ask: PermissionAsk, o: { readonly agentLabel: string; readonly cwd: string; readonly paint: Paint }): string {
  const options = ask.options.map(({ name }, index) => `  ${o.paint.bold(String(index + 1))}  ${revealControls(name)}`);
  const scope = ask.alwaysScope === undefined ? [] : [`  ${o.paint.dim(`"Always" means: ${ask.alwaysScope}`)}`];
  return [
    `${o.paint.yellow('?')} ${o.paint.bold(`${o.agentLabel} asks for permission: ${revealControls(ask.subject.title)}`)}`,
    ...describePermission(ask.subject, o),
    ...options,
    ...scope,
  ].join('\n');
}

function questionText(
  { header, question, options }: QuestionAsk,
  { agentLabel, paint }: { readonly agentLabel: string; readonly paint: Paint },
): string {
  const title = header === undefined ? `${agentLabel} asks` : revealControls(header);
  return [
    `${paint.yellow('?')} ${paint.bold(`${title}: ${revealControls(question)}`)}`,
    ...options.map((option, index) => `  ${paint.bold(String(index + 1))}  ${revealControls(option)}`),
  ].join('\n');
}

function promptFor(ask: Ask): string {
  const cancels =
    ask.deadlineAt === undefined ? 'Enter to cancel' : `Enter to cancel, automatic after ${(ask.deadlineAt - ask.at) / 1000} s`;
  if (ask.options.length === 0) return `Your answer (${cancels}): `;
  const range = ask.options.length === 1 ? '1' : `1-${ask.options.length}`;
  if (ask.kind === 'permission') return `Your choice (${range}, ${cancels}): `;
  const many = ask.multiple ? ', several as 1,2' : '';
  const free = ask.allowCustom ? ', or your own answer' : '';
  return `Your choice (${range}${many}${free}, ${cancels}): `;
}

/** Returns undefined for an invalid answer. */
function readTyped(ask: Ask, typed: string): AskAnswer | undefined {
  if (typed === '') return { type: 'cancelled' };
  if (ask.kind === 'permission') {
    const option = ask.options[numberIn(typed) - 1];
    return option && { type: 'selected', optionId: option.optionId };
  }
  const numbers = typed.split(',').map((part) => numberIn(part.trim()));
  const chosen = numbers.map((number) => ask.options[number - 1]);
  const areAllOptions = ask.options.length > 0 && chosen.every((option) => option !== undefined);
  if (areAllOptions && (ask.multiple || chosen.length === 1)) return { type: 'answered', text: [...new Set(chosen)].join(', ') };
  return ask.allowCustom || ask.options.length === 0 ? { type: 'answered', text: typed } : undefined;
}

/** Returns 0 for anything but a number. */
function numberIn(text: string): number {
  return /^\d{1,3}$/.test(text) ? Number(text) : 0;
}
