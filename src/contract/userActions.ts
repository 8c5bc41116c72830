/**
 * The titles of the actions, and the commands that start them. The page gets the labels of its buttons from the host, and does not load
 * these.
 */
import { type Action, actionIds } from './actions.js';

interface UserAction {
  /** As in package.json if it is a command, which test/extension/manifest.test.ts compares; a button may be shorter. */
  readonly title: string;
  /** The id of the command; absent if only buttons offer the action. */
  readonly command?: `acpHost.${string}`;
}

const userActions: Readonly<Record<Action, UserAction>> = {
  openChat: { title: 'Open Chat', command: 'acpHost.openChat' },
  toggleFocus: { title: 'Switch Between Editor and Chat', command: 'acpHost.toggleFocus' },
  showNextRequest: { title: 'Go to Next Request', command: 'acpHost.showNextRequest' },
  openChatInEditor: { title: 'Open Chat in Editor', command: 'acpHost.openChatInEditor' },
  moveChat: { title: 'Move Chat to Another Place…', command: 'acpHost.moveChat' },
  newSession: { title: 'New Conversation', command: 'acpHost.newSession' },
  newSessionWithAgent: { title: 'New Conversation with Agent…', command: 'acpHost.newSessionWithAgent' },
  showHistory: { title: 'Show History', command: 'acpHost.showHistory' },
  openConversation: { title: 'Open Conversation', command: 'acpHost.openConversation' },
  openConversationInEditor: { title: 'Open Conversation in Editor', command: 'acpHost.openConversationInEditor' },
  openConversationAsMarkdown: { title: 'Open Conversation as Markdown', command: 'acpHost.openConversationAsMarkdown' },
  openSession: { title: 'Open Session' },
  openAgentSession: { title: 'Open as Conversation', command: 'acpHost.openAgentSession' },
  forkAgentSession: { title: 'Fork Session', command: 'acpHost.forkAgentSession' },
  renameAgentSession: { title: 'Rename Session…', command: 'acpHost.renameAgentSession' },
  deleteAgentSession: { title: 'Delete Session…', command: 'acpHost.deleteAgentSession' },
  loadMoreAgentSessions: { title: 'Load More Sessions', command: 'acpHost.loadMoreAgentSessions' },
  refreshAgentSessions: { title: 'Refresh Sessions', command: 'acpHost.refreshAgentSessions' },
  signInForSessions: { title: 'Sign In to List Sessions', command: 'acpHost.signInForSessions' },
  renameConversation: { title: 'Rename Conversation…', command: 'acpHost.renameConversation' },
  pinConversation: { title: 'Pin Conversation', command: 'acpHost.pinConversation' },
  unpinConversation: { title: 'Unpin Conversation', command: 'acpHost.unpinConversation' },
  archiveConversation: { title: 'Archive Conversation', command: 'acpHost.archiveConversation' },
  unarchiveConversation: { title: 'Unarchive Conversation', command: 'acpHost.unarchiveConversation' },
  deleteConversation: { title: 'Delete Conversation', command: 'acpHost.deleteConversation' },
  findConversation: { title: 'Find Conversation', command: 'acpHost.findConversation' },
  showArchived: { title: 'Show Archived Conversations', command: 'acpHost.showArchived' },
  hideArchived: { title: 'Hide Archived Conversations', command: 'acpHost.hideArchived' },
  stopSubagent: { title: 'Stop Sub-agent' },
  stop: { title: 'Stop Turn', command: 'acpHost.cancelTurn' },
  restartAgent: { title: 'Restart Agent', command: 'acpHost.restartAgent' },
  selectAgent: { title: 'Select Agent', command: 'acpHost.selectAgent' },
  selectMode: { title: 'Select Mode', command: 'acpHost.selectMode' },
  selectModel: { title: 'Select Model', command: 'acpHost.selectModel' },
  chooseMcpServers: { title: 'Choose MCP Servers of the Folder…', command: 'acpHost.chooseMcpServers' },
  sessionControls: { title: 'Session Controls', command: 'acpHost.sessionControls' },
  showLog: { title: 'Show Log', command: 'acpHost.showLog' },
  showTraffic: { title: 'Show Traffic', command: 'acpHost.showTraffic' },
  reportProblem: { title: 'Report a Problem', command: 'acpHost.reportProblem' },
  restartEngine: { title: 'Restart Engine', command: 'acpHost.restartEngine' },
  doctor: { title: 'Run Diagnostics', command: 'acpHost.doctor' },
  addSelectionToChat: { title: 'Add Selection to Chat', command: 'acpHost.addSelectionToChat' },
  addTerminalSelectionToChat: { title: 'Add Terminal Selection to Chat', command: 'acpHost.addTerminalSelectionToChat' },
  addFilesToChat: { title: 'Add Files to Chat', command: 'acpHost.addFilesToChat' },
  toggleOpenFile: { title: 'Include or Leave Out Open File', command: 'acpHost.toggleOpenFile' },
  explainCode: { title: 'Explain', command: 'acpHost.explainCode' },
  documentCode: { title: 'Write Documentation', command: 'acpHost.documentCode' },
  optimizeCode: { title: 'Optimize', command: 'acpHost.optimizeCode' },
  fixCode: { title: 'Fix', command: 'acpHost.fixCode' },
  testCode: { title: 'Write Unit Tests', command: 'acpHost.testCode' },
  showTurnOfLine: { title: 'Show Turn That Wrote This Line', command: 'acpHost.showTurnOfLine' },
  setApiKey: { title: 'Set API Key', command: 'acpHost.setApiKey' },
  trustServer: { title: 'Trust Server…' },
  signIn: { title: 'Sign In', command: 'acpHost.signIn' },
  signOut: { title: 'Sign Out', command: 'acpHost.signOut' },
  retry: { title: 'Retry' },
  retryNow: { title: 'Retry Now' },
  forceStop: { title: 'Force Stop' },
  openSettings: { title: 'Open Settings' },
  openFolder: { title: 'Open Folder' },
  trustFolder: { title: 'Manage Workspace Trust' },
  continueWithContext: { title: 'Continue with Context' },
  startFresh: { title: 'Start Fresh' },
  checkAgain: { title: 'Check Again' },
  tryBuiltInAgent: { title: 'Try Built-in Agent' },
  copyInstallCommand: { title: 'Copy Command' },
  editTurn: { title: 'Edit and Resend' },
  editMessage: { title: 'Edit Message' },
  rewind: { title: 'Rewind to Message…', command: 'acpHost.rewind' },
  restoreFiles: { title: 'Restore Files to Here…' },
  resendInterrupted: { title: 'Resend' },
  sendHeld: { title: 'Send Now' },
  reviewChanges: { title: 'Review Changes', command: 'acpHost.reviewChanges' },
  undoTurn: { title: 'Undo Last Turn', command: 'acpHost.undoTurn' },
  redoTurn: { title: 'Redo' },
  allowEdit: { title: 'Allow Once', command: 'acpHost.allowEdit' },
  rejectEdit: { title: 'Reject', command: 'acpHost.rejectEdit' },
  markReviewed: { title: 'Mark Changes as Reviewed', command: 'acpHost.markReviewed' },
  compareUnsaved: { title: 'Compare' },
  previousFile: { title: 'Previous File to Review', command: 'acpHost.previousFile' },
  nextFile: { title: 'Next File to Review', command: 'acpHost.nextFile' },
  undoHunk: { title: 'Undo Change at Cursor', command: 'acpHost.undoHunk' },
  commentHunk: { title: 'Comment on Change at Cursor', command: 'acpHost.commentHunk' },
  reviewHunk: { title: 'Mark Change at Cursor as Reviewed', command: 'acpHost.reviewHunk' },
  saveComment: { title: 'Add Comment', command: 'acpHost.saveComment' },
  deleteComment: { title: 'Delete Comment', command: 'acpHost.deleteComment' },
};

export function titleOf(action: Action): string {
  return userActions[action].title;
}

/**
 * `acpHost.chatView.newSession` is `acpHost.newSession` in the title of the chat view. VS Code passes nothing to a command there, and a tab
 * stays the active editor while the user clicks there.
 */
const ofChatView = /^acpHost\.chatView\./;

/** Whether the command applies to the conversation in the chat view, also while a tab shows another one. */
export function isOfChatView(command: string): boolean {
  return ofChatView.test(command);
}

/** @returns undefined for any other command */
export function actionOf(command: string): Action | undefined {
  const id = command.replace(ofChatView, 'acpHost.');
  return actionIds.find((action) => commandOf(action) === id);
}

/** Returns the id of the command that starts the action; undefined if there is none. */
export function commandOf(action: Action): string | undefined {
  return userActions[action].command;
}
