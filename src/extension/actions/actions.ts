/** The functions for the table of user actions, and for what only a page asks for. Commands, buttons and the page all end up here. */
import * as vscode from 'vscode';
import type { Action } from '../../contract/actions.js';
import { titleOf } from '../../contract/userActions.js';
import type { ChatView } from '../../contract/view.js';
import { type CodeTaskKind, type ContentBlock, installCommandFor, suggestedAgent, taskPrompt, runsTurn } from '../../core/index.js';
import { codeTaskText } from '../../text/commandText.js';
import { execute, type OpenConversation } from '../conversation/openConversations.js';
import { collectFindings, doctorDocument } from '../doctor/doctor.js';
import { codeTaskHere } from '../editor/code.js';
import { openSettings } from '../window/settings.js';
import { plainLabel } from '../window/windowMessages.js';
import { isTrusted } from '../window/workspace.js';
import { createAccessActions } from './accessActions.js';
import { type ActionParts, type ActionScope, createActionScope } from './actionScope.js';
import { createAgentActions, createComposingActions } from './agentActions.js';
import { createChangeActions } from './changeActions.js';
import { createContextActions } from './contextActions.js';
import { createListActions } from './listActions.js';
import { createNewConversationActions, makeRoom } from './newConversation.js';
import { createPromptActions, sendPrompt } from './promptActions.js';
import { createRewindActions } from './rewindActions.js';
import { createOptionActions, createSessionActions } from './sessionActions.js';

/**
 * `itemId` is the item of the page with the button; `methodId` is the way to sign in that the button names.
 */
export type ActionTable = { readonly [A in Action]: (itemId?: string, methodId?: string) => void | Promise<void> };

export type Actions = ReturnType<typeof createActions>;

/**
 * @param target returns the conversation that the actions apply to; undefined while no folder is open
 * @param targetId returns the id of the conversation in the list that the actions apply to, which need not be open
 */
export function createActions(
  parts: ActionParts,
  target: () => OpenConversation | undefined,
  targetId: () => string | undefined = () => target()?.id,
) {
  const { conversations, pending, documents } = parts;
  const scope = createActionScope(parts, target);
  const { current, source } = scope;
  const changeActions = createChangeActions(scope);
  const copyText = async (text: string): Promise<void> => vscode.env.clipboard.writeText(text);
  const all = {
    ...createPromptActions(scope),
    ...createCodeTasks(scope),
    ...createAgentActions(scope),
    ...createComposingActions(scope),
    ...createNewConversationActions(scope),
    ...createListActions(scope, targetId),
    ...createSessionActions(scope),
    ...createChatActions(scope),
    ...createContextActions(scope),
    ...changeActions,
    ...createRewindActions(scope, changeActions),
    ...createOptionActions(scope),
    ...createAccessActions(scope),
    undoHunk: parts.review.undoHunk,
    commentHunk: parts.review.commentHunk,
    reviewHunk: parts.review.reviewHunk,
    saveComment: (): Promise<void> => parts.review.saveComment(undefined),
    deleteComment: (): void => parts.review.deleteComment(undefined),
    copyText,
    cwd: (): string => current().folder.path,
    showArchived: (): void => parts.list.showArchived(true),
    hideArchived: (): void => parts.list.showArchived(false),
    allowEdit: (): void => parts.decideEdit('allow'),
    rejectEdit: (): void => parts.decideEdit('reject'),
    showTraffic: (): Promise<void> => parts.traffic.show(),
    reportProblem: (): Promise<void> => parts.reportProblem(),
    async restartEngine(): Promise<void> {
      const running = conversations.list.filter((entry) => runsTurn(entry) || entry.worksLate === true).length;
      const turns = running === 1 ? 'what runs in 1 conversation' : `what runs in ${running} conversations`;
      const isAnswering = parts.engine.connection.state === 'connected';
      const mustAsk = isAnswering && running > 0;
      if (mustAsk && !(await scope.confirm('Restart the engine?', `This interrupts ${turns}. Everything is saved.`, 'Restart'))) return;
      await parts.engine.restart();
    },
    async doctor(): Promise<void> {
      const entry = current();
      const { agent } = entry.conversation.state;
      const findings = await collectFindings('Checking what the agent needs', (signal) => parts.doctor.examine(entry, signal));
      if (findings === undefined) return;
      const text = doctorDocument(agent?.label ?? 'the agent', findings);
      await documents.open('ACP Host Diagnostics.md', text, { rendered: true });
    },
    /** The command that is visible. */
    copyInstallCommand: async (): Promise<void> =>
      copyText(source().view().banner?.command ?? (await installCommandFor(suggestedAgent.install, await scope.launchContext()))),
    openSettings: (): Promise<void> => openSettings(),
    openFolder: async (): Promise<void> => vscode.commands.executeCommand('vscode.openFolder'),
    trustFolder: async (): Promise<void> => vscode.commands.executeCommand('workbench.trust.manage'),
    showLog: parts.showLog,
    async sessionControls(): Promise<void> {
      const action = await scope.ask(() => pickControl(source().view(), pending.all.length));
      if (action !== undefined) await table[action]();
    },
  };
  // An action without a function does not compile.
  const table: ActionTable = all;
  return { ...all, ...table };
}

// The list that opens from the status bar item.

/**
 * @param pending the number of requests of all conversations that need an answer
 * @returns what the user chose; undefined if the list was closed
 */
async function pickControl(view: ChatView, pending: number): Promise<Action | undefined> {
  const { agent, stateText, model } = view.header;
  const chosen = await vscode.window.showQuickPick(controlsFor(view, pending), {
    title: [agent, model, stateText].filter((part) => part !== undefined).join(' · '),
    placeHolder: 'Session controls',
  });
  return chosen?.action;
}

/** What can be done with a session now, the most likely first. */
interface Control {
  readonly label: string;
  readonly description?: string;
  readonly action: Action;
}

function control(icon: string, action: Action, label = titleOf(action)): Control {
  return { label: `$(${icon}) ${label}`, action };
}

/** @param pending the number of requests of all conversations that need an answer */
export function controlsFor(view: ChatView, pending: number): readonly Control[] {
  const { header, banner, composer } = view;
  const running = header.state !== 'stopped' && header.state !== 'failed';
  /** No agent may start before the user has opened a folder or trusts it. */
  const isClosed = composer.disabledReason !== undefined;
  /** Before the first session, it is not known what the agent offers. */
  const choice = (icon: string, action: Action, category: 'mode' | 'model', label: string): readonly Control[] => {
    const selector = composer.selectors.find((one) => one.category === category);
    const value = selector?.options.find((one) => one.value === selector.value)?.label;
    if (isClosed || (selector === undefined && running)) return [];
    return [{ ...control(icon, action, label), ...(value === undefined ? {} : { description: plainLabel(value) }) }];
  };
  const first: Control[] = [];
  if (pending > 0) first.push(control('bell-dot', 'openChat', 'Show Pending Requests'));
  for (const { action } of banner?.buttons ?? []) {
    if (action === 'signIn' && !first.some((one) => one.action === action)) first.push(control('key', action));
    if (action === 'openFolder') first.push(control('folder-opened', action));
    if (action === 'trustFolder') first.push(control('shield', action));
  }
  if (composer.busy) first.push(control('debug-stop', 'stop'));
  if (!running && !isClosed) first.push(control('play', 'restartAgent', `Start ${header.agent}`));
  return [
    ...first,
    control('comment-discussion', 'openChat'),
    control('add', 'newSession'),
    ...choice('shield', 'selectMode', 'mode', 'Mode'),
    ...choice('sparkle', 'selectModel', 'model', 'Model'),
    { ...control('arrow-swap', 'selectAgent'), description: header.agent },
    ...(running ? [control('debug-restart', 'restartAgent')] : []),
    control('output', 'showLog'),
    control('list-flat', 'showTraffic'),
    control('pulse', 'doctor'),
    control('gear', 'openSettings'),
  ];
}

/** Actions that show the chat. */
function createChatActions({ parts, target, current }: ActionScope) {
  const { pages, pending, editorInUse, conversations } = parts;
  return {
    async toggleFocus(): Promise<void> {
      if (pages.hasFocus) return editorInUse.focus({ covered: pages.isTabFocused });
      const inTab = conversations.get(pages.lastTabId);
      await pages.focus(inTab !== undefined && pages.isOnScreen(inTab.id) ? inTab : target(), 'composer');
    },
    /** The editor lets the user choose the place, for example the secondary side bar. */
    async moveChat(): Promise<void> {
      await vscode.commands.executeCommand('acpHost.chat.focus');
      await vscode.commands.executeCommand('workbench.action.moveFocusedView', 'acpHost.chat');
    },
    async showNextRequest(): Promise<void> {
      const [oldest] = pending.all;
      if (oldest !== undefined) await pages.focus(oldest.entry, 'prompt');
    },
    async openChat(): Promise<void> {
      const own = target();
      const waiting = pending.all.find(({ entry }) => entry === own) ?? pending.all[0];
      await (waiting === undefined ? pages.focus(own, 'composer') : pages.focus(waiting.entry, 'prompt'));
    },
    async openChatInEditor(): Promise<void> {
      const entry = current();
      await pages.openTab(entry);
      makeRoom(parts, entry);
      await pages.focus(entry, 'composer');
    },
  };
}

/** Sends tasks on the code in the editor as prompts of the conversation. */
export function createCodeTasks(scope: ActionScope) {
  const { parts, current } = scope;
  const run = async (kind: CodeTaskKind): Promise<void> => {
    const entry = current();
    const task = await codeTaskHere(kind);
    await parts.pages.focus(entry, 'composer');
    // The chat shows why, and its composer takes no message either.
    if (!isTrusted()) return;
    const { conversation } = entry;
    // The commands of the agent are only known once a session is open. Without one, the task waits like a message of the user.
    if (conversation.state.session === undefined) await execute(conversation, { type: 'open' });
    const hasCommand = conversation.state.session?.commands.some(({ name }) => name === kind) === true;
    // An agent that can read the file itself only needs the selection.
    const content: readonly ContentBlock[] = hasCommand
      ? taskPrompt(task)
      : [{ type: 'text', text: codeTaskText(kind) }, ...taskPrompt({ kind, uri: task.uri, selected: task.selected }).slice(1)];
    if (await sendPrompt(conversation, { content }, scope)) parts.pages.tell(entry.id, { type: 'follow' });
  };
  return {
    explainCode: (): Promise<void> => run('explain'),
    documentCode: (): Promise<void> => run('docstring'),
    optimizeCode: (): Promise<void> => run('optimize'),
    fixCode: (): Promise<void> => run('fix'),
    testCode: (): Promise<void> => run('unittest'),
  };
}
