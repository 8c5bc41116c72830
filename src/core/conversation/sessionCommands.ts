/**
 * Commands that change the session on screen and its agent: new, earlier, a replacement for one that was not resumed, and the one from
 * before the front end was closed.
 */
import { type HostErrorData, toHostError } from '../base/errors.js';
import type { SessionState } from '../session/model.js';
import { type CommandResult, type ConversationCommand, done, refuse } from './commands.js';
import { type ConversationParts, leaveSession, openAndSend, stopWaiting } from './conversationParts.js';
import type { ConversationPlace } from './ports.js';
import type { SessionKey } from './state.js';

export async function newSession(parts: ConversationParts): Promise<CommandResult> {
  parts.screen.choose();
  leaveSession(parts);
  return parts.agent.host?.status.state === 'ready' ? openAndSend(parts) : done;
}

/** @throws HostError `storage_failed` */
export async function openEarlier(parts: ConversationParts, key: SessionKey): Promise<CommandResult> {
  const { thread, agent, ports, screen, opener } = parts;
  const { agentId, sessionId, createdAt } = key;
  const isWanted = screen.choose();
  if (thread.isAt(key)) return done;
  const known = agent.findHost(agentId)?.sessions.get(sessionId);
  const session = createdAt === undefined || known?.state.createdAt === createdAt ? known : undefined;
  // Until all of it is read, a prompt goes to the conversation that is still on screen.
  // What is open is newer than what is on disk.
  const saved =
    session === undefined
      ? await readSaved(parts, key)
      : { sessions: [...(await ports.readEarlier(agentId, session.state)), session.state] };
  if (!isWanted()) return done;
  if (agent.host !== undefined && agent.summary?.id !== agentId) {
    opener.abort();
    await agent.release();
    if (!isWanted()) return done;
  }
  leaveSession(parts);
  if (!show(parts, agentId, saved)) thread.name(key);
  await lookForAgent(parts);
  // The agent still has it open, so it returns as it is.
  return session?.live === true ? openAndSend(parts) : done;
}

export function replaceSession(
  parts: ConversationParts,
  { type, waiting }: Extract<ConversationCommand, { type: 'continue_with_context' | 'start_fresh' }>,
): Promise<CommandResult> {
  const { opener, thread, delivery, outbox, context, screen } = parts;
  screen.choose();
  opener.abort();
  delivery.leaveAgentQueue(thread.session, thread.isShared);
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
  const isWanted = parts.screen.choose();
  parts.wantAgent(agentId);
  // Also ends an attempt that would start the previous agent again.
  stopWaiting(parts);
  await parts.agent.release();
  if (!isWanted()) return done;
  leaveSession(parts);
  return refreshAgent(parts);
}

export async function signIn(parts: ConversationParts, methodId: string): Promise<CommandResult> {
  const { host } = parts.agent;
  if (host === undefined) return refuse('agent_not_running');
  await parts.signIn.run(host, methodId);
  return done;
}

/** Determines again which agent would start, unless one is running. */
export async function refreshAgent(parts: ConversationParts): Promise<CommandResult> {
  const { gate } = parts;
  const { blocker } = gate;
  if (blocker?.type === 'failed' && blocker.error.code === 'agent_not_found' && parts.outbox.all.length === 0) gate.clear(blocker);
  await lookForAgent(parts);
  return gate.blocker === undefined ? done : { ok: false, error: gate.blocker.error };
}

/** Shows the conversation as it was left, and holds for the user what was not sent. */
export async function restore(parts: ConversationParts): Promise<void> {
  const { ports, gate, outbox, draft, thread } = parts;
  try {
    const record = ports.recall();
    if (record?.place !== undefined) await restorePlace(parts, record.place);
    if (record !== undefined) {
      outbox.restore(record.outbox, record.returned, thread.state);
      draft.restore(record.draft);
    }
  } catch (error) {
    gate.block({ type: 'failed', error: toHostError(error, 'storage_failed').toData() });
  }
  await lookForAgent(parts);
}

async function restorePlace(parts: ConversationParts, place: ConversationPlace): Promise<void> {
  const { thread, gate, context } = parts;
  const { agentId, continues, withContext } = place;
  if (!show(parts, agentId, await readSaved(parts, place))) {
    if (gate.blocker !== undefined) thread.name(place);
    // A session without messages is not on disk.
    else thread.show(agentId, undefined, continues === undefined ? [] : await readOrNothing(parts, { agentId, sessionId: continues }));
  }
  if (withContext) context.stage();
}

interface Saved {
  /** Oldest first; empty if nothing is saved. */
  readonly sessions: readonly SessionState[];
  /** Why they can't be read. */
  readonly error?: HostErrorData;
}

async function readSaved({ ports }: ConversationParts, key: SessionKey): Promise<Saved> {
  try {
    return { sessions: await ports.readSaved(key) };
  } catch (error) {
    return { sessions: [], error: toHostError(error, 'storage_failed').toData() };
  }
}

/** @returns false if nothing of it is saved, or if it can't be read, which is the blocker then */
function show({ thread, gate }: ConversationParts, agentId: string, { sessions, error }: Saved): boolean {
  if (error !== undefined) gate.block({ type: 'failed', error });
  if (sessions.length > 0) thread.show(agentId, sessions.at(-1), sessions.slice(0, -1));
  return sessions.length > 0;
}

async function readOrNothing({ ports }: ConversationParts, key: SessionKey): Promise<readonly SessionState[]> {
  try {
    return await ports.readSaved(key);
  } catch (error) {
    ports.log.warn('Could not read the earlier sessions of a conversation', error);
    return [];
  }
}

async function lookForAgent(parts: ConversationParts): Promise<void> {
  try {
    await parts.agent.look(parts.agentId());
  } catch (error) {
    parts.gate.block({ type: 'failed', error: toHostError(error).toData() });
  }
}
