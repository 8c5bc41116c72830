/** Who sees what a run does, and who answers the agent: a user, a program or only the options. */
import { type AgentName, agentName } from '../system/agents.js';
import { type Answerer, Answering, answersWithout, nonInteractiveAnswer, nonInteractiveCancel, refusalReason } from '../input/answering.js';
import {
  type AgentDefinition,
  type AvailableCommand,
  type CallAsker,
  type OptionWish,
  type SessionOption,
  createFileAccess,
  type Disposable,
  type UserAnswer,
} from '../../core/index.js';
import { type Io, isInteractive } from '../system/io.js';
import { createJsonOutput } from '../output/jsonOutput.js';
import type { Output, RecoveryOffer } from '../output/output.js';
import type { Paint } from '../output/terminalText.js';
import type { RecoveryChoice } from '../arguments/optionValues.js';
import type { RequestOf } from '../arguments/parseArguments.js';
import { Screen } from '../output/screen.js';
import { answersFromStdin } from '../input/jsonInput.js';
import { askInTerminal } from '../input/terminalPrompt.js';
import { createTextOutput } from '../output/textOutput.js';

export interface FrontEnd {
  /** Used by everything that the front end shows. */
  readonly agent: AgentName;
  readonly output: Output;
  /** Receives the requests that the options leave open. */
  readonly answerer: Answerer;
}

/** How a prompt reaches the turn that is running. */
export type PromptDelivery = 'steer' | 'followUp';

export interface ChatCommands {
  /** Sends a prompt. While a turn is running, queues it or passes it to that turn. */
  prompt(text: string, delivery?: PromptDelivery): void;
  /** Removes a prompt from the agent's own queue. */
  unqueue(promptId: string): void;
  /** Ends the command of a tool call. @param itemId of the call */
  stopCommand(itemId: string): void;
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

export function createFrontEnd(request: RequestOf<'run'>, agent: AgentDefinition, cwd: string, io: Io): FrontEnd {
  const frontEnd = request.format === 'json' ? jsonFrontEnd(request, agent, io) : terminalFrontEnd(request, agent, cwd, io);
  return request.detach ? whileDetaching(frontEnd) : frontEnd;
}

/** What happens is seen elsewhere: this program tells only what keeps it from leaving. */
function whileDetaching({ agent, output }: FrontEnd): FrontEnd {
  const nothing = (): void => {};
  return {
    agent,
    output: { ...output, status: nothing, opened: nothing, event: nothing, changed: nothing, unrecorded: nothing, silence: nothing },
    answerer: { ask: nothing, closed: nothing, dispose: nothing },
  };
}

function jsonFrontEnd({ permission, prompt, detach }: RequestOf<'run'>, { id, label }: AgentDefinition, io: Io): FrontEnd {
  const agent: AgentName = { label };
  const output = createJsonOutput(io, agentName(id), agent);
  if (permission !== 'ask' || detach) return { agent, output, answerer: answersWithout(nonInteractiveAnswer) };
  // A prompt from stdin uses all of it, so no answers can follow.
  if (prompt === '-') return { agent, output, answerer: answersWithout(() => nonInteractiveCancel) };
  return { agent, output, answerer: answersFromStdin(io.stdin, (message) => output.error({ code: 'usage', message, data: {} })) };
}

function terminalFrontEnd({ permission, prompt }: RequestOf<'run'>, definition: AgentDefinition, cwd: string, io: Io): FrontEnd {
  const agent: AgentName = { label: definition.label };
  const screen = new Screen(io);
  const output = createTextOutput({ io, screen, cwd, agent, asks: permission === 'ask' });
  if (prompt === '-' || !isInteractive(io)) {
    const answerer = answersWithout((request) => {
      const why = refusalReason(request, permission);
      if (why !== undefined) output.note(why);
      return nonInteractiveAnswer(request);
    });
    return { agent, output, answerer };
  }
  const files = 'url' in definition ? undefined : createFileAccess(cwd);
  return { agent, output, answerer: askInTerminal({ io, screen, cwd, files, agent }) };
}

interface CallAskerOptions {
  readonly io: Io;
  /** The agent's name for users. */
  readonly label: string;
  /** Absolute. */
  readonly cwd: string;
  readonly send: (requestId: string, answer: UserAnswer) => void;
  /** Nobody can be asked. */
  readonly onUnanswered: () => void;
}

/** Asks what an agent wants to know outside of a conversation at the terminal, until disposed. Without one, nothing is answered. */
export function callAsker({ io, label, cwd, send, onUnanswered }: CallAskerOptions): CallAsker & Disposable {
  const answerer = isInteractive(io)
    ? askInTerminal({
        io,
        screen: new Screen(io),
        cwd,
        files: createFileAccess(cwd),
        agent: { label },
      })
    : answersWithout((request) => {
        onUnanswered();
        return nonInteractiveAnswer(request);
      });
  const policy = { permission: 'ask', answer: undefined } as const;
  const answering = new Answering({ policy, answerer, send, onUnusable: () => {} });
  return {
    onRequest: (event) =>
      event.type === 'request_opened' ? answering.opened(event.request) : answering.closed(event.requestId, event.answer),
    dispose: () => answerer.dispose(),
  };
}
