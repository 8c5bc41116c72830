/** Who talks in a chat: a program, by JSON lines, or a person, in a line editor. */
import { agentName } from './agents.js';
import type { ChatRequest } from './arguments.js';
import type { ConversationPlace } from './conversation.js';
import type { FrontEnd } from './frontEnd.js';
import { type Io, isColoured } from './io.js';
import { readJsonLines } from './jsonLines.js';
import { createJsonOutput } from './jsonOutput.js';
import { LineEditor, PROMPT } from './lineEditor.js';
import { type ChatLine, chatLine } from './schema.js';
import { Screen } from './screen.js';
import { answersByLine } from './stdinAnswers.js';
import { terminalAsks } from './terminalPrompt.js';
import { oneLine, paintFor } from './terminalText.js';
import { createTextOutput } from './textOutput.js';

export interface ChatCommands {
  /** Sent now, or after the turns before it. */
  prompt(text: string): void;
  /** Asks the agent to stop the turn that runs, or is about to. What is queued behind it goes on. */
  cancel(): void;
  /** @param edited in the place of the prompt that was cut @returns false when none was cut */
  resend(edited?: string): boolean;
  /** @returns false when no turn was cut */
  skip(): boolean;
  /** Does not wait for the next start of a lost agent. */
  retryNow(): void;
  /** Nothing more is said: what is queued is sent, what was cut is not. */
  end(): void;
  /** Ctrl+C. */
  interrupt(): void;
}

export type ChatState =
  | { readonly type: 'idle' }
  | { readonly type: 'running' }
  | { readonly type: 'cut'; readonly prompt: string; /** How many prompts wait behind it. */ readonly queued: number };

export interface ChatFrontEnd extends FrontEnd {
  readonly isTerminal: boolean;
  /** From now on what is said becomes commands. */
  listen(commands: ChatCommands): void;
  show(state: ChatState): void;
}

export function createChatFrontEnd(request: ChatRequest, place: ConversationPlace, io: Io): ChatFrontEnd {
  return request.format === 'json' ? forProgram(place, io) : forPerson(place, io);
}

function forProgram({ agent }: ConversationPlace, io: Io): ChatFrontEnd {
  const output = createJsonOutput(io, agentName(agent.definition.id));
  const onProblem = (message: string): void => output.error({ code: 'usage', message, data: {} });
  const answers = answersByLine(onProblem);
  let stopReading = (): void => {};
  return {
    isTerminal: false,
    output,
    answerer: {
      ask: answers.ask,
      closed: answers.closed,
      dispose() {
        stopReading();
        answers.dispose();
      },
    },
    show: () => {},
    listen(commands) {
      const lines = readJsonLines(io.stdin, {
        parse: (value) => chatLine.safeParse(value).data,
        onProblem,
        onLine: (line) => ('permission' in line || 'question' in line ? answers.give(line) : carryOut(line, commands, onProblem)),
        onEnd() {
          answers.end();
          commands.end();
        },
      });
      stopReading = () => lines.dispose();
    },
  };
}

function carryOut(line: Exclude<ChatLine, { permission: string } | { question: string }>, commands: ChatCommands, onProblem: (message: string) => void): void {
  if ('prompt' in line) return line.prompt.trim() === '' ? onProblem('The prompt is empty') : commands.prompt(line.prompt);
  if ('cancel' in line) return commands.cancel();
  if ('retry' in line) return commands.retryNow();
  const isDone = 'resend' in line ? commands.resend() : commands.skip();
  if (!isDone) onProblem('No turn was cut, so there is nothing to resend or to skip');
}

function forPerson({ agent, cwd }: ConversationPlace, io: Io): ChatFrontEnd {
  const agentLabel = agent.definition.label;
  const paint = paintFor(isColoured(io.stderr, io.env));
  const screen: Screen = new Screen(io, (write) => editor.around(write));
  const output = createTextOutput({ io, screen, cwd, agentLabel });
  const asks = terminalAsks({ screen, cwd, agentLabel, paint, prompt: (words) => (words !== undefined ? editor.ask(words) : state.type === 'idle' ? editor.edit() : editor.hide()) });
  let commands: ChatCommands | undefined;
  let state: ChatState = { type: 'running' };
  let isGreeted = false;

  const onLine = (line: string): void => {
    if (asks.typed(line) || commands === undefined) return;
    const text = line.trim();
    if (state.type === 'cut') {
      editor.hide();
      if (text === '') commands.skip();
      else commands.resend(line);
    } else if (text !== '') {
      editor.hide();
      if (state.type === 'running') screen.line(paint.dim(`queued: ${oneLine(line)}`));
      commands.prompt(line);
    } else if (state.type === 'idle') {
      editor.edit();
    }
  };
  const editor = new LineEditor({
    io, beforeShown: () => screen.rest(), onLine,
    onInterrupt: () => commands?.interrupt(),
    onEnd() {
      asks.ended();
      commands?.end();
    },
  });
  return {
    isTerminal: true,
    output,
    answerer: {
      ask: asks.ask,
      closed: asks.closed,
      dispose() {
        asks.dispose();
        editor.dispose();
      },
    },
    listen: (given) => (commands = given),
    show(next) {
      state = next;
      if (!isGreeted && state.type === 'idle') output.note('Ctrl+C stops a turn, Ctrl+D leaves');
      isGreeted = true;
      if (state.type === 'running') return editor.hide();
      screen.interruptAnswer();
      if (state.type === 'idle') return editor.edit();
      const waiting = state.queued === 0 ? '' : ` ${state.queued} more ${state.queued === 1 ? 'waits' : 'wait'} behind it.`;
      screen.line(`The turn was cut. Enter sends the prompt again, as you leave it here; an empty line skips it.${waiting}`);
      editor.ask(PROMPT, state.prompt);
    },
  };
}
