/** What a conversation needs from the editor; the composition root hands it in, tests their own. */
import type { AgentDefinition, AgentHost, Disposable, Logger, SessionState } from '../../core/index.js';
import type { UnsentPrompt } from './outbox.js';

export interface Folder {
  /** Absolute. */
  readonly path: string;
  readonly name: string;
}

export interface AgentChoice {
  /** Ready to start: with the keys and settings that the user gave in its environment. */
  readonly definition: AgentDefinition;
  /** Nobody chose it: no better one was found. */
  readonly isFallback: boolean;
  readonly baseEnv: NodeJS.ProcessEnv;
}

export interface SessionKey {
  readonly agentId: string;
  readonly sessionId: string;
  /** Tells conversations apart where the agent gives its ids again, in milliseconds since the epoch; absent: the newest. */
  readonly createdAt?: number | undefined;
}

/** Which conversation a folder is at. */
export interface ConversationRecord extends SessionKey {
  /** The session that it goes on from, where its agent could not take that one up. */
  readonly continues: string | undefined;
  /** What stands above goes with the next message, as text. */
  readonly withContext: boolean;
}

export interface ConversationPorts {
  readonly folder: Folder;
  readonly log: Logger;
  isTrusted(): boolean;
  /**
   * Which agent it would be; looks at settings and PATH only and starts nothing.
   * @param id the agent whose conversation is on screen; absent: the user's choice
   * @throws HostError `agent_not_found`, `usage`
   */
  peekAgent(id: string | undefined): Promise<Pick<AgentChoice, 'definition' | 'isFallback'>>;
  /** @throws as peekAgent */
  chooseAgent(id: string | undefined): Promise<AgentChoice>;
  /** `owned`: what else ends with the host. */
  createHost(choice: AgentChoice): { readonly host: AgentHost; readonly owned: Disposable };
  /** The mode that the user wants new sessions in; empty: the agent's own. */
  defaultMode(): string;
  /** What was kept of a session on disk, itself last, before it those that it goes on from. @throws HostError `storage_failed` */
  readSaved(key: SessionKey): Promise<readonly SessionState[]>;
  /** What was kept of those that a conversation goes on from, oldest first. */
  readBefore(agentId: string, conversation: SessionState): Promise<readonly SessionState[]>;
  recall(): ConversationRecord | undefined;
  remember(record: ConversationRecord | undefined): void;
  /** Messages that no turn had taken, with the reason for which they waited. */
  recallUnsent(): readonly UnsentPrompt[];
  rememberUnsent(prompts: readonly UnsentPrompt[]): void;
  /** Messages that will not be sent now go back to their author. */
  returnToComposer(text: string): void;
}
