/** The list of conversations as its front ends see it: plain data, numbered batches, commands. */
import type { AgentSummary, ConversationState, SessionKey } from './state.js';

export interface ConversationListEntry {
  readonly id: string;
  /** Absolute. */
  readonly cwd: string;
  readonly agent: AgentSummary | undefined;
  readonly sessionId: string | undefined;
  /** The agent's name for it. */
  readonly title: string | undefined;
  readonly activity: 'idle' | 'opening' | 'busy' | 'needs_input' | 'blocked';
}

export interface ConversationListState {
  readonly revision: number;
  /** Oldest first. */
  readonly conversations: readonly ConversationListEntry[];
}

export type ConversationListEvent =
  | { readonly type: 'added'; readonly conversation: ConversationListEntry }
  | { readonly type: 'changed'; readonly conversation: ConversationListEntry }
  | { readonly type: 'removed'; readonly id: string };

export type ConversationListCommand =
  /** The result names the new conversation. @param agentId absent: the user's choice @param key an earlier session to show; absent: what the ports recall */
  | { readonly type: 'create'; readonly cwd: string; readonly agentId?: string; readonly key?: SessionKey }
  /** Ends its agent gracefully, unless others share it. */
  | { readonly type: 'close'; readonly id: string };

export interface ConversationListBatch {
  readonly revision: number;
  readonly events: readonly ConversationListEvent[];
}

export function reduceList(state: ConversationListState, { revision, events }: ConversationListBatch): ConversationListState {
  return { revision, conversations: events.reduce(apply, state.conversations) };
}

function apply(list: readonly ConversationListEntry[], event: ConversationListEvent): readonly ConversationListEntry[] {
  switch (event.type) {
    case 'added':
      return [...list, event.conversation];
    case 'changed':
      return list.map((one) => (one.id === event.conversation.id ? event.conversation : one));
    case 'removed':
      return list.filter(({ id }) => id !== event.id);
  }
}

export function toListEntry(state: ConversationState): ConversationListEntry {
  const { id, cwd, agent, session } = state;
  return { id, cwd, agent, sessionId: session?.sessionId, title: session?.title, activity: activityIn(state) };
}

function activityIn({ status, blocker, opening, sending }: ConversationState): ConversationListEntry['activity'] {
  if (blocker !== undefined) return 'blocked';
  if (status.state === 'waiting') return 'needs_input';
  if (opening !== undefined) return 'opening';
  return sending !== undefined || status.state === 'busy' ? 'busy' : 'idle';
}
