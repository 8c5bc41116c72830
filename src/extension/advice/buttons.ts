/** The buttons of cards, notices and messages. Several may start the same action under different names. */
import type { Action } from '../../contract/actions.js';
import { titleOf } from '../../contract/userActions.js';
import type { ButtonView } from '../../contract/viewParts.js';

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
