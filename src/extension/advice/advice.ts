/** A failure as the editor shows it: its text, and the buttons that help. */
import type { Action } from '../../contract/actions.js';
import { titleOf } from '../../contract/userActions.js';
import type { ButtonView } from '../../contract/viewParts.js';
import { findAgentOfCommand, type HostErrorCode, type HostErrorData, stripControls } from '../../core/index.js';
import { describeError, type ErrorText } from '../../text/errorText.js';

/** The buttons of cards, notices and messages. Several may start the same action under different names. */
function button(action: Action, label: string = titleOf(action)): ButtonView {
  return { action, label };
}

export const buttons = {
  retry: button('retry'),
  retryNow: button('retryNow'),
  tryAgain: button('retry', 'Try Again'),
  resend: button('retry', 'Resend'),
  editAndResend: button('editTurn'),
  resendInterrupted: button('resendInterrupted'),
  skip: button('sendHeld', 'Skip'),
  sendHeld: button('sendHeld'),
  continueWithContext: button('continueWithContext'),
  /** In a new process, with the messages that wait. */
  startAgain: button('restartAgent', 'Try Again'),
  log: button('showLog'),
  report: button('reportProblem'),
  restartEngine: button('restartEngine'),
  doctor: button('doctor'),
  settings: button('openSettings'),
  openFolder: button('openFolder'),
  trustFolder: button('trustFolder'),
  selectAgent: button('selectAgent'),
  copyInstall: button('copyInstallCommand'),
  checkAgain: button('checkAgain'),
  tryBuiltIn: button('tryBuiltInAgent'),
  signIn: button('signIn'),
  setApiKey: button('setApiKey'),
  trustServer: button('trustServer'),
  newSession: button('newSession'),
  openSession: button('openSession'),
  startFresh: button('startFresh'),
  stop: button('stop', 'Stop'),
  forceStop: button('forceStop'),
  reviewTurn: button('reviewChanges', 'Review'),
  undoTurn: button('undoTurn', 'Undo'),
  redoTurn: button('redoTurn'),
  reviewAll: button('reviewChanges', 'Review All'),
  compareUnsaved: button('compareUnsaved'),
  previousFile: button('previousFile', 'Previous File'),
  nextFile: button('nextFile', 'Next File'),
  markReviewed: button('markReviewed', 'Mark as Reviewed'),
} as const;

export interface ErrorView extends ErrorText {
  /** A command to copy that may help. */
  readonly command?: string;
  /** The most likely one first. */
  readonly buttons: readonly ButtonView[];
}

const buttonsOf: Readonly<Record<HostErrorCode, readonly ButtonView[]>> = {
  agent_not_found: [buttons.settings, buttons.checkAgain, buttons.selectAgent, buttons.doctor],
  spawn_failed: [buttons.settings, buttons.checkAgain, buttons.doctor, buttons.log],
  handshake_failed: [buttons.checkAgain, buttons.doctor, buttons.log, buttons.settings],
  handshake_timeout: [buttons.checkAgain, buttons.doctor, buttons.log, buttons.settings],
  version_unsupported: [buttons.checkAgain, buttons.selectAgent],
  connect_failed: [buttons.checkAgain, buttons.settings, buttons.doctor, buttons.log],
  key_refused: [buttons.setApiKey, buttons.checkAgain, buttons.settings, buttons.log],
  auth_required: [buttons.signIn, buttons.setApiKey, buttons.log],
  agent_exited: [buttons.startAgain, buttons.log],
  request_timeout: [buttons.startAgain, buttons.log],
  request_failed: [buttons.retry, buttons.log],
  provider_failed: [buttons.retry, buttons.log],
  invalid_response: [buttons.retry, buttons.log],
  invalid_message: [buttons.log],
  line_too_long: [buttons.log],
  queue_full: [buttons.startAgain, buttons.log],
  session_unknown: [buttons.continueWithContext, buttons.startFresh, buttons.log],
  session_busy: [buttons.stop, buttons.retry],
  unsupported: [buttons.log],
  untrusted: [buttons.trustFolder],
  storage_failed: [buttons.log],
  changes_unknown: [buttons.log],
  install_failed: [buttons.selectAgent, buttons.log],
  cancelled: [buttons.retry],
  disposed: [buttons.newSession],
  usage: [buttons.settings, buttons.selectAgent],
  engine_lost: [buttons.retry, buttons.log],
  engine_failed: [buttons.retry, buttons.log],
  engine_hangs: [buttons.retry, buttons.log],
  engine_older: [buttons.retry, buttons.log],
  engine_newer: [buttons.retry, buttons.log],
  internal: [buttons.retry, buttons.log],
};

/** @param agent the agent's name for users */
export function errorView(error: HostErrorData, agent: string): ErrorView {
  const known = error.code === 'agent_not_found' ? findAgentOfCommand(commandOf(error) ?? agent) : undefined;
  if (known?.install === undefined) {
    const { text, ...described } = describeError(error, { agent });
    return { ...described, text: stripControls(text), buttons: buttonsFor(error) };
  }
  const { installCommand } = error.params;
  return {
    ...describeError(error, { agent, install: { label: known.label } }),
    command: typeof installCommand === 'string' ? installCommand : known.install.command,
    buttons: [buttons.copyInstall, buttons.checkAgain, buttons.settings, buttons.selectAgent, buttons.doctor],
  };
}

/** Returns the buttons after a failed start: to try again means a new process there, and not once more in the one that failed. */
export function afterFailedStart(all: readonly ButtonView[]): readonly ButtonView[] {
  return all.map((one) => (one.action === 'retry' ? buttons.startAgain : one));
}

/** Reasons that the user can resolve by trusting the server. */
const trusting: ReadonlySet<unknown> = new Set(['certificate_untrusted', 'pin_mismatch', 'plain_text']);

function buttonsFor({ code, params }: HostErrorData): readonly ButtonView[] {
  // What the user has to do first is neither a matter of the settings nor of the agent.
  if (code === 'usage' && params.reason === undefined && params['setting'] === undefined) return [];
  if (code === 'usage' && params.reason === 'no_folder') return [buttons.openFolder];
  if (code === 'usage' && (params.reason === 'option_refused' || params.reason === 'option_kept')) return [buttons.log];
  if (code === 'spawn_failed' && params.reason === 'folder_missing') return [buttons.checkAgain, buttons.openFolder];
  const own = buttonsOf[code];
  // The agent knows best whether another attempt or another session helps.
  const remedies = params['remedies'];
  if ((code === 'request_failed' || code === 'provider_failed') && Array.isArray(remedies)) {
    const [retry, newSession] = [remedies.includes('retry'), remedies.includes('new_session')];
    return [...(retry ? [buttons.retry] : []), ...(newSession ? [buttons.newSession] : []), buttons.log];
  }
  return code === 'connect_failed' && trusting.has(params.reason) ? [buttons.trustServer, ...own] : own;
}

function commandOf({ params: { command, file } }: HostErrorData): string | undefined {
  return typeof command === 'string' ? command : typeof file === 'string' ? file : undefined;
}
