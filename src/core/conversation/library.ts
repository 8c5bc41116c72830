/**
 * Where a user's conversations are saved, as the list of conversations sees it. `core/store` implements it; tests may use their own
 * implementation.
 */
import type { Event } from '../base/event.js';
import type { ConversationPlace, ForkPoint } from './ports.js';
import type { SessionKey } from './state.js';

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
