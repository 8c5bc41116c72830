/**
 * Commands that change the session of a conversation and its agent: a replacement for a session that was not resumed, another agent, and
 * what was saved when the conversation was closed.
 */
import { toHostError } from '../base/errors.js';
import { type CommandResult, type ConversationCommand, done, refuse } from './commands.js';
import { type ConversationParts, openAndSend, stopWaiting } from './conversationParts.js';
import type { ConversationPlace } from './ports.js';
import type { SessionKey } from './state.js';

export function replaceSession(
  parts: ConversationParts,
  { type, waiting }: Extract<ConversationCommand, { type: 'continue_with_context' | 'start_fresh' }>,
): Promise<CommandResult> {
  const { recovery, thread, delivery, outbox, context } = parts;
  recovery.abort();
  delivery.leaveAgentQueue(thread.session);
  thread.archiveCurrent();
  delivery.leave();
  if (waiting === 'hold') outbox.hold('context_lost');
  context.clear();
  if (type === 'continue_with_context') context.stage();
  return openAndSend(parts);
}

export async function restart(
  parts: ConversationParts,
  { ifStarted }: Extract<ConversationCommand, { type: 'restart' }>,
): Promise<CommandResult> {
  if (ifStarted === true && parts.agent.host === undefined) return done;
  parts.signIn.abort();
  await parts.agent.retire();
  return openAndSend(parts);
}

/** Tries again, with a new process if the agent's configuration changed. */
export async function retry(parts: ConversationParts): Promise<CommandResult> {
  if (await parts.agent.isOutdated(parts.agentId())) await parts.agent.retire();
  return openAndSend(parts);
}

export async function changeAgent(parts: ConversationParts, agentId: string | undefined): Promise<CommandResult> {
  const { thread, recovery, outbox, context, delivery, options } = parts;
  if (thread.boundAgentId !== undefined) return refuse('agent_bound');
  parts.wantAgent(agentId);
  stopWaiting(parts);
  thread.leave();
  delivery.leave();
  recovery.clear();
  outbox.returnAll();
  options.clear();
  context.clear();
  // What is sent from here on waits for the end of the agent that is left.
  await parts.agent.release();
  return refreshAgent(parts);
}

export async function signIn(parts: ConversationParts, methodId: string): Promise<CommandResult> {
  const { host } = parts.agent;
  if (host === undefined) return refuse('agent_not_running');
  await parts.signIn.run(host, methodId);
  return done;
}

/** The other conversations with the agent learn it from its answer to what they ask next. */
export async function signOut({ agent: { host }, recovery, signIn: attempt }: ConversationParts): Promise<CommandResult> {
  if (host === undefined) return refuse('agent_not_running');
  attempt.abort();
  await host.signOut();
  const { authMethods = [] } = host.info ?? {};
  recovery.block({ type: 'sign_in', error: { code: 'auth_required', params: { authMethods } } });
  return done;
}

/** Determines again which agent would start, unless one is running. */
export async function refreshAgent(parts: ConversationParts): Promise<CommandResult> {
  const { recovery } = parts;
  const { blocker } = recovery;
  if (blocker?.type === 'failed' && blocker.error.code === 'agent_not_found' && parts.outbox.all.length === 0) recovery.clear(blocker);
  await lookForAgent(parts);
  return recovery.blocker === undefined ? done : { ok: false, error: recovery.blocker.error };
}

/**
 * Shows the conversation as it was left, and holds for the user what was not sent.
 * @param first the agent's session with which it begins, if nothing of it is saved
 */
export async function restore(parts: ConversationParts, first: SessionKey | undefined): Promise<void> {
  const { ports, recovery, outbox, draft, thread } = parts;
  let changes: Promise<void> | undefined;
  try {
    const record = ports.recall();
    // A new conversation has changed nothing.
    if (record !== undefined) changes = ports.changes?.load();
    if (record?.place !== undefined) await restorePlace(parts, record.place);
    else if (first !== undefined) thread.name(first);
    if (record !== undefined) {
      outbox.restore(record.outbox, record.returned, thread.state);
      draft.restore(record.draft);
    }
  } catch (error) {
    recovery.block({ type: 'failed', error: toHostError(error, 'storage_failed').toData() });
  }
  await Promise.all([lookForAgent(parts), changes]);
}

async function restorePlace({ ports, thread, recovery, context }: ConversationParts, place: ConversationPlace): Promise<void> {
  try {
    const sessions = await ports.readSessions();
    const last = sessions.at(-1);
    const isOver = last?.createdAt === place.over;
    thread.show(place.agentId, isOver ? undefined : last, isOver ? sessions : sessions.slice(0, -1));
  } catch (error) {
    recovery.block({ type: 'failed', error: toHostError(error, 'storage_failed').toData() });
  }
  // What is not saved here, the agent may still have. A session that was replaced stays replaced.
  if (place.over === undefined && thread.state === undefined) thread.name(place);
  if (place.withContext) context.stage(place.fork);
}

async function lookForAgent(parts: ConversationParts): Promise<void> {
  try {
    await parts.agent.look(parts.agentId());
  } catch (error) {
    parts.recovery.block({ type: 'failed', error: toHostError(error).toData() });
  }
}
