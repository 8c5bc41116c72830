/** Where the conversations of a person are saved, as the list of them sees it. `core/store` is one; tests may have their own. */
import type { Disposable } from '../base/disposable.js';
import type { Event } from '../base/event.js';
import type { SessionState } from '../session/model.js';
import type { ConversationPlace } from './ports.js';
import type { Elsewhere } from './state.js';

export interface AgentName {
  readonly id: string;
  readonly label: string;
}

/** `running`: as it was written last; where nobody works in the conversation any more, that turn was interrupted. */
export type SavedTurn = 'idle' | 'running' | 'interrupted';

/** What a list shows of a conversation in which something was said. Must survive JSON. */
export interface ConversationSummary {
  readonly agent: AgentName;
  /** The agent's name for the conversation. */
  readonly agentTitle: string | undefined;
  /** Of the user; absent where only the agent spoke. */
  readonly firstWords: string | undefined;
  /** Milliseconds since the epoch, as all times here: when the last turn began or ended. */
  readonly usedAt: number;
  readonly turn: SavedTurn;
  /** The sessions that the one at its place goes on from, oldest first. */
  readonly earlier: readonly { readonly sessionId: string; readonly createdAt: number }[];
}

export interface SavedConversation {
  readonly id: string;
  /** Absolute, as the front end gave it. */
  readonly cwd: string;
  /** `cwd` without symbolic links: whose conversation it is, whatever way leads there. */
  readonly folder: string;
  /** Absent: nothing was said yet; only what was written and not sent is saved. */
  readonly summary: ConversationSummary | undefined;
  readonly place: ConversationPlace | undefined;
  /** The user's name for it. */
  readonly title: string | undefined;
  readonly createdAt: number;
  readonly isPinned: boolean;
  readonly isArchived: boolean;
}

/** What the user can change of a saved conversation. */
export type SavedChange = { readonly title: string | undefined } | { readonly isPinned: boolean } | { readonly isArchived: boolean };

/** Another process asks for a conversation. `stopsTurn`: its user was asked about the turn that runs here. */
export interface SeatRequest {
  readonly id: string;
  readonly stopsTurn: boolean;
  /** That asks. */
  readonly program: Elsewhere['program'];
}

/** Another process took a conversation: this one had given no sign of life. */
export interface SeatLoss {
  readonly id: string;
  /** Absent: it has let go again. */
  readonly program: Elsewhere['program'] | undefined;
  /** Until then, in milliseconds since the epoch, nobody can have taken it. */
  readonly since: number;
}

/** Which process works in a conversation: one at a time. */
export interface ConversationSeats {
  /** Somebody else began or ended to work in a conversation, or a turn in it. */
  readonly onChange: Event<void>;
  /** May be told several times for one request. */
  readonly onWanted: Event<SeatRequest>;
  /** What this process says of it from now on must not be saved. */
  readonly onLost: Event<SeatLoss>;
  /** From then on `elsewhere` knows. Concurrent calls share one. */
  start(): Promise<void>;
  elsewhere(id: string): Elsewhere | undefined;
  /**
   * This process works in it from now on. Asks another one to let go, and waits some seconds for it.
   * @returns false where it was this one before
   * @throws HostError `usage` (`open_elsewhere`) where a turn runs there that is not to be stopped, `cancelled`
   */
  claim(id: string, o: { readonly stopsTurn: boolean; readonly signal: AbortSignal }): Promise<boolean>;
  setBusy(id: string, isBusy: boolean): void;
  /** Tells by `onLost`, before it returns, what another process took while this one gave no sign of life. Cheap as long as it gave them. */
  check(): void;
  release(id: string): void;
}

export interface ConversationLibrary {
  readonly seats: ConversationSeats;
  /**
   * Reads what another process writes to a session, until it is disposed.
   * @param onState called with the session as it is, and whenever more was written
   */
  follow(place: ConversationPlace, onState: (state: SessionState) => void): Disposable;
  /** A conversation was added, changed or removed, by any process. */
  readonly onChange: Event<void>;
  /** Reads what there is. Resolves when the other functions know it; concurrent calls share one. Never rejects: what cannot be read is missing. */
  load(): Promise<void>;
  /** @param cwds absolute; a conversation of one of these folders has it as its `cwd` */
  inFolders(cwds: readonly string[]): readonly SavedConversation[];
  get(id: string): SavedConversation | undefined;
  /** The conversation that is at this session, or went on from it. @param createdAt absent: the newest */
  find(key: {
    readonly agentId: string;
    readonly sessionId: string;
    readonly createdAt?: number | undefined;
  }): SavedConversation | undefined;
  /** @param cwd where nothing is saved of it yet */
  change(id: string, cwd: string, change: SavedChange): void;
  /** No list shows it any more. It is really removed when this process ends; until then `restore` brings it back. @returns false where there is none */
  delete(id: string): boolean;
  restore(id: string): boolean;
  /** Really removes what was deleted. Called when every agent has ended. */
  end(): Promise<void>;
}
