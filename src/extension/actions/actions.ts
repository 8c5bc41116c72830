/** The functions for the table of user actions, and for what only a page asks for. Commands, buttons and the page all end up here. */
import * as vscode from 'vscode';
import { createAccessActions } from './accessActions.js';
import { type ActionParts, createActionScope } from './actionScope.js';
import { createAgentActions, createComposingActions } from './agentActions.js';
import { createChatActions } from './chatActions.js';
import { createCodeTasks } from './codeTasks.js';
import { createContextActions } from './contextActions.js';
import { createListActions } from './listActions.js';
import { createNewConversationActions } from './newConversation.js';
import { createOptionActions } from './optionActions.js';
import { createPromptActions } from './promptActions.js';
import { pickControl } from './sessionControls.js';
import { returnText } from '../chat/returnedPrompts.js';
import type { OpenConversation } from '../conversation/openConversations.js';
import { doctorDocument } from '../doctor/doctorText.js';
import { collectFindings } from '../doctor/progress.js';
import { openSettings } from '../window/settings.js';
import { installCommandFor, suggestedAgent } from '../../core/index.js';
import type { Action } from '../../contract/actions.js';

/**
 * An action without a function does not compile. `itemId` is the item of the page with the button; `methodId` is the way to sign in that
 * the button names.
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
  const { conversations, pending, pages, documents, traffic } = parts;
  const scope = createActionScope(parts, target);
  const { current, source } = scope;

  const promptActions = createPromptActions({
    source,
    documents,
    current: () => current().conversation,
    confirm: scope.confirm,
    returnText: (text) => returnText(parts, current(), text),
  });
  const { addFiles, addSuggestedFile, attachAgain, addImage, addText, ...contextActions } = createContextActions(scope);
  const { setOption, ...optionActions } = createOptionActions(scope);
  const copyText = async (text: string): Promise<void> => vscode.env.clipboard.writeText(text);

  const table: ActionTable = {
    ...promptActions,
    ...createCodeTasks({
      current,
      confirm: scope.confirm,
      focus: (entry) => pages.focus(entry, 'composer'),
      follow: ({ id }) => void pages.tell(id, { type: 'follow' }),
    }),
    ...createAgentActions(scope),
    ...createNewConversationActions(scope),
    ...createListActions({ conversations, sources: parts.sources, pages, ask: scope.ask, report: parts.report }, targetId),
    ...createChatActions(scope),
    ...contextActions,
    ...optionActions,
    ...createAccessActions(scope),
    async findConversation(): Promise<void> {
      await vscode.commands.executeCommand('acpHost.conversations.focus');
      await vscode.commands.executeCommand('list.find');
    },
    showArchived: (): void => parts.list.showArchived(true),
    hideArchived: (): void => parts.list.showArchived(false),
    showTraffic: (): Promise<void> => traffic.show(),
    reportProblem: (): Promise<void> => parts.reportProblem(),
    async restartEngine(): Promise<void> {
      const running = conversations.list.filter(({ activity }) => activity === 'busy' || activity === 'needs_input').length;
      const turns = running === 1 ? '1 turn' : `${running} turns`;
      const isAnswering = parts.engine.connection.state === 'connected';
      const mustAsk = isAnswering && running > 0;
      if (mustAsk && !(await scope.confirm('Restart the engine?', `This interrupts ${turns}. Everything is saved.`, 'Restart'))) return;
      await parts.engine.restart();
    },
    async doctor(): Promise<void> {
      const entry = current();
      const { agent } = entry.conversation.state;
      const findings = await collectFindings('Checking what the agent needs', (report, signal) =>
        parts.doctor.examine(entry, report, signal),
      );
      if (findings === undefined) return;
      const text = doctorDocument(agent?.label ?? 'the agent', findings);
      await documents.open('ACP Host Diagnostics.md', text, { rendered: true });
    },
    /** The command that is visible. */
    copyInstallCommand: async (): Promise<void> =>
      copyText(source().view().banner?.command ?? (await installCommandFor(suggestedAgent.install, await scope.launchContext()))),
    openSettings: (): Promise<void> => openSettings(),
    showLog: parts.showLog,
    async sessionControls(): Promise<void> {
      const action = await scope.ask(() => pickControl(source().view(), pending.all.length));
      if (action !== undefined) await table[action]();
    },
  };
  return {
    ...promptActions,
    ...table,
    ...createComposingActions(scope),
    addFiles,
    addSuggestedFile,
    attachAgain,
    addImage,
    addText,
    setOption,
    copyText,
    cwd: (): string => current().folder.path,
  };
}
