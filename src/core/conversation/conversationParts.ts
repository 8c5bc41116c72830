import type { UserRequest } from '../session/userRequest.js';
import type { AgentHandle, SignInAttempt } from './agentHandle.js';
import { type CommandResult, done } from './commands.js';
import type { Delivery } from './delivery.js';
import type { Draft } from './draft.js';
import type { EarlierContext } from './context.js';
import type { OptionChanges } from './sessionAccess.js';
import type { Outbox } from './outbox.js';
import type { ConversationPorts } from './ports.js';
import type { Recovery } from './recovery.js';
import type { Thread } from './thread.js';

/** Whether the user deleted the conversation while it is shown somewhere. What is done with it next brings it back. */
export interface Deletion {
  isDeleted: boolean;
  undo(): void;
}

/** The parts of a conversation, which its commands work on. */
export interface ConversationParts {
  readonly ports: ConversationPorts;
  readonly agent: AgentHandle;
  readonly thread: Thread;
  readonly deletion: Deletion;
  readonly signIn: SignInAttempt;
  readonly recovery: Recovery;
  /** What the agent asks outside of its session, oldest first. */
  readonly requests: { all: readonly UserRequest[] };
  readonly context: EarlierContext;
  readonly outbox: Outbox;
  readonly draft: Draft;
  readonly options: OptionChanges;
  readonly delivery: Delivery;
  /** By turn, the ID of the prompt with which it was last sent again. */
  readonly resent: Map<string, string>;
  /** The configured agent. If undefined, the agent that the user chose is used. */
  agentId(): string | undefined;
  wantAgent(id: string | undefined): void;
}

export async function openAndSend({ deletion, recovery }: ConversationParts): Promise<CommandResult> {
  deletion.undo();
  const error = await recovery.open();
  return error === undefined ? done : { ok: false, error };
}

/** Ends the waits for the agent to start, to open a session and to sign the user in. */
export function stopWaiting({ recovery, signIn }: ConversationParts): void {
  recovery.abort();
  signIn.abort();
}

/** Sends what is ready, and tries again what prevented the rest. */
export function sendReady({ deletion, recovery, delivery }: ConversationParts): void {
  deletion.undo();
  recovery.clear();
  delivery.advance();
}
