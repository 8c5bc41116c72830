/** What a front end asks of a conversation: plain data, each answered by a plain result. */
import type { ErrorReasons, HostErrorData } from '../base/errors.js';
import type { WhileRunning } from '../host/api.js';
import type { OptionWish } from '../session/chooseOption.js';
import type { ContentBlock } from '../session/model.js';
import type { RequestAnswer } from './sessionAccess.js';
import type { SessionKey } from './state.js';

/** Prompts that wait when a new session takes the place of one that was not resumed. */
export type WaitingPrompts = 'hold' | 'send';

interface TurnReference {
  readonly turnId: string;
  /** Turns are counted in each session. Absent: the session on screen. */
  readonly session?: Pick<SessionKey, 'sessionId' | 'createdAt'>;
}

export type ConversationCommand =
  /**
   * Sends a prompt, after the turns before it; starts the agent and opens the session if need be.
   * `order`: `after_held` puts it behind prompts that are held, and behind an interrupted turn; otherwise it passes them.
   * `delivery`: how it reaches a turn that runs; absent: it waits. `followUp` waits where the agent has no queue, `steer` is refused where it cannot be steered.
   * `isChecked`: sent even if the agent is known to hang on it; otherwise such a prompt is held.
   */
  | {
      readonly type: 'send';
      readonly content: readonly ContentBlock[];
      readonly order?: 'next' | 'after_held';
      readonly delivery?: WhileRunning['deliveries'][number];
      readonly isChecked?: boolean;
    }
  /** Lets held prompts go, and leaves an interrupted turn as it is. Not those that may hang the agent: they are a decision of their own. */
  | { readonly type: 'release_held' }
  /** Opens the session, and sends whatever could not be sent. Also after the user signed in elsewhere. */
  | { readonly type: 'retry' }
  /** Does not wait for the next start of a lost agent. */
  | { readonly type: 'retry_now' }
  /** Sends the prompt of an earlier turn again, and then what is held. */
  | ({ readonly type: 'retry_turn' } & TurnReference)
  /** Returns the prompt of an earlier turn to the composer. */
  | ({ readonly type: 'edit_turn' } & TurnReference)
  /** Sends the prompt of the interrupted turn again, with other words where they are given, and then what is held. */
  | { readonly type: 'resend_interrupted'; readonly content?: readonly ContentBlock[] }
  | { readonly type: 'decide_hanging'; readonly decision: 'send' | 'attach_file' | 'edit' }
  /** Takes a prompt out of the outbox, or asks the agent to take it out of its own queue; whoever asks has its words. */
  | { readonly type: 'unqueue'; readonly promptId: string }
  /** The result names those that nobody else took before. */
  | { readonly type: 'take_returned'; readonly promptIds: readonly string[] }
  /**
   * `turn`: asks the agent to stop the turn that runs or is about to begin; what waits behind it goes on.
   * `everything`: also stops opening and the wait for a lost agent, and returns what waits to the composer.
   */
  | { readonly type: 'cancel'; readonly scope: 'turn' | 'everything' }
  /** Kills the agent's process, with whatever other conversations do in it. */
  | { readonly type: 'force_stop' }
  /**
   * Asks the process that works in this conversation to let go, and resumes it here. Also what a prompt does that is sent.
   * `stopsTurn`: a turn that runs there is stopped; otherwise the command fails with `open_elsewhere` while one does.
   */
  | { readonly type: 'continue_here'; readonly stopsTurn?: boolean }
  | { readonly type: 'answer_request'; readonly requestId: string; readonly answer: RequestAnswer }
  | { readonly type: 'set_option'; readonly optionId: string; readonly value: string | boolean }
  /** As a person wrote it. */
  | { readonly type: 'choose_option'; readonly wish: OptionWish }
  /** The earlier sessions do not go with the next prompt. */
  | { readonly type: 'clear_context' }
  /** Opens the session and sends what is ready. Succeeds once the session is live. */
  | { readonly type: 'open' }
  /** An empty session with the same agent. A running agent opens it at once, so that its options are there. */
  | { readonly type: 'new_session' }
  /** Shows an earlier session. Its agent is started with the next prompt, where it does not run. */
  | { readonly type: 'open_earlier'; readonly key: SessionKey }
  /** Goes on in a new session that is told what was said: with the next prompt, once. */
  | { readonly type: 'continue_with_context'; readonly waiting: WaitingPrompts }
  | { readonly type: 'start_fresh'; readonly waiting: WaitingPrompts }
  /**
   * Ends the agent gracefully, starts it again with its settings as they are now, and resumes the session.
   * `ifStarted`: does nothing before the first start, which takes the settings as they are then.
   */
  | { readonly type: 'restart'; readonly ifStarted?: boolean }
  /** Another agent, or other settings: an empty conversation begins. @param agentId absent: the one that the user's settings choose */
  | { readonly type: 'change_agent'; readonly agentId?: string }
  /** Looks again which agent there is, as long as none runs. */
  | { readonly type: 'refresh_agent' }
  | { readonly type: 'sign_in'; readonly methodId: string };

/** `ids`: of the prompts, or of the conversation, that the command is about. */
export type CommandResult = { readonly ok: true; readonly ids?: readonly string[] } | { readonly ok: false; readonly error: HostErrorData };

/** Why a command has nothing to do; reasons of an error with the code `usage`. */
const refusals = [
  'request_closed',
  'option_unavailable',
  'prompt_gone',
  'turn_unknown',
  'nothing_interrupted',
  'nothing_hanging',
  'agent_not_running',
  'conversation_unknown',
] as const satisfies readonly ErrorReasons['usage'][];
export type Refusal = (typeof refusals)[number];

export const done: CommandResult = { ok: true };

/** The command came too late, as when the button that sent it is gone. */
export function isRefusal({ code, params }: HostErrorData): boolean {
  return code === 'usage' && refusals.some((reason) => reason === params.reason);
}

/** A turn runs in another process, and nobody was asked whether to stop it. */
export function isOpenElsewhere(error: HostErrorData | undefined): boolean {
  return error?.code === 'usage' && error.params.reason === 'open_elsewhere';
}

/** @param program where */
export function openElsewhere(program: string): CommandResult {
  return { ok: false, error: { code: 'usage', params: { reason: 'open_elsewhere', program } } };
}

export function refuse(reason: Refusal): CommandResult {
  return { ok: false, error: { code: 'usage', params: { reason } } };
}
