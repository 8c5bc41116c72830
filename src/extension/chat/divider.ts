/** The line between a conversation and the new session that continues it. */
import type { ItemView } from '../../contract/view.js';
import { isContextBlock, type SessionState } from '../../core/index.js';
import { viewIdOf } from './itemView.js';

type Divider = Extract<ItemView, { kind: 'notice' }>;
type Knows = 'nothing' | 'context' | 'context_to_come';

/** @returns a function that returns the same view for the same line */
export function dividers(): (
  above: SessionState,
  below: SessionState | undefined,
  o: { readonly agent: string; readonly contextWaits: boolean },
) => ItemView {
  const known = new Map<string, Divider>();
  return (above, below, { agent, contextWaits }) => {
    const view = divider(above, agent, knowledge(below, contextWaits));
    const before = known.get(view.id);
    if (before?.description === view.description && before?.title === view.title) return before;
    known.set(view.id, view);
    return view;
  };
}

function knowledge(below: SessionState | undefined, contextWaits: boolean): Knows {
  if (contextWaits) return 'context_to_come';
  const carried =
    below?.items.some((item) => item.kind === 'message' && item.role === 'user' && item.content.some(isContextBlock)) === true;
  return carried ? 'context' : 'nothing';
}

const dividerText: Readonly<Record<Knows, (agent: string) => Pick<Divider, 'title' | 'description'>>> = {
  nothing: (agent) => ({ title: `${agent} started a new session`, description: "It doesn't know the conversation above." }),
  context: (agent) => ({
    title: `${agent} continued here`,
    description: 'It received only the text of the conversation above, with the message below.',
  }),
  context_to_come: (agent) => ({
    title: `${agent} continued here`,
    description: 'It will receive only the text of the conversation above, with your next message.',
  }),
};

function divider(above: SessionState, agent: string, knows: Knows): Divider {
  return {
    kind: 'notice',
    id: viewIdOf(above, 'divider'),
    severity: 'info',
    buttons: [],
    at: above.createdAt,
    ...dividerText[knows](agent),
  };
}
