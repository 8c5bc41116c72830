/** Determines how a turn ended from the last message of its runs. */
import { failureReason } from '../../rpc/failureReason.js';
import type { StopReason } from '../../session/model.js';
import type { PromptResult } from '../agentBackend.js';
import type { RunFacts } from './piTranscript.js';

const stopReasons: Readonly<Record<string, StopReason>> = { length: 'max_tokens', aborted: 'cancelled' };

/** @returns `failure` has the agent's own words, not redacted */
export function resultOf({ usage, last }: RunFacts, isCancelled: boolean): PromptResult | { readonly failure: string } {
  const reason = last?.stopReason ?? 'stop';
  if (reason === 'error' && !isCancelled) return { failure: failureReason({ code: 0, message: last?.errorMessage ?? '' }) };
  const stopReason = isCancelled ? 'cancelled' : ((Object.hasOwn(stopReasons, reason) ? stopReasons[reason] : undefined) ?? 'end_turn');
  return usage === undefined ? { stopReason } : { stopReason, usage };
}
