/** Commands that send, resend or hold back prompts. */
import type { ContentBlock } from '../session/model.js';
import { type CommandResult, type ConversationCommand, done, refuse } from './commands.js';
import { isContextBlock, withoutContext } from './context.js';
import { type ConversationParts, sendReady, stopWaiting } from './conversationParts.js';
import { answerRequest, type RequestAnswered } from './sessionAccess.js';
import type { HoldReason } from './state.js';

export function send(
  parts: ConversationParts,
  { content, order, delivery: kind }: Extract<ConversationCommand, { type: 'send' }>,
): CommandResult {
  const { outbox, delivery, recovery } = parts;
  const session = recovery.liveSession;
  if (kind !== undefined && session !== undefined && session.state.turn.type !== 'idle') {
    if (session.whileRunning.deliveries.includes(kind)) {
      delivery.join(session, content, kind);
      return done;
    }
    if (kind === 'steer') return { ok: false, error: { code: 'unsupported', params: { reason: 'delivery' } } };
  }
  const waits = order === 'after_held' && (delivery.interrupted !== undefined || outbox.isHolding);
  const { id } = outbox.add(content, waits ? 'turn_interrupted' : undefined);
  if (!waits) sendReady(parts);
  return { ok: true, ids: [id] };
}

/** Answers a request of the agent, and tells it what to do instead. */
export function answer(parts: ConversationParts, answered: RequestAnswered): CommandResult {
  const { agent, thread, delivery, outbox, requests } = parts;
  const { session } = thread;
  const { requestId, answer: given, by } = answered;
  if (requests.all.some(({ id }) => id === requestId)) return agent.host?.answer(requestId, given, by) ? done : refuse('request_closed');
  if (session === undefined || !answerRequest(session, answered)) return refuse('request_closed');
  const { feedback = '' } = answered;
  if (feedback.trim() === '') return done;
  const content = [{ type: 'text', text: feedback }] as const;
  if (session.whileRunning.deliveries.includes('steer')) delivery.join(session, content, 'steer');
  else {
    outbox.addFirst(content);
    sendReady(parts);
  }
  return done;
}

/** @param why see ConversationCommand */
export function releaseHeld(parts: ConversationParts, why?: HoldReason, ids?: readonly string[]): CommandResult {
  if (why === undefined || why === 'turn_interrupted') parts.delivery.forgetInterrupted();
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

export function resendTurn(parts: ConversationParts, turnId: string): CommandResult {
  return resend(parts, { turnId, content: parts.thread.promptOf(turnId)?.content }, interruptedTurn(parts)?.turnId === turnId);
}

export function resendInterrupted(parts: ConversationParts, edited: readonly ContentBlock[] | undefined): CommandResult {
  const interrupted = interruptedTurn(parts);
  if (interrupted === undefined) return refuse('nothing_interrupted');
  return resend(parts, { ...interrupted, content: edited ?? interrupted.content }, true);
}

function interruptedTurn({ delivery, thread }: ConversationParts): EarlierTurn | undefined {
  if (delivery.interrupted !== undefined) return delivery.interrupted;
  // A turn from an earlier run of the front end.
  const last = thread.state?.items.findLast((item) => item.kind === 'turn_end');
  if (last?.kind !== 'turn_end' || last.outcome.type !== 'interrupted') return undefined;
  return { turnId: last.turnId, content: thread.promptOf(last.turnId)?.content };
}

/** @throws HostError `request_failed` if the agent refuses */
export async function unqueue({ outbox, thread, delivery }: ConversationParts, promptId: string): Promise<CommandResult> {
  if (outbox.remove(promptId) !== undefined) return done;
  if (thread.state?.queue.some(({ id }) => id === promptId) !== true) return refuse('prompt_gone');
  if (thread.session?.whileRunning.canUnqueue !== true) return { ok: false, error: { code: 'unsupported', params: { reason: 'queue' } } };
  await delivery.unqueue(thread.session, promptId);
  return done;
}

/** Returns the text to the composer. The history is sent with the next prompt again. */
export function returnTurn(parts: ConversationParts, turnId: string): CommandResult {
  const content = parts.thread.promptOf(turnId)?.content;
  if (content === undefined) return refuse('turn_unknown');
  if (content.some(isContextBlock)) parts.context.stage();
  forgetWaiting(parts, turnId);
  parts.outbox.returnContent(withoutContext(content));
  return done;
}

/** If the agent did not get the prompt of a turn, it is already waiting. */
function forgetWaiting({ thread, outbox }: ConversationParts, turnId: string): void {
  const waiting = thread.promptOf(turnId)?.promptId;
  if (waiting !== undefined) outbox.remove(waiting);
}

export function cancel(parts: ConversationParts, scope: 'turn' | 'everything'): CommandResult {
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

export async function stopCommand({ thread }: ConversationParts, itemId: string): Promise<CommandResult> {
  return (await thread.session?.stopCommand(itemId)) === true ? done : refuse('command_ended');
}

export async function forceStop(parts: ConversationParts): Promise<CommandResult> {
  stopWaiting(parts);
  await parts.agent.host?.stop({ force: true });
  return done;
}

/** Ends the wait for a session, which the agent may never open. Conversations that share the agent keep it. */
function stopStarting({ agent, recovery }: ConversationParts): void {
  const { host } = agent;
  if (host === undefined || recovery.liveSession !== undefined) return;
  const { status } = host;
  if (status.state === 'reconnecting') void host.stop();
  else if (status.state === 'starting' && ['session', 'next_minute'].includes(status.awaiting)) void agent.release();
}
