/** What a conversation needs from its front end. The composition root provides it, and tests provide their own. */
import type { Clock } from '../base/clock.js';
import type { Disposable } from '../base/disposable.js';
import type { Logger } from '../base/logger.js';
import type { HostError } from '../base/errors.js';
import type { Event } from '../base/event.js';
import type { AgentHost, AgentHostOptions, NewSession, TurnWatch } from '../host/api.js';
import type { ChangeSet } from '../session/changes.js';
import type { OpenJournal } from '../journal/journalStore.js';
import type { OptionWish } from '../session/chooseOption.js';
import type { SessionState } from '../session/model.js';
import type { DraftContent } from './draft.js';
import type { ConversationSummary } from './library.js';
import type { AgentDefinition, AgentSummary, OutboxPrompt, SessionKey } from './state.js';

/** Where a session can be forked. */
export type ForkPoint = NonNullable<NewSession['fork']>;

/** The agent that a conversation uses. */
export interface AgentChoice {
  /** Ready to start: its environment contains the user's keys and settings. */
  readonly definition: AgentDefinition;
  readonly isFallback: boolean;
  readonly baseEnv: NodeJS.ProcessEnv;
  /** What its sessions may connect to. Absent: nothing. */
  readonly mcpServers?: NonNullable<AgentHostOptions['mcpServers']>;
  readonly leftOutServers?: NonNullable<AgentHostOptions['leftOutServers']>;
  readonly otherFolders?: NonNullable<AgentHostOptions['otherFolders']>;
  readonly secretValues?: NonNullable<AgentHostOptions['secretValues']>;
}

/** The state that outlives the front end, however it ends. Must survive JSON. */
export interface ConversationRecord {
  /** Undefined if there is no session yet. */
  readonly place: ConversationPlace | undefined;
  /** Prompts that were in no turn yet. */
  readonly outbox: readonly OutboxPrompt[];
  readonly returned: readonly OutboxPrompt[];
  readonly draft: DraftContent;
}

/** The session that a conversation is at, or was at last. */
export interface ConversationPlace extends SessionKey {
  /** When the last session was created after which another one begins with the next message; undefined: the last one goes on. */
  readonly over: number | undefined;
  /** Whether the history is sent as text with the next prompt, unless the agent forks the session at `fork`. */
  readonly withContext: boolean;
  readonly fork?: ForkPoint;
}

/** A value that the user wants in new sessions, or in all of them. */
export type OptionDefault = OptionWish & {
  /**
   * Whether it is set in every session that is opened, which fails if the agent doesn't offer it. Otherwise it is set in new sessions, if
   * the agent offers it.
   */
  readonly isRequired: boolean;
};

/** `owned`: disposed just before the host, which can still be read then. */
export interface CreatedHost {
  readonly host: AgentHost;
  readonly owned: Disposable;
}

/** Records what the turns of a conversation change in its folder. */
export interface ChangeKeeper extends TurnWatch {
  /** Oldest first. Unchanged ones keep their identity. */
  readonly sets: readonly ChangeSet[];
  /** Why the last turn could not be recorded. */
  readonly failure: HostError | undefined;
  readonly onChange: Event<void>;
  /** Reads what was recorded before. Never rejects. */
  load(): Promise<void>;
  /** An agent is being started in the folder. */
  warm(): void;
  /** @param paths as in ChangedFile; absent: all @throws HostError `changes_unknown` */
  review(ids: readonly string[], paths?: readonly string[]): Promise<void>;
  /** Takes `review` of one file back. @throws HostError `changes_unknown` */
  reviewAgain(id: string, path: string): Promise<void>;
  /** @param path before the change @throws HostError `changes_unknown` */
  reviewHunk(id: string, path: string, hunk: string): Promise<void>;
}

/** What a conversation needs from its front end. */
export interface ConversationPorts {
  readonly log: Logger;
  readonly clock: Clock;
  /**
   * Determines which agent would start. Reads only settings and the PATH, and starts nothing.
   * @param id the agent of the conversation; absent: the user's choice
   * @throws HostError `agent_not_found`, `usage`
   */
  peekAgent(id: string | undefined): Promise<AgentSummary>;
  /** @throws as peekAgent */
  chooseAgent(id: string | undefined): Promise<AgentChoice>;
  /** Called once for all conversations that share the agent. */
  createHost(choice: AgentChoice): CreatedHost;
  optionDefaults(): readonly OptionDefault[];
  /** Reads the saved sessions of the conversation, oldest first. @throws HostError `storage_failed` */
  readSessions(): Promise<readonly SessionState[]>;
  /** Where the sessions of the conversation are saved. */
  readonly openJournal: OpenJournal;
  /** If absent, nothing is recorded. */
  readonly changes?: ChangeKeeper;
  recall(): ConversationRecord | undefined;
  /** Called after each change. @param summary absent while there are no messages */
  remember(record: ConversationRecord, summary: ConversationSummary | undefined): void;
}
