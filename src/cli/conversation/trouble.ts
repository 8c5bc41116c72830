/** What prevents a conversation from continuing, and how to report it. */
import { type ConversationContext, type ConversationState, type HostErrorData, stripControls } from '../../core/index.js';
import type { CliError } from '../output/errorText.js';

export type Trouble =
  /** The agent is running but can't resume the session. `context` is what a new session could get. */
  | {
      readonly type: 'refused';
      readonly sessionId: string;
      readonly error: HostErrorData;
      readonly context: ConversationContext | undefined;
    }
  /** The agent is not running and is not restarted automatically. */
  | { readonly type: 'gone'; readonly error: HostErrorData };

/** Returns undefined while the session accepts prompts, or will do so without help. Call this once the conversation was opened. */
export function troubleOf(state: ConversationState): Trouble | undefined {
  const { live, isRestored, opening, sending, session, status, blocker } = state;
  // The end of an interrupted turn comes first, also after the loss of an engine, of which the next one has to read it.
  if (live || !isRestored || opening !== undefined || sending !== undefined) return undefined;
  if (blocker?.type === 'resume_refused') {
    return { type: 'refused', sessionId: blocker.sessionId, error: blocker.error, context: blocker.offer };
  }
  if (blocker !== undefined) return { type: 'gone', error: blocker.error };
  if (session === undefined) return undefined;
  if (status.state === 'failed') return { type: 'gone', error: status.error };
  if (status.state !== 'stopped') return undefined;
  // Nobody saw it end: it went with its engine, which the end of the turn says.
  const end = status.exit === undefined ? session.items.findLast((item) => item.kind === 'turn_end') : undefined;
  return { type: 'gone', error: end?.outcome.type === 'interrupted' ? end.outcome.error : { code: 'agent_exited', params: {} } };
}

/** Whether resuming was tried, and not only prevented by an agent that exited normally. */
export function isResumeFailed({ blocker, status }: ConversationState): boolean {
  return blocker !== undefined || status.state !== 'stopped';
}

/** Reports that the agent doesn't resume a session that was open in this process. */
export function toResumeError(error: CliError): CliError {
  return { ...error, message: `The session could not be resumed: ${error.message}` };
}

/** Names the option of the command line that could not be set; returns any other error unchanged. */
export function toOptionError(error: CliError, agentLabel: string): CliError {
  const { reason, option, value, offered } = error.data;
  if (!Array.isArray(offered)) return error;
  const message =
    reason === 'option_unavailable'
      ? stripControls(unavailable(String(option), String(value), offered.map(String), agentLabel))
      : error.message;
  return { code: error.code, message, data: { option, ...(value !== undefined && { value }), offered } };
}

function unavailable(option: string, value: string, offered: readonly string[], agentLabel: string): string {
  if (offered.length > 0) return `"${value}" is not an option for ${option}. The agent offers: ${offered.map(inList).join(', ')}`;
  if (option === 'mode') return `${agentLabel} has no modes`;
  return option === 'model' ? `${agentLabel} does not offer a choice of models` : `"${value}" is not an option for ${option}`;
}

/** Names of models may contain commas and spaces. */
function inList(value: string): string {
  return /[\s,]/.test(value) ? `"${value}"` : value;
}
