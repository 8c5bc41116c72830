/** Who talks in a chat: a program, by JSON lines, or a person, in a line editor. */
import type { AgentDefinition } from '../../core/index.js';
import type { ChatRequest, RecoveryChoice } from '../arguments/request.js';
import { readJsonLines } from '../input/jsonLines.js';
import { answersByLine } from '../input/stdinAnswers.js';
import { type ChatLine, chatLine } from '../input/stdinSchema.js';
import { createJsonOutput } from '../output/jsonOutput.js';
import type { RecoveryOffer } from '../output/output.js';
import { agentName } from '../system/agents.js';
import type { Io } from '../system/io.js';
import type { FrontEnd } from './frontEnd.js';
import { terminalFrontEnd } from './terminalChat.js';

export interface ChatCommands {
  /** Sent now, or after the turns before it. */
  prompt(text: string): void;
  /** Asks the agent to stop the turn that runs, or is about to. What is queued behind it goes on. */
  cancel(): void;
  /** @param edited in the place of the prompt that was cut @returns false when none was cut */
  resend(edited?: string): boolean;
  /** @returns false when no turn was cut */
  skip(): boolean;
  /** Does not wait for the next start of a lost agent; starts one that is not started by itself any more. */
  retryNow(): void;
  /** How to go on where the agent does not take the session up. @returns false when there is nothing to choose */
  recover(choice: RecoveryChoice): boolean;
  /** Nothing more is said: what is queued is sent, what was cut is not. */
  end(): void;
  /** Ctrl+C. */
  interrupt(): void;
}

export type ChatState =
  | { readonly type: 'idle' }
  | { readonly type: 'running' }
  | { readonly type: 'cut'; readonly prompt: string /** How many prompts wait behind it. */; readonly queued: number }
  /** The agent does not take the session up. */
  | { readonly type: 'refused'; readonly offer: RecoveryOffer }
  /** The agent does not run, and is not started by itself. */
  | { readonly type: 'gone' };

export interface ChatFrontEnd extends FrontEnd {
  readonly isTerminal: boolean;
  /** From now on what is said becomes commands. */
  listen(commands: ChatCommands): void;
  show(state: ChatState): void;
}

export function createChatFrontEnd(request: ChatRequest, agent: AgentDefinition, cwd: string, io: Io): ChatFrontEnd {
  return request.format === 'json' ? jsonFrontEnd(agent, io) : terminalFrontEnd(request, agent, cwd, io);
}

function jsonFrontEnd({ id }: AgentDefinition, io: Io): ChatFrontEnd {
  const output = createJsonOutput(io, agentName(id));
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
        onLine: (line) => ('permission' in line || 'question' in line ? answers.give(line) : execute(line, commands, onProblem)),
        onEnd() {
          answers.end();
          commands.end();
        },
      });
      stopReading = () => lines.dispose();
    },
  };
}

function execute(
  line: Exclude<ChatLine, { permission: string } | { question: string }>,
  commands: ChatCommands,
  onProblem: (message: string) => void,
): void {
  if ('prompt' in line) return line.prompt.trim() === '' ? onProblem('The prompt is empty') : commands.prompt(line.prompt);
  if ('cancel' in line) return commands.cancel();
  if ('retry' in line) return commands.retryNow();
  if ('recover' in line)
    return commands.recover(line.recover) ? undefined : onProblem('The session is open, so there is nothing to recover');
  const isDone = 'resend' in line ? commands.resend(line.resend === true ? undefined : line.resend) : commands.skip();
  if (!isDone) onProblem('No turn was cut, so there is nothing to resend or to skip');
}
