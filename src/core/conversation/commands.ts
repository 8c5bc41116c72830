/** The commands that a front end can send to a conversation. Commands and their results are plain data. */
import type { DraftChange } from './draft.js';
import type { ErrorReasons, HostErrorData } from '../base/errors.js';
import type { Session, WhileRunning } from '../host/api.js';
import type { OptionWish } from '../session/chooseOption.js';
import type { ContentBlock } from '../session/model.js';
import type { HoldReason } from './state.js';

/** What happens to queued prompts when a new session replaces one that was not resumed. */
export type WaitingPrompts = 'hold' | 'send';

/** What a front end can ask a conversation to do. Every command has a result. */
export type ConversationCommand =
  /**
   * Sends a prompt after the turns before it. Starts the agent and opens the session if necessary. `id`: the ID of the prompt, unique for
   * ever; if absent, the conversation makes it. `order`: with `after_held`, the prompt waits behind held prompts and an interrupted turn;
   * otherwise it passes them. `delivery`: how the prompt reaches a running turn; if absent, it waits. `followUp` waits in the host if the
   * agent has no queue. `steer` fails if the agent doesn't support it. `before`: the ID of the queued prompt that it precedes; if that was
   * sent meanwhile, it is the next one.
   */
  | {
      readonly type: 'send';
      readonly id?: string;
      readonly content: readonly ContentBlock[];
      readonly order?: 'next' | 'after_held';
      readonly before?: string;
      readonly delivery?: WhileRunning['deliveries'][number];
    }
  /**
   * Releases held prompts, with `why` only those that are held for this reason, with `ids` only those, and leaves an interrupted turn as it
   * is.
   */
  | { readonly type: 'release_held'; readonly why?: HoldReason; readonly ids?: readonly string[] }
  /** Opens the session, and sends everything that is waiting. Also used after the user signed in elsewhere. */
  | { readonly type: 'retry' }
  /** Restarts a lost agent without waiting for the next attempt. */
  | { readonly type: 'retry_now' }
  /** Resends the prompt of an earlier turn; if that is the interrupted one, then the prompts that were queued behind it. */
  | { readonly type: 'retry_turn'; readonly turnId: string }
  /** Returns the prompt of an earlier turn to the composer. */
  | { readonly type: 'edit_turn'; readonly turnId: string }
  /** Resends the prompt of the interrupted turn, or `content` instead, then the prompts that were queued behind it. */
  | { readonly type: 'resend_interrupted'; readonly content?: readonly ContentBlock[] }
  /** Moves a prompt of the outbox. @param before the ID of the one that it precedes from now on; absent: it becomes the last one */
  | { readonly type: 'move_queued'; readonly promptId: string; readonly before?: string }
  /**
   * Sends a prompt of the outbox to the running turn if that can be steered; otherwise the prompt is the next one, and stops the turn.
   * @param turnId the turn that the user wants to stop for it: another one that began meanwhile goes on
   */
  | { readonly type: 'send_queued'; readonly promptId: string; readonly turnId?: string }
  /** Removes a prompt from the outbox, or asks the agent to remove it from its own queue. The caller keeps its text. */
  | { readonly type: 'unqueue'; readonly promptId: string }
  /** Changes what the user is writing, for every front end. */
  | DraftChange
  /** Claims returned prompts. The result names those that were not claimed elsewhere. */
  | { readonly type: 'take_returned'; readonly promptIds: readonly string[] }
  /**
   * `turn`: asks the agent to stop the turn that is running or about to start; the queue behind it continues.
   * `everything`: also stops opening a session and waiting for a lost agent, and returns the queue to the composer. Between turns, it stops
   * what the agent does after its turn.
   */
  | { readonly type: 'cancel'; readonly scope: 'turn' | 'everything' }
  /** Ends the commands of a tool call that run in the host, with everything that they started. The turn goes on. */
  | { readonly type: 'stop_command'; readonly itemId: string }
  /** Asks the agent to stop one sub-agent, if it can. @see SubagentItem.canStop */
  | { readonly type: 'stop_subagent'; readonly subagentId: string }
  /** Kills the agent's process, which also affects other conversations that share it. */
  | { readonly type: 'force_stop' }
  /**
   * `by`: the engine sets it, to the front end that answers. `feedback`: what the agent is to do instead; it gets this in the
   * running turn if it can be reached there, otherwise with the next prompt.
   */
  | {
      readonly type: 'answer_request';
      readonly requestId: string;
      readonly answer: Parameters<Session['answer']>[1];
      readonly by?: Parameters<Session['answer']>[2];
      readonly feedback?: string;
    }
  | { readonly type: 'set_option'; readonly optionId: string; readonly value: string | boolean }
  /** The option and value as the user typed them. */
  | { readonly type: 'choose_option'; readonly wish: OptionWish }
  /** The user has reviewed these change sets, or of them only these files. */
  | { readonly type: 'review_changes'; readonly ids: readonly string[]; readonly paths?: readonly string[] }
  /** The user has not reviewed this file of a change set after all. */
  | { readonly type: 'review_again'; readonly set: string; readonly path: string }
  /** The user has reviewed this part of a file. `path` is its name before the change. @see ChangedFile.reviewedHunks */
  | { readonly type: 'review_hunk'; readonly set: string; readonly path: string; readonly hunk: string }
  /** Removes the earlier sessions from the next prompt. */
  | { readonly type: 'clear_context' }
  /** Opens the session and sends what is ready. Succeeds once the session is live. */
  | { readonly type: 'open' }
  /** Continues in a new session, which receives the history once, with the next prompt. */
  | { readonly type: 'continue_with_context'; readonly waiting: WaitingPrompts }
  | { readonly type: 'start_fresh'; readonly waiting: WaitingPrompts }
  /**
   * Ends the agent gracefully, starts it again with its current settings, and resumes the session.
   * `ifStarted`: does nothing before the first start, which uses the current settings anyway.
   */
  | { readonly type: 'restart'; readonly ifStarted?: boolean }
  /**
   * Uses another agent, or other settings, in a conversation without messages. What was waiting returns to the composer.
   * @param agentId absent: the agent that the user's settings select
   */
  | { readonly type: 'change_agent'; readonly agentId?: string }
  /** Determines again which agent would start, unless one is running. */
  | { readonly type: 'refresh_agent' }
  /** Succeeds once the agent has signed the user in, for which it may wait for any time. `open` or `retry` then sends what is waiting. */
  | { readonly type: 'sign_in'; readonly methodId: string }
  /** Ends the wait of `sign_in`, which then fails with `cancelled`. The agent is told, but may continue to wait. */
  | { readonly type: 'cancel_sign_in' }
  /** Signs the user out of the agent. Each conversation with it needs a sign-in then. Fails with `session_busy` during a turn of any of them. */
  | { readonly type: 'sign_out' };

/** `ids`: the prompts, or the conversation, that the command applied to. */
export type CommandResult = { readonly ok: true; readonly ids?: readonly string[] } | { readonly ok: false; readonly error: HostErrorData };

/** Why a command has nothing to do; reasons of an error with the code `usage`. */
const refusals = [
  'request_closed',
  'option_unavailable',
  'prompt_gone',
  'command_ended',
  'turn_unknown',
  'nothing_interrupted',
  'agent_not_running',
  'agent_bound',
  'conversation_unknown',
] as const satisfies readonly ErrorReasons['usage'][];
/** Why a command was refused. */
export type Refusal = (typeof refusals)[number];

export const done: CommandResult = { ok: true };

/** Whether the command came too late, for example from a button that is gone. */
export function isRefusal({ code, params }: HostErrorData): boolean {
  return code === 'usage' && refusals.some((reason) => reason === params.reason);
}

export function refuse(reason: Refusal): CommandResult {
  return { ok: false, error: { code: 'usage', params: { reason } } };
}
