/** What each entry of the table of user actions does, and what only a page asks for. Commands, buttons and the page all end in these. */
import * as vscode from 'vscode';
import { type AgentSources, type LaunchContext, listAgents, providerSettings, startableAgent } from '../agent/agentChoice.js';
import { signInWithTerminal } from '../agent/signIn.js';
import type { ChatPages } from '../chat/chatPages.js';
import type { ChatSource } from '../chat/chatSource.js';
import { pickAgent, pickConversation, pickFolder, pickMethod, pickOption } from './pickers.js';
import { askProvider } from './providerDialog.js';
import { execute } from '../conversation/execute.js';
import { mayPrepare } from '../conversation/mayPrepare.js';
import type { FolderConversation, FolderConversations } from '../conversation/folderConversations.js';
import type { Doctor } from '../doctor/doctor.js';
import { doctorDocument } from '../doctor/doctorText.js';
import { withProgress } from '../doctor/progress.js';
import type { Documents } from '../editor/documents.js';
import { selectionChip } from '../editor/selection.js';
import { type Folder, openFolders } from '../window/folders.js';
import { openSettings } from '../window/settings.js';
import { isTrusted } from '../window/trust.js';
import { createPromptActions } from './promptActions.js';
import { pickControl } from './sessionControls.js';
import {
  type AgentDefinition,
  type AuthMethod,
  type ConversationClient,
  type ConversationCommand,
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
  readonly conversations: FolderConversations;
  readonly source: ChatSource;
  readonly pages: ChatPages;
  readonly documents: Documents;
  readonly traffic: { show(): Promise<void> };
  showLog(): void;
  reportProblem(): Promise<void>;
  readonly agents: AgentSources;
  readonly journals: JournalStore;
  readonly doctor: Doctor;
  showFolder(folder: Folder): ConversationClient;
  rememberAgent(id: string): Promise<void>;
  /** It ran here before. */
  wasUsed(agentId: string): boolean;
  /** Of an agent that ran here before, where it told it. */
  versionOf(agentId: string): string | undefined;
}

/** An action without a function does not compile. `itemId`: the item of the page whose button it was; `methodId`: the way to sign in that the button names. */
export type ActionTable = { readonly [A in Action]: (itemId?: string, methodId?: string) => void | Promise<void> };

export type Actions = ReturnType<typeof createActions>;

export function createActions(parts: ActionParts) {
  const { conversations, source, pages, documents, traffic, agents } = parts;

  /** @throws HostError `usage` while no folder is open */
  const current = (): FolderConversation => {
    const entry = conversations.current;
    if (entry === undefined) throw new HostError('usage', { detail: 'Open a folder first: an agent works in a folder' });
    return entry;
  };
  const run = async (command: ConversationCommand): Promise<void> => void (await execute(current().conversation, command));
  const launchContext = async (): Promise<LaunchContext> => ({ env: await agents.baseEnv(), cwd: current().folder.path });

  const setOption = async (optionId: string, value: string | boolean): Promise<void> => {
    const { conversation } = current();
    if (await execute(conversation, { type: 'open' })) await execute(conversation, { type: 'set_option', optionId, value });
  };

  const choose = async (category: SelectorView['category']): Promise<void> => {
    const { conversation } = current();
    if (!(await execute(conversation, { type: 'open' }))) return pages.focus('composer');
    const selector = source.view().composer.selectors.find((one) => one.category === category);
    if (selector === undefined) throw new HostError('unsupported', { detail: `The agent doesn't offer a choice of ${category}` });
    const value = await pickOption(selector);
    if (value !== undefined) await setOption(selector.id, value);
  };

  /** As `startableAgent`, with the path at which its command was found. */
  const launchable = async (folder: Folder, agentId: string | undefined): Promise<AgentDefinition> => {
    const { definition } = await startableAgent(agents, folder.path, agentId);
    const found = (await listAgents(agents, await launchContext())).find((one) => one.definition.id === definition.id);
    return { ...definition, command: found?.path ?? definition.command };
  };
  const signInBy = async (method: AuthMethod, { folder, conversation }: FolderConversation): Promise<void> => {
    if (method.type === 'agent') return run({ type: 'sign_in', methodId: method.id });
    const definition = await launchable(folder, conversation.state.agent?.id);
    // ACP: what was saved in the terminal is read by a new process.
    if (await signInWithTerminal(method, { definition, cwd: folder.path })) await execute(conversation, { type: 'restart' });
  };

  const promptActions = createPromptActions({ source, documents, current: () => current().conversation });
  const copyText = async (text: string): Promise<void> => vscode.env.clipboard.writeText(text);

  const table: ActionTable = {
    ...promptActions,
    stop: (): Promise<void> => run({ type: 'cancel', scope: 'everything' }),
    forceStop: (): Promise<void> => run({ type: 'force_stop' }),
    retryNow: (): Promise<void> => run({ type: 'retry_now' }),
    async newSession(): Promise<void> {
      const folder = await pickFolder(openFolders());
      if (folder === undefined) return;
      await execute(parts.showFolder(folder), { type: 'new_session' });
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
      const { agentId, sessionId, createdAt } = chosen;
      await execute(conversation, { type: 'open_earlier', key: { agentId, sessionId, createdAt } });
      await pages.focus('composer');
    },
    restartAgent: (): Promise<void> => run({ type: 'restart' }),
    async checkAgain(): Promise<void> {
      const { conversation } = current();
      await agents.baseEnv();
      await execute(conversation, { type: 'refresh_agent' });
      if (conversation.state.outbox.length > 0) await execute(conversation, { type: 'retry' });
    },
    async selectAgent(): Promise<void> {
      const { conversation } = current();
      const found = await listAgents(agents, await launchContext());
      const row = await pickAgent(found, conversation.state.agent?.id, parts.versionOf);
      if (row === undefined || row.id === conversation.state.agent?.id) return;
      if (row.state === 'missing') return row.installCommand === undefined ? openSettings() : offerInstall(row.label, row.installCommand);
      const { id } = row;
      await parts.rememberAgent(id);
      await execute(conversation, { type: 'change_agent' });
      await pages.focus('composer');
    },
    selectMode: (): Promise<void> => choose('mode'),
    selectModel: (): Promise<void> => choose('model'),
    async signIn(_itemId?: string, methodId?: string): Promise<void> {
      const entry = current();
      const methods = entry.conversation.state.info?.authMethods ?? [];
      const method = methods.find(({ id }) => id === methodId) ?? (methods.length > 1 ? await pickMethod(methods) : methods[0]);
      if (method === undefined && methods.length > 1) return;
      if (method === undefined) throw new HostError('unsupported', { reason: 'sign_in' });
      await signInBy(method, entry);
    },
    async setApiKey(): Promise<void> {
      const conversation = conversations.current?.conversation;
      const agent = providerAgent(conversation?.state.agent);
      const changed = await askProvider(agent, providerSettings(agent, agents.settings()), agents.apiKeys);
      if (!changed || conversation === undefined) return;
      // The key is in the environment of a process, so it needs a new one; without a process it is read at the next start.
      await execute(conversation, { type: 'restart', ifStarted: true });
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
    /** The user is about to write: the agent is ready by the time there is something to send. */
    async prepareAgent(): Promise<void> {
      const conversation = conversations.current?.conversation;
      if (
        conversation !== undefined &&
        agents.settings().startWhenComposing &&
        isTrusted() &&
        mayPrepare(conversation.state, parts.wasUsed)
      )
        await execute(conversation, { type: 'open' });
    },
    /** The user began to write: time to find out which agent it will be, also where that takes asking the login shell. */
    async lookForAgent(): Promise<void> {
      const before = agents.knownEnv();
      const conversation = conversations.current?.conversation;
      if ((await agents.baseEnv()) !== before && conversation !== undefined) await execute(conversation, { type: 'refresh_agent' });
    },
    cwd: (): string => current().folder.path,
  };
}

/** The command stands in a terminal; that it runs is the user's doing. */
function offerInstall(label: string, command: string): void {
  const terminal = vscode.window.createTerminal(`Install ${label}`);
  terminal.show();
  terminal.sendText(command, false);
}

/** Who has no agent of their own yet may prepare the one that is suggested. @throws HostError `unsupported` for an agent that takes no provider */
function providerAgent(agent: { readonly id: string; readonly label: string } | undefined): ProviderAgent {
  if (agent === undefined || agent.id === fallbackAgent.id) return suggestedAgent;
  const known = findKnownAgent(agent.id);
  if (!takesProvider(known)) throw new HostError('unsupported', { detail: `${agent.label} takes no API key from here` });
  return known;
}
