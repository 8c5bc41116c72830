import type { Disposable } from '../base/disposable.js';
import type { ConversationCommand } from './commands.js';
import type { ConversationController } from './conversationController.js';
import { type ConversationListCommand, type ConversationListEvent, type ConversationListState, reduceList } from './conversationList.js';
import type { Conversations } from './conversations.js';
import { type ConversationEvent, reduceConversation } from './events.js';
import { createPortPair } from './portPair.js';
import { connect, follow, type Port, type Replica, serve, type ToClient, type ToServer } from './replica.js';
import type { ConversationState } from './state.js';

/** A front end's view of a conversation, which may run in another process. */
export type ConversationClient = Replica<ConversationState, ConversationEvent, ConversationCommand>;

/** The end of a connection at the conversation. */
export type ConversationServerPort = Port<ToServer<ConversationCommand>, ToClient<ConversationState, ConversationEvent>>;
/** The end of a connection at the front end. */
export type ConversationClientPort = Port<ToClient<ConversationState, ConversationEvent>, ToServer<ConversationCommand>>;

/** Serves the conversation until disposed. Any number of front ends can connect to one conversation. */
export function serveConversation(conversation: ConversationController, port: ConversationServerPort): Disposable {
  return serve(conversation, port);
}

/** Resolves with the first snapshot. */
export function connectConversation(port: ConversationClientPort): Promise<ConversationClient> {
  return connect(port, reduceConversation);
}

/** Connects a client in the same process. */
export function connectDirectly(conversation: ConversationController): ConversationClient {
  const [server, client] = createPortPair<ToServer<ConversationCommand>, ToClient<ConversationState, ConversationEvent>>();
  serveConversation(conversation, server);
  return follow(client, reduceConversation, conversation.state);
}

/** A front end's view of the list of conversations. */
export type ConversationListClient = Replica<ConversationListState, ConversationListEvent, ConversationListCommand>;

/** The end of a connection at the list of conversations. */
export type ConversationListServerPort = Port<ToServer<ConversationListCommand>, ToClient<ConversationListState, ConversationListEvent>>;
/** The end of a connection at the front end that shows the list. */
export type ConversationListClientPort = Port<ToClient<ConversationListState, ConversationListEvent>, ToServer<ConversationListCommand>>;

/** Serves the list until disposed. */
export function serveConversationList(conversations: Conversations, port: ConversationListServerPort): Disposable {
  return serve(conversations, port);
}

/** Resolves with the first snapshot. */
export function connectConversationList(port: ConversationListClientPort): Promise<ConversationListClient> {
  return connect(port, reduceList);
}
