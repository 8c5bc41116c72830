/** What a page may ask for, and what then happens. Closed tables: a message or a button without an entry does not compile. */
import type { Action } from '../../contract/view.js';
import type { AskAnswer, Logger } from '../../core/index.js';
import type { Documents } from '../editor/documents.js';
import { openLink, openLocation } from '../editor/open.js';
import { agentaoInstallCommand } from '../text/errorText.js';
import type { Conversations } from '../conversation/conversations.js';
import type { Actions } from './actions.js';
import type { ChatSource } from '../chat/chatSource.js';
import type { PageIntent } from '../pages/pageLink.js';
import { findDiff, findItem, rawDocument, rawInputOfAsk } from '../chat/transcript.js';

type IntentOf<T extends PageIntent['type']> = Extract<PageIntent, { readonly type: T }>;
type IntentTable = { readonly [T in PageIntent['type']]: (intent: IntentOf<T>) => void | Promise<void> };

export type ActionTable = { readonly [A in Action]: (itemId: string | undefined) => void | Promise<void> };

export interface IntentParts {
  readonly source: ChatSource;
  readonly conversations: Conversations;
  readonly operations: Actions;
  readonly documents: Documents;
  readonly actions: ActionTable;
  readonly log: Logger;
}

/** @returns runs an intent; what it returns rejects with what the user should know */
export function intentRunner({
  source,
  conversations,
  operations,
  documents,
  actions,
  log,
}: IntentParts): (intent: PageIntent) => void | Promise<void> {
  const answer = (promptId: string, given: AskAnswer): void => {
    const found = source.findAsk(promptId);
    // Answered elsewhere, or withdrawn by the agent, in the moment before the click: the page is told by the next patch.
    if (found?.conversation.answer(found.ask.id, given) !== true) log.info('An answer came too late or was none that is offered');
  };
  const table: IntentTable = {
    send: ({ text }) => operations.send(text),
    cancelTurn: () => operations.stop(),
    unqueue: ({ id }) => conversations.current?.conversation.unqueue(id),
    draft: ({ text }) => {
      source.keepDraft(text);
      return operations.lookForAgent();
    },
    select: ({ promptId, optionId }) => answer(promptId, { type: 'selected', optionId }),
    answer: ({ promptId, text }) => answer(promptId, { type: 'answered', text }),
    dismiss: ({ promptId }) => answer(promptId, { type: 'cancelled' }),
    setOption: ({ selectorId, value }) => operations.setOption(selectorId, value),
    removeChip: ({ id }) => operations.removeChip(id),
    openChip: ({ id }) => operations.openChip(id),
    openLocation: ({ path, line }) => openLocation(path, line, operations.cwd()),
    openDiff: async ({ itemId, index }) => {
      const diff = findDiff(source.view(), itemId, index);
      if (diff !== undefined) await documents.openDiff(diff.path, diff.oldText ?? '', diff.newText);
    },
    openLink: ({ href }) => openLink(href),
    openRaw: async ({ id, part }) => {
      const state = conversations.current?.conversation.state;
      const item = state === undefined ? undefined : findItem(state, id);
      const ask = source.findAsk(id)?.ask;
      const document = item?.kind === 'tool' ? rawDocument(item, part) : ask === undefined ? undefined : rawInputOfAsk(ask);
      if (document !== undefined) await documents.open(document.name, document.text);
    },
    copy: ({ text }) => operations.copyText(text),
    action: ({ action, itemId }) => actions[action](itemId),
    pageError: ({ message }) => log.error('The page reports', message),
  };
  return (intent) => run(table, intent.type, intent);
}

function run<T extends PageIntent['type']>(table: IntentTable, type: T, intent: IntentOf<T>): void | Promise<void> {
  return table[type](intent);
}

export function actionTable(
  operations: Actions,
  window: { showLog(): void; openSettings(): Promise<void>; showSessionControls(): Promise<void> },
): ActionTable {
  return {
    retry: operations.retry,
    retryNow: operations.retryNow,
    stop: operations.stop,
    forceStop: operations.forceStop,
    signIn: operations.signIn,
    setApiKey: operations.setApiKey,
    openSettings: window.openSettings,
    showLog: window.showLog,
    showTraffic: operations.showTraffic,
    reportProblem: operations.reportProblem,
    doctor: operations.doctor,
    restartAgent: operations.restart,
    selectAgent: operations.selectAgent,
    selectMode: operations.selectMode,
    selectModel: operations.selectModel,
    newSession: operations.newSession,
    goOnWithContext: operations.goOnWithContext,
    freshSession: operations.startFresh,
    editTurn: operations.editTurn,
    resendCut: operations.resendCut,
    sendHeld: operations.sendHeld,
    sendAsFile: operations.sendAsFile,
    sendAnyway: operations.sendAnyway,
    keepEditing: operations.keepEditing,
    checkAgain: operations.checkAgain,
    copyInstallCommand: () => operations.copyText(agentaoInstallCommand),
    sessionControls: window.showSessionControls,
    openChatInEditor: operations.openChatInEditor,
  };
}
