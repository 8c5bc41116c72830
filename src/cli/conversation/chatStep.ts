/** What a chat does next, as its conversation is. */
import { type ContentBlock, type ConversationState, isSettled } from '../../core/index.js';
import type { ChatState } from '../frontEnds/chatFrontEnd.js';
import { type Trouble, troubleOf } from './trouble.js';

export type ChatStep =
  /** Somebody has to choose how to continue. */
  | { readonly type: 'choose'; readonly trouble: Trouble }
  /** The agent wants a sign-in instead of taking the last prompt; the next one may do without. */
  | { readonly type: 'drop_refused' }
  /** What is held is not held by anybody any more. */
  | { readonly type: 'release' }
  | { readonly type: 'exit' }
  | { readonly type: 'wait'; readonly shown: ChatState };

/** @param isLast no more input will come, so an interrupted prompt is skipped */
export function nextStep(state: ConversationState, isLast: boolean): ChatStep {
  const { interrupted, outbox, blocker, live } = state;
  const trouble = troubleOf(state);
  if (trouble !== undefined) return { type: 'choose', trouble };
  if (live && blocker !== undefined) return { type: 'drop_refused' };
  if (interrupted !== undefined) {
    if (isLast) return { type: 'release' };
    return { type: 'wait', shown: { type: 'interrupted', prompt: textOf(interrupted.content), queued: outbox.length } };
  }
  if (outbox.some(({ held }) => held !== undefined)) return { type: 'release' };
  if (!isSettled(state)) return { type: 'wait', shown: { type: 'running' } };
  return isLast ? { type: 'exit' } : { type: 'wait', shown: { type: 'idle' } };
}

/** A prompt is being sent, or its turn is running. */
export function isPrompted({ sending, outbox, opening, blocker }: ConversationState): boolean {
  if (sending !== undefined) return true;
  return opening === undefined && blocker === undefined && outbox.some(({ held }) => held === undefined);
}

function textOf(content: readonly ContentBlock[]): string {
  return content.map((block) => (block.type === 'text' ? block.text : '')).join('');
}
