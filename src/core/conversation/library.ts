/**
 * Where a user's conversations are saved, as the list of conversations sees it. `core/store` implements it; tests may use their own
 * implementation.
 */
import type { Disposable } from '../base/disposable.js';
import type { Event } from '../base/event.js';
import type { SessionState } from '../session/model.js';
import type { ConversationPlace } from './ports.js';
import type { Elsewhere } from './state.js';

export interface AgentName {
  readonly id: string;
  readonly label: string;
}

/** `running`: as last written. If no process works in the conversation any more, that turn was interrupted. */
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
  /** The sessions that the current one continues, oldest first. */
  readonly earlier: readonly { readonly sessionId: string; readonly createdAt: number }[];
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

/** Another process requests a conversation. `stopsTurn`: its user agreed to stop the turn that is running here. */
export interface SeatRequest {
  readonly id: string;
  readonly stopsTurn: boolean;
  /** The program that requests it. */
  readonly program: Elsewhere['program'];
}

/** Another process took over a conversation, because this one showed no sign of life. */
export interface SeatLoss {
  readonly id: string;
  /** Undefined if that process has released the conversation again. */
  readonly program: Elsewhere['program'] | undefined;
  /** Before this time, in milliseconds since the epoch, no other process can have taken it. */
  readonly since: number;
}

/** Which process works in a conversation. Only one does at a time. */
export interface ConversationSeats {
  /** Another process started or stopped working in a conversation, or a turn in it. */
  readonly onChange: Event<void>;
  /** May fire several times for one request. */
  readonly onWanted: Event<SeatRequest>;
  /** This process must not save anything about the conversation from now on. */
  readonly onLost: Event<SeatLoss>;
  /** Resolves when `elsewhere` is known. Concurrent calls share one promise. */
  start(): Promise<void>;
  elsewhere(id: string): Elsewhere | undefined;
  /**
   * Makes this process the one that works in the conversation. Asks another one to release it, and waits some seconds for that.
   * @returns false if it was already this process
   * @throws HostError `usage` (`open_elsewhere`) if a turn is running there that must not be stopped, `storage_failed` if the other process
   * can't be asked, `cancelled`
   */
  claim(id: string, o: { readonly stopsTurn: boolean; readonly signal: AbortSignal }): Promise<boolean>;
  setBusy(id: string, isBusy: boolean): void;
  /**
   * Fires `onLost`, before it returns, for everything that another process took while this one showed no sign of life. Cheap as long as
   * this process showed them.
   */
  check(): void;
  release(id: string): void;
}

/** The saved conversations that front ends share. */
export interface ConversationLibrary {
  readonly seats: ConversationSeats;
  /**
   * Reads what another process writes to a session, until disposed.
   * @param onState called with the current session, and after each addition
   */
  follow(place: ConversationPlace, onState: (state: SessionState) => void): Disposable;
  /** Any process added, changed or removed a conversation. */
  readonly onChange: Event<void>;
  /**
   * Reads the saved conversations. Resolves when the other functions know them; concurrent calls share one promise. Never rejects:
   * conversations that can't be read are missing.
   */
  load(): Promise<void>;
  /** @param cwds absolute; a conversation of one of these folders has it as its `cwd` */
  inFolders(cwds: readonly string[]): readonly SavedConversation[];
  get(id: string): SavedConversation | undefined;
  /** Finds the conversation that is at this session, or that continued from it. @param createdAt absent: the newest */
  find(key: {
    readonly agentId: string;
    readonly sessionId: string;
    readonly createdAt?: number | undefined;
  }): SavedConversation | undefined;
  /** Whether any process removed it from all lists. It may still be on disk. */
  isDeleted(id: string): boolean;
  /** @param cwd used if nothing of it is saved yet */
  change(id: string, cwd: string, change: SavedChange): void;
  /**
   * Removes it from all lists. It is deleted from disk when this process ends; until then, `restore` brings it back.
   * @returns false if there is none
   */
  delete(id: string): boolean;
  restore(id: string): boolean;
  /** Deletes the removed conversations from disk. Called after every agent has ended. */
  end(): Promise<void>;
}
