/** The conversations of the engine, and how a command names one. */
import type { ConversationListEntry, EngineClient } from '../../core/index.js';
import { usageError } from '../arguments/usageError.js';
import { matching } from './saved.js';

/** `waiting`: for the user. */
export type ConversationStatus = 'running' | 'waiting' | 'interrupted' | 'idle';

/** Returns undefined for a conversation that is not open. */
export function statusOf({ activity, worksLate, isOnHold, since }: ConversationListEntry): ConversationStatus | undefined {
  if (since === undefined) return undefined;
  if (activity === 'busy' || activity === 'opening') return 'running';
  if (activity === 'needs_input' || activity === 'blocked') return 'waiting';
  if (worksLate === true) return 'running';
  return activity === 'interrupted' || isOnHold ? 'interrupted' : 'idle';
}

/** Whether something runs in it, or waits for the user. */
export function isActive(entry: ConversationListEntry): boolean {
  const status = statusOf(entry);
  return status === 'running' || status === 'waiting';
}

/**
 * @param wanted the ID of a conversation or of its session, or the beginning of one of them
 * @throws HostError `usage` for no match or several
 */
export function findConversation({ list }: EngineClient, wanted: string): ConversationListEntry {
  const newest = [...list.state.conversations].sort((a, b) => b.usedAt - a.usedAt);
  const [found, ...others] = matching(newest, wanted, ({ id, sessionId }) => (sessionId === undefined ? [id] : [id, sessionId]));
  if (found === undefined)
    throw usageError(`No conversation has the ID "${wanted}". List the IDs with \`acp-host status\` or \`acp-host sessions\``);
  if (others.length > 0)
    throw usageError(`"${wanted}" matches ${others.length + 1} conversations: ${[found, ...others].map(({ id }) => id).join(', ')}`);
  return found;
}

/**
 * Returns the only conversation in which something runs or waits.
 * @throws HostError `usage` for none or several
 */
export function onlyActive({ list }: EngineClient): ConversationListEntry {
  const [found, ...others] = list.state.conversations.filter(isActive);
  if (found === undefined) throw usageError('Nothing runs. Name a conversation, or use --last for the one that was used last');
  if (others.length > 0)
    throw usageError(
      `Something runs in ${others.length + 1} conversations: ${[found, ...others].map(({ id }) => id).join(', ')}. Name one of them`,
    );
  return found;
}

/** @throws HostError `usage` if there is none */
export function lastUsed({ list }: EngineClient): ConversationListEntry {
  const [found] = [...list.state.conversations].sort((a, b) => Number(isActive(b)) - Number(isActive(a)) || b.usedAt - a.usedAt);
  if (found === undefined) throw usageError('There are no conversations yet');
  return found;
}

/**
 * Returns the conversation of this folder that was used last.
 * @param folder absolute, without symbolic links
 * @throws HostError `usage` if nothing was sent in the folder yet
 */
export function lastUsedIn({ list }: EngineClient, folder: string): ConversationListEntry {
  const here = list.state.conversations.filter((one) => one.folder === folder && one.sessionId !== undefined);
  const [found] = here.sort((a, b) => b.usedAt - a.usedAt);
  if (found === undefined)
    throw usageError(`There are no conversations in ${folder} yet. Name one, or use --last for the one that was used last`);
  return found;
}
