/** What each command does with the parts of a conversation: first those about prompts, then those about the session and its agent. */
import { toHostError } from '../base/errors.js';
import type { Session } from '../host/api.js';
import type { ChangesInFolders } from '../services/changes/changesInFolders.js';
import { lateWorkOf } from '../session/lateWork.js';
import type { ContentBlock } from '../session/model.js';
import type { UserRequest } from '../session/userRequest.js';
import type { AgentHandle, SignInAttempt } from './agentHandle.js';
import { type CommandResult, type ConversationCommand, done, refuse } from './commands.js';
import { type EarlierContext, isContextBlock, withoutContext } from './context.js';
import type { Delivery } from './delivery.js';
import { changeDraft, type DraftContent } from './draft.js';
import type { Outbox } from './outbox.js';
import type { ConversationPlace, ConversationPorts } from './ports.js';
import type { Recovery } from './recovery.js';
import type { OptionChanges } from './optionChanges.js';
import type { HoldReason, SessionKey } from './state.js';
import type { Thread } from './thread.js';

/** The parts of a conversation, which its commands work on. */
export interface ConversationParts {
  readonly ports: ConversationPorts;
  readonly agent: AgentHandle;
  readonly thread: Thread;
  readonly signIn: SignInAttempt;
  readonly recovery: Recovery;
  /** What the agent asks outside of its session, oldest first. */
  readonly requests: { all: readonly UserRequest[] };
  readonly context: EarlierContext;
  readonly outbox: Outbox;
  /** What the user is writing. Keeps its identity as long as nothing changed. */
  readonly draft: { content: DraftContent };
  readonly options: OptionChanges;
  readonly delivery: Delivery;
  /** Where the conversation is, if what is saved of it could not be read. */
  unread?: ConversationPlace | undefined;
  /** By turn, the ID of the prompt with which it was last sent again. */
  readonly resent: Map<string, string>;
  /** The configured agent. If undefined, the agent that the user chose is used. */
  agentId(): string | undefined;
  wantAgent(id: string | undefined): void;
}

/**
 * @returns the result, or that the command is refused
 * @throws HostError what the agent answers, or `changes_unknown`
 */
export function executeCommand(parts: ConversationParts, command: ConversationCommand): CommandResult | Promise<CommandResult> {
  switch (command.type) {
    case 'send':
      return send(parts, command);
    case 'release_held':
      return releaseHeld(parts, command.why, command.ids);
    case 'retry':
      return retry(parts);
    case 'open':
      return openAndSend(parts);
    case 'retry_now':
      parts.agent.host?.retryNow();
      return done;
    case 'retry_turn':
      return resendTurn(parts, command.turnId);
    case 'edit_turn':
      return returnTurn(parts, command.turnId);
    case 'resend_interrupted':
      return resendInterrupted(parts, command.content);
    case 'move_queued':
      return moveQueued(parts, command.promptId, command.before);
    case 'send_queued':
      return sendQueued(parts, command);
    case 'unqueue':
      return unqueue(parts, command.promptId);
    case 'write_draft':
    case 'add_chip':
    case 'remove_chips':
      parts.draft.content = changeDraft(parts.draft.content, command);
      return done;
    case 'take_returned':
      return { ok: true, ids: parts.outbox.takeReturned(command.promptIds) };
    case 'cancel':
      return cancel(parts, command.scope);
    case 'stop_command':
      return stopCommand(parts, command.itemId);
    case 'stop_subagent':
      return stopSubagent(parts, command.subagentId);
    case 'force_stop':
      return forceStop(parts);
    case 'answer_request':
      return answer(parts, command);
    case 'set_option':
      return inSession(parts, (session) => parts.options.set(session, command.optionId, command.value));
    case 'choose_option':
      return inSession(parts, (session) => parts.options.choose(session, command.wish).then(() => true));
    case 'review_changes':
      return reviewed(parts, (changes) => changes.review(command.ids, command.paths));
    case 'review_again':
      return reviewed(parts, (changes) => changes.reviewAgain(command.set, command.path));
    case 'review_hunk':
      return reviewed(parts, (changes) => changes.reviewHunk(command.set, command.path, command.hunk));
    case 'clear_context':
      parts.context.clear();
      return done;
    case 'continue_with_context':
    case 'start_fresh':
      return replaceSession(parts, command);
    case 'restart':
      return restart(parts, command);
    case 'change_agent':
      return changeAgent(parts, command.agentId);
    case 'refresh_agent':
      return refreshAgent(parts);
    case 'sign_in':
      return signIn(parts, command.methodId);
    case 'cancel_sign_in':
      parts.signIn.abort();
      return done;
    case 'sign_out':
      return signOut(parts);
  }
}

async function openAndSend(parts: ConversationParts): Promise<CommandResult> {
  const error = await parts.recovery.open();
  return error === undefined ? done : { ok: false, error };
}

/** Ends the waits for the agent to start, to open a session and to sign the user in. */
export function stopWaiting({ recovery, signIn }: ConversationParts): void {
  recovery.abort();
  signIn.abort();
}

/** Sends what is ready, and tries again what prevented the rest. */
function sendReady(parts: ConversationParts): void {
  parts.recovery.blocker = undefined;
  parts.delivery.advance();
}

function send(parts: ConversationParts, command: Extract<ConversationCommand, { type: 'send' }>): CommandResult {
  const { id, content, order, before, delivery: kind } = command;
  const { outbox, delivery, thread } = parts;
  const session = thread.liveSession;
  if (kind !== undefined && session !== undefined && session.state.turn.type !== 'idle') {
    if (session.whileRunning.deliveries.includes(kind)) {
      delivery.join(session, outbox.create(content, undefined, id), kind);
      return done;
    }
    if (kind === 'steer') return { ok: false, error: { code: 'unsupported', params: { reason: 'delivery' } } };
  }
  const waits = order === 'after_held' && (delivery.interrupted !== undefined || outbox.isHolding);
  const prompt = outbox.create(content, waits ? 'turn_interrupted' : undefined, id);
  outbox.add(prompt, before);
  if (!waits) sendReady(parts);
  return { ok: true, ids: [prompt.id] };
}

/** Answers a request of the agent, and tells it what to do instead. */
function answer(parts: ConversationParts, answered: Extract<ConversationCommand, { type: 'answer_request' }>): CommandResult {
  const { agent, thread, delivery, outbox, requests } = parts;
  const { session } = thread;
  const { requestId, answer: given, by, feedback = '' } = answered;
  if (requests.all.some(({ id }) => id === requestId)) return agent.host?.answer(requestId, given, by) ? done : refuse('request_closed');
  if (session === undefined || !session.answer(requestId, given, by)) return refuse('request_closed');
  if (feedback.trim() === '') return done;
  const content = [{ type: 'text', text: feedback }] as const;
  if (session.whileRunning.deliveries.includes('steer')) delivery.join(session, outbox.create(content), 'steer');
  else {
    outbox.addFirst(content);
    sendReady(parts);
  }
  return done;
}

function releaseHeld(parts: ConversationParts, why?: HoldReason, ids?: readonly string[]): CommandResult {
  if (why === undefined || why === 'turn_interrupted') parts.delivery.interrupted = undefined;
  parts.outbox.release(why, ids);
  sendReady(parts);
  return done;
}

interface EarlierTurn {
  readonly turnId: string;
  /** Undefined: there is no such turn. */
  readonly content: readonly ContentBlock[] | undefined;
}

/**
 * A repeat of the command does nothing while its prompt is waiting or being sent.
 *
 * @param isInterrupted prompts that were queued behind the turn wait for it
 */
function resend(parts: ConversationParts, { turnId, content }: EarlierTurn, isInterrupted: boolean): CommandResult {
  const { resent, outbox, delivery } = parts;
  const before = resent.get(turnId);
  if (before !== undefined && [delivery.sending, ...outbox.all].some((prompt) => prompt?.id === before)) return { ok: true, ids: [before] };
  if (content === undefined) return refuse('turn_unknown');
  if (content.some(isContextBlock)) parts.context.stage();
  forgetWaiting(parts, turnId);
  const { id } = outbox.addFirst(withoutContext(content));
  resent.set(turnId, id);
  if (isInterrupted) releaseHeld(parts, 'turn_interrupted');
  else sendReady(parts);
  return { ok: true, ids: [id] };
}

function resendTurn(parts: ConversationParts, turnId: string): CommandResult {
  return resend(parts, { turnId, content: parts.thread.promptOf(turnId)?.content }, interruptedTurn(parts)?.turnId === turnId);
}

function resendInterrupted(parts: ConversationParts, edited: readonly ContentBlock[] | undefined): CommandResult {
  const interrupted = interruptedTurn(parts);
  if (interrupted === undefined) return refuse('nothing_interrupted');
  return resend(parts, { ...interrupted, content: edited ?? interrupted.content }, true);
}

function interruptedTurn({ delivery, thread }: ConversationParts): EarlierTurn | undefined {
  if (delivery.interrupted !== undefined) return delivery.interrupted;
  // A turn from an earlier run of the front end.
  const last = thread.state?.items.findLast((item) => item.kind === 'turn_end');
  if (last?.outcome.type !== 'interrupted') return undefined;
  return { turnId: last.turnId, content: thread.promptOf(last.turnId)?.content };
}

function moveQueued({ outbox }: ConversationParts, promptId: string, before: string | undefined): CommandResult {
  if (before === promptId) return done;
  const prompt = outbox.remove(promptId);
  if (prompt === undefined) return refuse('prompt_gone');
  outbox.add(prompt, before);
  return done;
}

function sendQueued(parts: ConversationParts, { promptId, turnId }: Extract<ConversationCommand, { type: 'send_queued' }>): CommandResult {
  const { outbox, delivery, thread } = parts;
  const before = outbox.following(promptId);
  const prompt = outbox.remove(promptId);
  if (prompt === undefined) return refuse('prompt_gone');
  const session = thread.liveSession;
  const turn = session?.state.turn;
  if (session !== undefined && turn?.type === 'running' && session.whileRunning.deliveries.includes('steer')) {
    delivery.join(session, { ...prompt, held: undefined }, 'steer', before);
    return done;
  }
  outbox.putBack(prompt);
  if (turn?.type === 'running' && turn.turnId === turnId) session?.cancel();
  sendReady(parts);
  return done;
}

/** @throws HostError `request_failed` if the agent refuses */
async function unqueue({ outbox, thread, delivery }: ConversationParts, promptId: string): Promise<CommandResult> {
  if (outbox.remove(promptId) !== undefined) return done;
  if (thread.state?.queue.some(({ id }) => id === promptId) !== true) return refuse('prompt_gone');
  if (thread.session?.whileRunning.canUnqueue !== true) return { ok: false, error: { code: 'unsupported', params: { reason: 'queue' } } };
  await delivery.unqueue(thread.session, promptId);
  return done;
}

/** Returns the text to the composer. The history is sent with the next prompt again. */
function returnTurn(parts: ConversationParts, turnId: string): CommandResult {
  const content = parts.thread.promptOf(turnId)?.content;
  if (content === undefined) return refuse('turn_unknown');
  if (content.some(isContextBlock)) parts.context.stage();
  forgetWaiting(parts, turnId);
  parts.outbox.returnPrompt(parts.outbox.create(withoutContext(content)));
  return done;
}

/** If the agent did not get the prompt of a turn, it is already waiting. */
function forgetWaiting({ thread, outbox }: ConversationParts, turnId: string): void {
  const waiting = thread.promptOf(turnId)?.promptId;
  if (waiting !== undefined) outbox.remove(waiting);
}

function cancel(parts: ConversationParts, scope: 'turn' | 'everything'): CommandResult {
  const { delivery, thread, recovery, agent, outbox } = parts;
  if (scope === 'turn') {
    delivery.cancelTurn(thread.session, recovery.since !== undefined || agent.host?.status.state === 'reconnecting');
    return done;
  }
  recovery.abort();
  stopStarting(parts);
  delivery.stopJoining();
  outbox.returnReady();
  thread.session?.cancel();
  thread.session?.stopLateWork();
  return done;
}

async function stopCommand({ thread }: ConversationParts, itemId: string): Promise<CommandResult> {
  return (await thread.session?.stopCommand(itemId)) === true ? done : refuse('command_ended');
}

async function forceStop(parts: ConversationParts): Promise<CommandResult> {
  stopWaiting(parts);
  await parts.agent.host?.stop({ force: true });
  return done;
}

/** Ends the wait for a session, which the agent may never open. Conversations that share the agent keep it. */
function stopStarting({ agent, thread }: ConversationParts): void {
  const { host } = agent;
  if (host === undefined || thread.liveSession !== undefined) return;
  const { status } = host;
  if (status.state === 'reconnecting') void host.stop();
  else if (status.state === 'starting' && ['session', 'next_minute'].includes(status.awaiting)) void agent.release();
}

function replaceSession(
  parts: ConversationParts,
  { type, waiting }: Extract<ConversationCommand, { type: 'continue_with_context' | 'start_fresh' }>,
): Promise<CommandResult> {
  const { recovery, thread, delivery, outbox, context } = parts;
  recovery.abort();
  parts.unread = undefined;
  delivery.leaveAgentQueue(thread.session);
  thread.archiveCurrent();
  delivery.leave();
  if (waiting === 'hold') outbox.hold('context_lost');
  context.clear();
  if (type === 'continue_with_context') context.stage();
  return openAndSend(parts);
}

async function restart(parts: ConversationParts, { ifStarted }: Extract<ConversationCommand, { type: 'restart' }>): Promise<CommandResult> {
  if (ifStarted === true && parts.agent.host === undefined) return done;
  parts.signIn.abort();
  await parts.agent.retire();
  return openAndSend(parts);
}

/**
 * Tries again, with a new process if the agent's configuration changed. The other conversations keep theirs, and so does this one while
 * something runs in it.
 */
async function retry(parts: ConversationParts): Promise<CommandResult> {
  const { agent, thread } = parts;
  const session = thread.session?.state;
  const isIdle = session === undefined || (session.turn.type === 'idle' && lateWorkOf(session).length === 0);
  if (isIdle && (await agent.isOutdated(parts.agentId()))) await agent.release();
  return openAndSend(parts);
}

async function changeAgent(parts: ConversationParts, agentId: string | undefined): Promise<CommandResult> {
  const { thread, recovery, outbox, context, delivery, options } = parts;
  if (thread.boundAgentId !== undefined) return refuse('agent_bound');
  parts.wantAgent(agentId);
  stopWaiting(parts);
  thread.leave();
  delivery.leave();
  recovery.blocker = undefined;
  outbox.returnAll();
  options.clear();
  context.clear();
  // What is sent from here on waits for the end of the agent that is left.
  await parts.agent.release();
  return refreshAgent(parts);
}

async function signIn(parts: ConversationParts, methodId: string): Promise<CommandResult> {
  const { host } = parts.agent;
  if (host === undefined) return refuse('agent_not_running');
  await parts.signIn.run(host, methodId);
  return done;
}

/** The other conversations with the agent learn it from its answer to what they ask next. */
async function signOut({ agent: { host }, recovery, signIn: attempt }: ConversationParts): Promise<CommandResult> {
  if (host === undefined) return refuse('agent_not_running');
  attempt.abort();
  await host.signOut();
  const { authMethods = [] } = host.info ?? {};
  recovery.blocker = { type: 'sign_in', error: { code: 'auth_required', params: { authMethods } } };
  return done;
}

async function refreshAgent(parts: ConversationParts): Promise<CommandResult> {
  const { recovery } = parts;
  const { blocker } = recovery;
  const mayBeOver = blocker?.type === 'failed' && (blocker.error.code === 'agent_not_found' || blocker.error.code === 'untrusted');
  if (mayBeOver && parts.outbox.all.length === 0) recovery.blocker = undefined;
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
      draft.content = record.draft;
    }
  } catch (error) {
    recovery.blocker = { type: 'failed', error: toHostError(error, 'storage_failed').toData() };
  }
  await Promise.all([lookForAgent(parts), changes]);
}

/** Never rejects. */
export async function restorePlace(parts: ConversationParts, place: ConversationPlace): Promise<void> {
  const { ports, thread, recovery, context, outbox } = parts;
  parts.unread = undefined;
  try {
    const sessions = await ports.readSessions();
    const last = sessions.at(-1);
    const isOver = last?.id === place.over;
    thread.show(place.agentId, isOver ? undefined : last, isOver ? sessions : sessions.slice(0, -1));
    outbox.dropSaid(thread.state);
  } catch (error) {
    parts.unread = place;
    recovery.blocker = { type: 'failed', error: toHostError(error, 'storage_failed').toData() };
  }
  // What is not saved here, the agent may still have. A session that was replaced stays replaced.
  if (place.over === undefined && thread.state === undefined) thread.name(place);
  if (place.withContext) context.stage(place.fork);
}

async function lookForAgent(parts: ConversationParts): Promise<void> {
  try {
    await parts.agent.look(parts.agentId());
  } catch (error) {
    parts.recovery.blocker = { type: 'failed', error: toHostError(error).toData() };
  }
}

function stopSubagent({ thread }: ConversationParts, subagentId: string): CommandResult {
  const session = thread.liveSession;
  if (session === undefined) return refuse('agent_not_running');
  session.stopSubagent(subagentId);
  return done;
}

async function inSession({ thread: { session } }: ConversationParts, act: (session: Session) => Promise<boolean>): Promise<CommandResult> {
  return session !== undefined && (await act(session)) ? done : refuse('option_unavailable');
}

/** @throws HostError `changes_unknown` */
async function reviewed({ ports }: ConversationParts, mark: (changes: ChangesInFolders) => Promise<void>): Promise<CommandResult> {
  if (ports.changes !== undefined) await mark(ports.changes);
  return done;
}
