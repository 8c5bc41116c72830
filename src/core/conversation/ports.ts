/** What a conversation needs from its front end. The composition root provides it, and tests provide their own. */
import type { Clock } from '../base/clock.js';
import type { Disposable } from '../base/disposable.js';
import type { Event } from '../base/event.js';
import type { Logger } from '../base/logger.js';
import type { AgentHost } from '../host/agentHost.js';
import type { AgentHostOptions, ForkPoint } from '../host/api.js';
import type { OpenJournal } from '../journal/journalStore.js';
import type { ChangesInFolders } from '../services/changes/changesInFolders.js';
import type { OptionWish } from '../session/chooseOption.js';
import type { SessionState } from '../session/model.js';
import type { DraftContent } from './draft.js';
import type { AgentDefinition, AgentSummary, OutboxPrompt, SessionKey } from './state.js';

/** The agent that a conversation uses. */
export interface AgentChoice extends Pick<AgentHostOptions, 'mcpServers' | 'leftOutServers' | 'otherFolders' | 'secretValues'> {
  /** Ready to start: its environment contains the user's keys and settings. */
  readonly definition: AgentDefinition;
  readonly isFallback: boolean;
  readonly baseEnv: NodeJS.ProcessEnv;
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
  /** The host's id of the last session, if another one begins with the next message; undefined: the last one goes on. */
  readonly over: string | undefined;
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
  /** What its turns change. If absent, nothing is recorded. */
  readonly changes?: ChangesInFolders;
  recall(): ConversationRecord | undefined;
  /** Called after each change. @param summary absent while there are no messages */
  remember(record: ConversationRecord, summary: ConversationSummary | undefined): void;
}

// Where a user's conversations are saved, as the list of conversations sees it. `core/store` implements it; tests may use their own
// implementation.

export interface AgentName {
  readonly id: string;
  readonly label: string;
}

/** `running`: as last written. If the conversation is not open any more, that turn was interrupted. */
export type SavedTurn = 'idle' | 'running' | 'interrupted';

/** What a list shows of a conversation that has messages. Must survive JSON. */
export interface ConversationSummary {
  readonly agent: AgentName;
  /** The agent's name for the conversation. */
  readonly agentTitle: string | undefined;
  /** The beginning of the user's first message; absent if only the agent wrote something. */
  readonly firstWords: string | undefined;
  /** When the last turn started or ended, in milliseconds since the epoch, as all times here. */
  readonly usedAt: number;
  readonly turn: SavedTurn;
  /** The agent's ids of the sessions that the current one continues, oldest first. */
  readonly earlier: readonly string[];
}

/** What is known about a conversation on disk without reading its messages. */
export interface SavedConversation {
  readonly id: string;
  /** Absolute, as the front end specified it. */
  readonly cwd: string;
  /** `cwd` without symbolic links. It identifies the conversation's folder, whichever path leads there. */
  readonly folder: string;
  /** Undefined if there are no messages yet: only drafts, their chips and unsent prompts are saved. */
  readonly summary: ConversationSummary | undefined;
  /** While there are no messages: the beginning of the unsent prompt or draft by which the conversation is known, or the label of a chip. */
  readonly unsentWords: string | undefined;
  readonly place: ConversationPlace | undefined;
  /** The user's name for it. */
  readonly title: string | undefined;
  readonly createdAt: number;
  readonly isPinned: boolean;
  readonly isArchived: boolean;
  /** Its last turn ended out of the user's sight. */
  readonly isUnread: boolean;
  /** It began as a copy of the beginning of another conversation. */
  readonly isBranch: boolean;
  /** The user does not want its messages to name the file that is open in the editor. */
  readonly leavesOutOpenFile: boolean;
}

/** What the user, or a front end that knows what the user has seen, can change in a saved conversation. */
export type SavedChange =
  | { readonly title: string | undefined }
  | { readonly isPinned: boolean }
  | { readonly isArchived: boolean }
  | { readonly isUnread: boolean }
  | { readonly leavesOutOpenFile: boolean };

/** Where a conversation branches off. */
export interface SavedBranch {
  /** Of the new conversation. */
  readonly id: string;
  /** Absolute. */
  readonly cwd: string;
  /** The conversation that has the turn, all of it saved. */
  readonly of: string;
  readonly turnId: string;
  readonly fork: ForkPoint | undefined;
}

/** The saved conversations. */
export interface ConversationLibrary {
  /** Fires with the id of a conversation that was added, changed or removed; undefined: any number of them. */
  readonly onChange: Event<string | undefined>;
  /**
   * Reads the saved conversations. Resolves when the other functions know them; concurrent calls share one promise. Never rejects:
   * conversations that can't be read are missing.
   */
  load(): Promise<void>;
  /** Those of all folders. */
  readonly listed: readonly SavedConversation[];
  get(id: string): SavedConversation | undefined;
  /** Finds the conversation that is at this session, or that continued from it: the newest one if the agent reused the id. */
  find(session: SessionKey): SavedConversation | undefined;
  /** Whether it was removed from all lists. It may still be on disk. */
  isDeleted(id: string): boolean;
  /** @param cwd used if nothing of it is saved yet */
  change(id: string, cwd: string, change: SavedChange): void;
  /** Saves a new conversation with everything of another one before a turn. @throws HostError `storage_failed` */
  branch(from: SavedBranch): Promise<void>;
  /**
   * Removes it from all lists. It is deleted from disk at the end; until then, `restore` brings it back.
   * @returns false if there is none
   */
  delete(id: string): boolean;
  restore(id: string): boolean;
  /** Deletes the removed conversations from disk. Called after every agent has ended. */
  end(): Promise<void>;
}
