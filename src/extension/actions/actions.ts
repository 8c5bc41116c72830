/** What each entry of the table of user actions does, and what only a page asks for. Commands, buttons and the page all end in these. */
import * as vscode from 'vscode';
import { type AgentSources, type LaunchContext, listAgents, providerSettings } from '../agent/agentChoice.js';
import { signIn } from '../agent/signIn.js';
import { signInMethod } from '../chat/bannerView.js';
import type { ChatPages } from '../chat/chatPages.js';
import type { ChatSource } from '../chat/chatSource.js';
import { pickAgent, pickConversation, pickFolder, pickOption } from './pickers.js';
import { askProvider } from './providerDialog.js';
import type { Conversation } from '../conversation/conversation.js';
import type { Conversations } from '../conversation/folderConversations.js';
import type { Folder } from '../conversation/ports.js';
import type { LongTextFile } from '../conversation/longTextFiles.js';
import type { Doctor } from '../doctor/doctor.js';
import { doctorDocument } from '../doctor/doctorText.js';
import { withProgress } from '../doctor/progress.js';
import type { Documents } from '../editor/documents.js';
import { selectionChip } from '../editor/selection.js';
import { openFolders } from '../window/folders.js';
import { openSettings } from '../window/settings.js';
import { createPromptActions } from './promptActions.js';
import { pickControl } from './sessionControls.js';
import {
  fallbackAgent,
  findKnownAgent,
  HostError,
  type JournalStore,
  type ProviderAgent,
  suggestedAgent,
  takesProvider,
} from '../../core/index.js';
import type { Action } from '../../contract/actions.js';
import type { SelectorView } from '../../contract/view.js';

export interface ActionParts {
  readonly conversations: Conversations;
  readonly source: ChatSource;
  readonly pages: ChatPages;
  readonly documents: Documents;
  readonly traffic: { show(): Promise<void> };
  showLog(): void;
  reportProblem(): Promise<void>;
  readonly agents: AgentSources;
  readonly journals: JournalStore;
  readonly doctor: Doctor;
  /** Puts a text into a file that an agent can read. */
  writeTextFile(text: string): Promise<LongTextFile>;
  showFolder(folder: Folder): Conversation;
  rememberAgent(id: string): Promise<void>;
}

/** An action without a function does not compile. `itemId`: the item of the page whose button it was. */
export type ActionTable = { readonly [A in Action]: (itemId?: string) => void | Promise<void> };

export type Actions = ReturnType<typeof createActions>;

export function createActions(parts: ActionParts) {
  const { conversations, source, pages, documents, traffic, agents } = parts;

  /** @throws HostError `usage` while no folder is open */
  const current = (): { readonly folder: Folder; readonly conversation: Conversation } => {
    const entry = conversations.current;
    if (entry === undefined) throw new HostError('usage', 'Open a folder first: an agent works in a folder');
    return entry;
  };
  const launchContext = async (): Promise<LaunchContext> => ({ env: await agents.baseEnv(), cwd: current().folder.path });

  const setOption = async (optionId: string, value: string | boolean): Promise<void> => {
    const session = await current().conversation.open();
    await session?.setOption(optionId, value);
  };

  const choose = async (category: SelectorView['category']): Promise<void> => {
    const { conversation } = current();
    if ((await conversation.open()) === undefined) return pages.focus('composer');
    const selector = source.view().composer.selectors.find((one) => one.category === category);
    if (selector === undefined) throw new HostError('unsupported', `The agent doesn't offer a choice of ${category}`);
    const value = await pickOption(selector);
    if (value !== undefined) await setOption(selector.id, value);
  };

  const promptActions = createPromptActions({
    source,
    documents,
    writeTextFile: parts.writeTextFile,
    current: () => current().conversation,
  });
  const copyText = async (text: string): Promise<void> => vscode.env.clipboard.writeText(text);

  const table: ActionTable = {
    ...promptActions,
    stop(): void {
      conversations.current?.conversation.cancel();
    },
    forceStop: (): Promise<void> => current().conversation.forceStop(),
    retryNow(): void {
      conversations.current?.conversation.host?.retryNow();
    },
    async newSession(): Promise<void> {
      const folder = await pickFolder(openFolders());
      if (folder === undefined) return;
      await parts.showFolder(folder).newSession();
      await pages.focus('composer');
    },
    async showHistory(): Promise<void> {
      const { conversation, folder } = current();
      const saved = (await parts.journals.list()).filter(({ cwd }) => cwd === folder.path).sort((a, b) => b.updatedAt - a.updatedAt);
      if (saved.length === 0) {
        // Not awaited: the message stays for as long as it likes.
        void vscode.window.showInformationMessage('No saved conversations in this folder yet');
        return;
      }
      const chosen = await pickConversation(saved, conversation.state.session);
      if (chosen === undefined) return;
      await conversation.openEarlier(chosen);
      await pages.focus('composer');
    },
    restartAgent: (): Promise<void> => current().conversation.restart(),
    async checkAgain(): Promise<void> {
      const { conversation } = current();
      await agents.baseEnv();
      await conversation.refreshAgent();
      if (conversation.state.unsent.length > 0) await conversation.sendUnsent();
    },
    async selectAgent(): Promise<void> {
      const { conversation } = current();
      const id = await pickAgent(await listAgents(agents, await launchContext()), conversation.state.agent?.id);
      if (id === undefined || id === conversation.state.agent?.id) return;
      await parts.rememberAgent(id);
      await conversation.changeAgent();
      await pages.focus('composer');
    },
    selectMode: (): Promise<void> => choose('mode'),
    selectModel: (): Promise<void> => choose('model'),
    async signIn(): Promise<void> {
      const { conversation, folder } = current();
      const method = signInMethod(conversation.state);
      const host = conversation.host;
      if (method === undefined || host === undefined) throw new HostError('unsupported', "The agent doesn't support signing in from here");
      const found = (await listAgents(agents, await launchContext())).find(({ definition }) => definition.id === host.agent.id);
      const definition = { ...host.agent, command: found?.path ?? host.agent.command };
      if (await signIn(method, host, { definition, cwd: folder.path })) await conversation.sendUnsent();
    },
    async setApiKey(): Promise<void> {
      const conversation = conversations.current?.conversation;
      const agent = providerAgent(conversation?.state.agent);
      const changed = await askProvider(agent, providerSettings(agent, agents.settings()), agents.apiKeys);
      if (!changed || conversation === undefined) return;
      // The key is in the environment of a process, so it needs a new one; without a process it is read at the next start.
      if (conversation.host !== undefined) await conversation.restart();
    },
    async openChat(): Promise<void> {
      await pages.focus(source.view().prompts.length > 0 ? 'prompt' : 'composer');
    },
    async openChatInEditor(): Promise<void> {
      await pages.openPanel();
      await pages.focus('composer');
    },
    async addSelectionToChat(): Promise<void> {
      source.addChip(selectionChip());
      await pages.focus('composer');
    },
    showTraffic: (): Promise<void> => traffic.show(),
    reportProblem: (): Promise<void> => parts.reportProblem(),
    async doctor(): Promise<void> {
      const { folder, conversation } = current();
      const agent = conversation.state.agent;
      const findings = await withProgress('Checking what the agent needs', (report, signal) =>
        parts.doctor.examine(folder.path, agent?.id, report, signal),
      );
      if (findings !== undefined) await documents.open('ACP Host Diagnostics.md', doctorDocument(agent?.label ?? 'the agent', findings));
    },
    /** The one on screen. */
    copyInstallCommand: (): Promise<void> => copyText(source.view().banner?.command ?? suggestedAgent.install.command),
    openSettings,
    showLog: parts.showLog,
    async sessionControls(): Promise<void> {
      const action = await pickControl(source.view());
      if (action !== undefined) await table[action]();
    },
  };
  return {
    ...promptActions,
    ...table,
    setOption,
    copyText,
    /** The user began to write: time to find out which agent it will be, also where that takes asking the login shell. */
    async lookForAgent(): Promise<void> {
      const before = agents.knownEnv();
      if ((await agents.baseEnv()) !== before) await conversations.current?.conversation.refreshAgent();
    },
    cwd: (): string => current().folder.path,
  };
}

/** Who has no agent of their own yet may prepare the one that is suggested. @throws HostError `unsupported` for an agent that takes no provider */
function providerAgent(agent: { readonly id: string; readonly label: string } | undefined): ProviderAgent {
  if (agent === undefined || agent.id === fallbackAgent.id) return suggestedAgent;
  const known = findKnownAgent(agent.id);
  if (!takesProvider(known)) throw new HostError('unsupported', `${agent.label} takes no API key from here`);
  return known;
}
