/** Determines how a turn ended from the last message of its runs. */
import { failureReason } from '../../rpc/failureReason.js';
import type { StopReason } from '../../session/model.js';
import type { PromptResult } from '../agentBackend.js';
import type { RunFacts } from './piTranscript.js';

const stopReasons: ReadonlyMap<string, StopReason> = new Map([
  ['stop', 'end_turn'],
  ['toolUse', 'end_turn'],
  ['length', 'max_tokens'],
  ['aborted', 'cancelled'],
]);

/**
 * A reason that is not known to be a success is a failure.
 * @returns `failure` has the agent's own words, not redacted
 */
export function resultOf({ usage, last }: RunFacts, isCancelled: boolean): PromptResult | { readonly failure: string } {
  const { stopReason: reason = 'stop', errorMessage = '' } = last ?? {};
  const stopReason = isCancelled ? 'cancelled' : stopReasons.get(reason);
  if (stopReason === undefined || (errorMessage !== '' && stopReason !== 'cancelled'))
    return { failure: failureReason({ code: 0, message: errorMessage === '' && reason !== 'error' ? reason : errorMessage }) };
  return usage === undefined ? { stopReason } : { stopReason, usage };
}
