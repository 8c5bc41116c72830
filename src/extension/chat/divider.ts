/** The line between what was said with an agent and what is said with one that took no part in it. */
import type { ItemView } from '../../contract/view.js';
import { isContextBlock, type SessionState } from '../../core/index.js';
import { viewIdOf } from './itemView.js';

type Divider = Extract<ItemView, { kind: 'notice' }>;
type Knows = 'nothing' | 'context' | 'context_to_come';

/** @returns a function that answers for the same line with the same view */
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

const words: Readonly<Record<Knows, (agent: string) => Pick<Divider, 'title' | 'description'>>> = {
  nothing: (agent) => ({ title: `${agent} starts fresh here`, description: 'It knows nothing of what is said above.' }),
  context: (agent) => ({
    title: `${agent} goes on here`,
    description: 'Of what is said above it knows only the text that went with the message below.',
  }),
  context_to_come: (agent) => ({
    title: `${agent} goes on here`,
    description: 'Of what is said above it will know only the text that goes with your next message.',
  }),
};

function divider(above: SessionState, agent: string, knows: Knows): Divider {
  return { kind: 'notice', id: viewIdOf(above, 'divider'), severity: 'info', buttons: [], at: above.createdAt, ...words[knows](agent) };
}
