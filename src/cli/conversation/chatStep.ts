/** Determines what a chat does next, from the state of its conversation. */
import { type ContentBlock, type ConversationState, isSettled } from '../../core/index.js';
import type { ChatState } from '../frontEnds/chatFrontEnd.js';
import { type Trouble, troubleOf } from './trouble.js';

export type ChatStep =
  /** The user has to choose how to continue. */
  | { readonly type: 'choose'; readonly trouble: Trouble }
  /** The agent requires a sign-in instead of accepting the last prompt; the next one may work without it. */
  | { readonly type: 'drop_refused' }
  /** The reason to hold prompts is gone. */
  | { readonly type: 'release' }
  | { readonly type: 'exit' }
  | { readonly type: 'wait'; readonly shown: ChatState };

/**
 * @param isHolding a prompt that was sent here is on hold
 * @param isLast no more input will come, so an interrupted prompt is skipped
 */
export function nextStep(state: ConversationState, isHolding: boolean, isLast: boolean): ChatStep {
  const { interrupted, outbox, blocker, live } = state;
  const trouble = troubleOf(state);
  if (trouble !== undefined) return { type: 'choose', trouble };
  if (live && blocker !== undefined) return { type: 'drop_refused' };
  if (interrupted !== undefined) {
    if (isLast) return { type: 'release' };
    return { type: 'wait', shown: { type: 'interrupted', prompt: textOf(interrupted.content), queued: outbox.length } };
  }
  if (isHolding) return { type: 'release' };
  if (!isSettled(state)) return { type: 'wait', shown: { type: 'running' } };
  return isLast ? { type: 'exit' } : { type: 'wait', shown: { type: 'idle' } };
}

/** Whether a prompt is being sent, or its turn is running. */
export function isPrompted({ sending, outbox, opening, blocker }: ConversationState): boolean {
  if (sending !== undefined) return true;
  return opening === undefined && blocker === undefined && outbox.some(({ held }) => held === undefined);
}

function textOf(content: readonly ContentBlock[]): string {
  return content.map((block) => (block.type === 'text' ? block.text : '')).join('');
}
