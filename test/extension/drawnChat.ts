/** The chat's view of a conversation, for tests. */
import { chatViewSchema } from '../../src/contract/view.js';
import {
  type ConversationState,
  emptyConversation,
  emptySession,
  reduceAll,
  type SessionEvent,
  type SessionState,
} from '../../src/core/index.js';
import { chatDrawer, type ChatInput } from '../../src/extension/chat/viewModel.js';

export const start = 1_000_000;
export const turn: SessionEvent = { type: 'turn_started', at: start, turnId: 't1', content: [{ type: 'text', text: 'do it' }] };

export function sessionOf(...events: readonly SessionEvent[]): SessionState {
  return reduceAll(emptySession('s1', '/home/me/project', start), events);
}

export function conversation(change: Partial<ConversationState> = {}): ConversationState {
  return {
    ...emptyConversation('one', '/home/me/project'),
    agent: { id: 'agentao', label: 'agentao', isFallback: false },
    status: { state: 'ready' },
    session: sessionOf(),
    live: true,
    isRestored: true,
    ...change,
  };
}

export function draw(change: Partial<ConversationState>, rest: Partial<ChatInput> = {}) {
  const drawn = drawUnparsed(conversation(change), rest);
  chatViewSchema.parse(drawn.view);
  return drawn;
}

/** Does only what the extension does, for measurements. */
export function drawUnparsed(state: ConversationState, rest: Partial<ChatInput> = {}) {
  return chatDrawer()({ conversation: state, prompts: [], closed: undefined, chips: [], quietAfterMs: 60_000, now: start, ...rest });
}
