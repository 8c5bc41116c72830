/** A state that another object or process replicates: a snapshot, numbered batches, and commands. Conversations and their list share this. */
import type { Disposable } from '../base/disposable.js';
import type { Event } from '../base/event.js';
import type { CommandResult, ConversationCommand } from './commands.js';
import type { ConversationListCommand, ConversationListEvent, ConversationListState } from './conversationList.js';
import type { ConversationEvent } from './events.js';
import type { ConversationState } from './state.js';

export interface Batch<Event> {
  readonly revision: number;
  readonly events: readonly Event[];
}

export interface Change<State, BatchEvent> {
  readonly state: State;
  /** The events that led to this state. Undefined if the state is a new snapshot: the events before it are unknown. */
  readonly events: readonly BatchEvent[] | undefined;
}

export interface Replica<State, BatchEvent, Command> extends Disposable {
  readonly state: State;
  readonly onChange: Event<Change<State, BatchEvent>>;
  /** Never rejects. When it resolves, the state includes the immediate effects of the command. */
  execute(command: Command): Promise<CommandResult>;
}

/** A front end's view of a conversation. */
export type ConversationClient = Replica<ConversationState, ConversationEvent, ConversationCommand>;

/** A front end's view of the list of conversations. */
export type ConversationListClient = Replica<ConversationListState, ConversationListEvent, ConversationListCommand>;
