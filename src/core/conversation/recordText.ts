/** How a turn ended, for the agent that reads the record of a conversation, and for a user who reviews what the agent receives. */
import type { HostErrorCode, HostErrorData } from '../base/errors.js';
import type { StopReason, TurnOutcome } from '../session/model.js';

/** If a code can't end a turn, the cause is unknown. */
const causes: Partial<Readonly<Record<HostErrorCode, string>>> = {
  agent_exited: 'the agent was lost',
  auth_required: 'the agent required the user to sign in',
  session_unknown: 'the agent no longer knew the session',
  provider_failed: 'the model could not be called',
  request_failed: 'the agent reported an error without a reason',
  request_timeout: 'the agent did not answer in time',
  invalid_response: 'the agent sent an invalid response',
  invalid_message: 'the agent sent an invalid message',
  line_too_long: 'the agent sent a message that is too large',
  queue_full: 'the agent did not read what it was sent',
  key_refused: 'the server refused the key',
  connect_failed: 'the server could not be reached',
  cancelled: 'it was stopped',
  disposed: 'the program that showed the conversation was closed',
};

const stops: Readonly<Record<StopReason, string | undefined>> = {
  end_turn: undefined,
  cancelled: 'The user stopped the turn here.',
  max_tokens: 'The turn ended early: the model reached its token limit.',
  max_turn_requests: 'The turn ended early: the agent reached its limit of steps.',
  refusal: 'The turn ended early: the agent refused to continue.',
};

/** @returns undefined for an ordinary end */
export function endLine(outcome: TurnOutcome): string | undefined {
  switch (outcome.type) {
    case 'interrupted':
      return `The turn was interrupted here: ${causeOf(outcome.error)}`;
    case 'failed':
      return `The turn failed: ${causeOf(outcome.error)}`;
    case 'ended':
      return stops[outcome.stopReason];
  }
}

/** Uses the text of the failed component, if there is any. */
function causeOf({ code, params: { detail } }: HostErrorData): string {
  return detail ?? causes[code] ?? 'the reason is not known';
}
