/** Before the process of an agent ends, the user decides about what ends with it. */
import { type ConversationListEntry, type ConversationState, lateWorkIn, workBesideTurn } from '../../core/index.js';
import { lateLossText } from '../../text/workText.js';
import type { OpenConversation, OpenConversations } from '../conversation/openConversations.js';
import { nameIn } from '../list/listRow.js';
import type { ActionScope } from './actionScope.js';

export type EndingScope = Pick<ActionScope, 'current' | 'confirm'> & {
  readonly parts: { readonly conversations: Pick<OpenConversations, 'list' | 'get'> };
};

/**
 * Asks if something of the agent runs that the user did not mean to end: in other conversations, or beside the turn of this one.
 * @param verb of the question and its button, e.g. "Restart"
 * @returns whether the process may end
 */
export async function mayEndAgent({ parts, current, confirm }: EndingScope, verb: string): Promise<boolean> {
  const here = current();
  const { session, live, agent } = here.conversation.state;
  const late = live && session !== undefined ? workBesideTurn(session) : [];
  const names = othersAtWork(parts.conversations, here).map((other) => `"${nameIn(other)}"`);
  if (late.length === 0 && names.length === 0) return true;
  const detail = [
    ...(late.length === 0 ? [] : [lateLossText(late)]),
    ...(names.length === 0 ? [] : [`What runs in other conversations is interrupted: ${names.join(', ')}.`]),
  ].join(' ');
  return confirm(`${verb} ${agent?.label ?? 'the agent'}?`, detail, verb);
}

/** Returns the other conversations in which something of the same agent runs, also those that this window has not opened. */
function othersAtWork(
  conversations: Pick<OpenConversations, 'list' | 'get'>,
  { folder, conversation, id }: OpenConversation,
): readonly ConversationListEntry[] {
  const agentId = conversation.state.agent?.id;
  return conversations.list.filter((entry) => {
    const isSameAgent = entry.cwd === folder.path && entry.agent?.id === agentId;
    return entry.id !== id && isSameAgent && works(entry, conversations.get(entry.id)?.conversation.state);
  });
}

/** @param open its state if this window has it open, which is newer than the row */
function works({ activity, worksLate }: ConversationListEntry, open: ConversationState | undefined): boolean {
  if (open === undefined) return activity === 'busy' || activity === 'needs_input' || worksLate === true;
  return (open.session !== undefined && open.session.turn.type !== 'idle') || lateWorkIn(open).length > 0;
}
