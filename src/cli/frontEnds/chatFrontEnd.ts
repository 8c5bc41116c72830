/** The other end of a chat: a program with JSON lines, or a user with a line editor. */
import { type AgentName, agentName } from '../system/agents.js';
import type { Answerer } from '../input/answering.js';
import type { FrontEnd } from './frontEnd.js';
import {
  type AgentDefinition,
  type AvailableCommand,
  type ConversationListEntry,
  createFileAccess,
  type OptionWish,
  type SessionOption,
} from '../../core/index.js';
import { type Io, isColored, isInteractive } from '../system/io.js';
import { type ChatLine, chatLine, readJsonLines } from '../input/jsonLines.js';
import { createJsonOutput } from '../output/jsonOutput.js';
import { isActive } from '../system/openConversations.js';
import type { RecoveryOffer } from '../output/output.js';
import { type Paint, paintFor } from '../output/terminalText.js';
import type { AttachRequest, ChatRequest, RecoveryChoice } from '../arguments/request.js';
import { Screen } from '../output/screen.js';
import { answersByLine } from '../input/stdinAnswers.js';
import { terminalFrontEnd } from './terminalChat.js';
import { askInTerminal } from '../input/terminalPrompt.js';
import { createTextOutput } from '../output/textOutput.js';

/** How a prompt reaches the turn that is running. */
export type PromptDelivery = 'steer' | 'followUp';

export interface ChatCommands {
  /** Sends a prompt. While a turn is running, queues it or passes it to that turn. */
  prompt(text: string, delivery?: PromptDelivery): void;
  /** Removes a prompt from the agent's own queue. */
  unqueue(promptId: string): void;
  /** Ends the command of a tool call. @param toolCallId the agent's own ID */
  stopCommand(toolCallId: string): void;
  /** Asks the agent to stop the turn that is running or about to start. Queued prompts are still sent. */
  cancel(): void;
  /** @returns why it can't be stopped, for users */
  stopSubagent(subagentId: string): Promise<string | undefined>;
  /**
   * @param edited replaces the interrupted prompt
   * @returns false if no turn was interrupted
   */
  resend(edited?: string): boolean;
  /** @returns false if no turn was interrupted */
  skip(): boolean;
  /** Restarts a lost agent at once, even if it is no longer restarted automatically, and one that the user signed in to elsewhere. */
  retryNow(): void;
  /**
   * Signs in, and sends what waits for that.
   * @param wanted the ID or the name of a way to sign in; may be absent if there is only one
   * @returns what to do instead, or why it failed, for users
   */
  signIn(wanted?: string): Promise<string | undefined>;
  /**
   * Chooses how to continue if the agent can't resume the session.
   * @returns false if there is nothing to choose
   */
  recover(choice: RecoveryChoice): boolean;
  /**
   * Sets an option of the session before the prompts that follow.
   * @returns why it could not be set, for users
   */
  setOption(wish: OptionWish): Promise<string | undefined>;
  /** The options that the agent offers now. */
  options(): readonly SessionOption[];
  /** The last turn that changed files and is not undone yet, as lines of a terminal. Never rejects. */
  lastChanges(paint: Paint): Promise<readonly string[]>;
  /** Undoes it. @returns what was undone and what was left, as lines of a terminal; never rejects */
  undoLast(): Promise<readonly string[]>;
  /** @returns what still works although no turn is running, for users; undefined if nothing does. It ends with the chat. */
  lateWork(): string | undefined;
  /** The agent's own slash commands. */
  agentCommands(): readonly AvailableCommand[];
  /** No more input will come: queued prompts are still sent, an interrupted one is not. */
  end(): void;
  /** Ctrl+C. */
  interrupt(): void;
}

export type ChatState =
  | { readonly type: 'idle' }
  | { readonly type: 'running' }
  /** The agent is running, and what the user wants waits for a sign-in. */
  | { readonly type: 'blocked' }
  | {
      readonly type: 'interrupted';
      readonly prompt: string;
      /** The number of prompts that are queued behind it. */
      readonly queued: number;
    }
  /** The agent can't resume the session. */
  | { readonly type: 'refused'; readonly offer: RecoveryOffer }
  /** The agent is not running and is not restarted automatically. */
  | { readonly type: 'gone' };

export interface ChatFrontEnd extends FrontEnd {
  readonly isTerminal: boolean;
  /** From now on, input becomes commands. */
  listen(commands: ChatCommands): void;
  show(state: ChatState): void;
}

export function createChatFrontEnd(request: ChatRequest, agent: AgentDefinition, cwd: string, io: Io): ChatFrontEnd {
  return request.format === 'json' ? jsonFrontEnd(agent, io) : terminalFrontEnd(request, agent, cwd, io);
}

/** @param isJoined others may answer too, so the end of the input answers nothing */
function jsonFrontEnd({ id, label }: Pick<AgentDefinition, 'id' | 'label'>, io: Io, isJoined = false): ChatFrontEnd {
  const agent: AgentName = { label };
  const output = createJsonOutput(io, agentName(id), agent);
  const onProblem = (message: string): void => output.error({ code: 'usage', message, data: {} });
  const answers = answersByLine(onProblem);
  let stopReading = (): void => {};
  return {
    isTerminal: false,
    agent,
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
          if (!isJoined) answers.end();
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
  if ('prompt' in line) {
    const { prompt, delivery } = line;
    return prompt.trim() === '' ? onProblem('The prompt is empty') : commands.prompt(prompt, delivery === 'turn' ? undefined : delivery);
  }
  if ('unqueue' in line) return commands.unqueue(line.unqueue);
  if ('stop' in line) return commands.stopCommand(line.stop);
  if ('cancel' in line) return commands.cancel();
  if ('stopSubagent' in line)
    return void commands.stopSubagent(line.stopSubagent).then((problem) => problem === undefined || onProblem(problem));
  if ('retry' in line) return commands.retryNow();
  if ('signIn' in line)
    return void commands
      .signIn(line.signIn === true ? undefined : line.signIn)
      .then((problem) => problem === undefined || onProblem(problem));
  if ('option' in line) {
    const value = typeof line.value === 'boolean' ? (line.value ? 'on' : 'off') : line.value;
    return void commands.setOption({ id: line.option, value }).then((problem) => problem === undefined || onProblem(problem));
  }
  if ('recover' in line)
    return commands.recover(line.recover) ? undefined : onProblem('The session is open, so there is nothing to recover');
  const isDone = 'resend' in line ? commands.resend(line.resend === true ? undefined : line.resend) : commands.skip();
  if (!isDone) onProblem('No turn was interrupted, so there is nothing to resend or skip');
}

interface AttachParts {
  readonly io: Io;
  /** Whether the agent works on another machine. */
  readonly isOnServer: () => boolean;
  /** Called when the terminal is gone, or when the user pressed Ctrl+D. */
  readonly onEnd: () => void;
}

/** The other end of a conversation that others have too: a program with JSON lines, or a user who only answers. */
export function createAttachFrontEnd(
  { format, permission }: AttachRequest,
  entry: ConversationListEntry,
  { io, isOnServer, onEnd }: AttachParts,
): ChatFrontEnd {
  const { cwd } = entry;
  const { id, label } = entry.agent ?? { id: '', label: 'The agent' };
  if (format === 'json') return jsonFrontEnd({ id, label }, io, true);
  const agent: AgentName = { label };
  const screen = new Screen(io);
  const output = createTextOutput({ io, screen, cwd, agent, asks: permission === 'ask', isJoined: true });
  const paint = paintFor(isColored(io.stderr, io.env));
  const access = createFileAccess(cwd);
  const files = { peekNow: (path: string) => (isOnServer() ? undefined : access.peekNow(path)) };
  const columns = (): number => io.stderr.columns;
  if (isInteractive(io) && isActive(entry)) output.note('Press Ctrl+C to stop the turn, Ctrl+\\ to leave it running');
  const answerer = isInteractive(io)
    ? askInTerminal({ io, screen, cwd, files, agent, paint, columns, onEnd })
    : elsewhere(() => output.note(`${agent.label} needs your input. Answer in the editor, or with \`acp-host attach\` in a terminal`));
  return { isTerminal: true, agent, output, answerer, listen: () => {}, show: () => {} };
}

/** Nobody can be asked here, so the request stays open for others. */
function elsewhere(onAsked: () => void): Answerer {
  return { ask: onAsked, closed: () => {}, dispose: () => {} };
}
