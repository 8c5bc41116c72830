/** Why a turn ended before its work was done, although nothing failed. */
import type { StopReason } from '../core/index.js';

/** Undefined for a regular end. */
export const stopText: Readonly<Record<StopReason, string | undefined>> = {
  end_turn: undefined,
  max_tokens: 'The answer is incomplete: the model reached its token limit.',
  max_turn_requests: 'The agent stopped: it reached its limit of steps per turn.',
  refusal: 'The agent refused to continue. Your prompt and everything after it are not part of the conversation.',
  cancelled: 'The turn was canceled.',
};
