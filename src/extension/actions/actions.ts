/** The functions for the table of user actions, and for what only a page asks for. Commands, buttons and the page all end up here. */
import * as vscode from 'vscode';
import { type AgentSources, type LaunchContext, listAgents, providerSettings, startableAgent } from '../agent/agentChoice.js';
import { signInWithTerminal } from '../agent/signIn.js';
import type { ChatPages } from '../chat/chatPages.js';
import type { ChatSource } from '../chat/chatSource.js';
import type { ChatSources } from '../chat/chatSources.js';
import type { PendingPrompts } from '../chat/pendingPrompts.js';
import { createCodeTasks } from './codeTasks.js';
import { createListActions } from './listActions.js';
import { askOption, pickAgent, pickFolder, pickMethod, pickOption } from './pickers.js';
import { askProvider } from './providerDialog.js';
import { execute } from '../conversation/execute.js';
import { mayPrepare } from '../conversation/mayPrepare.js';
import type { OpenConversation, OpenConversations } from '../conversation/openConversations.js';
import { isUntouched } from '../conversation/untouched.js';
import type { Doctor } from '../doctor/doctor.js';
import { doctorDocument } from '../doctor/doctorText.js';
import { collectFindings } from '../doctor/progress.js';
import type { Documents } from '../editor/documents.js';
import { selectionChip } from '../editor/selection.js';
import { type Folder, openFolders } from '../window/folders.js';
import { openSettings } from '../window/settings.js';
import { isTrusted } from '../window/trust.js';
import { createPromptActions } from './promptActions.js';
import { askServerKey, askTrust, failureOf } from './serverAccess.js';
import { pickControl } from './sessionControls.js';
import { signInByAgent } from './signInByAgent.js';
import {
  type AgentDefinition,
  type AuthMethod,
  type ConversationCommand,
  fallbackAgent,
  findKnownAgent,
  HostError,
  type ProviderAgent,
  type ServerDefinition,
  suggestedAgent,
  takesProvider,
} from '../../core/index.js';
import type { Action } from '../../contract/actions.js';
import { otherValue, type SelectorView } from '../../contract/view.js';

export interface ActionParts {
  readonly conversations: OpenConversations;
  readonly sources: ChatSources;
  readonly pending: PendingPrompts;
  readonly pages: ChatPages;
  readonly documents: Documents;
  readonly traffic: { show(): Promise<void> };
  showLog(): void;
  reportProblem(): Promise<void>;
  readonly agents: AgentSources;
  readonly list: { showArchived(shows: boolean): void };
  readonly doctor: Doctor;
  rememberAgent(id: string): Promise<void>;
  /** Whether the agent has been used here before. */
  wasUsed(agentId: string): boolean;
  /** Returns the version of an agent that ran here before, if the agent reported it. */
  versionOf(agentId: string): string | undefined;
}

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
  const { conversations, sources, pending, pages, documents, traffic, agents } = parts;

  /** @throws HostError `usage` while no folder is open */
  const current = (): OpenConversation => {
    const entry = target();
    if (entry === undefined) throw new HostError('usage', { detail: 'Agents work in a folder. Open a folder first' });
    return entry;
  };
  const source = (): ChatSource => sources.of(target());
  const run = async (command: ConversationCommand): Promise<void> => void (await execute(current().conversation, command));
  const launchContext = async (): Promise<LaunchContext> => ({ env: await agents.baseEnv(), cwd: current().folder.path });

  const setOption = async (optionId: string, value: string | boolean): Promise<void> => {
    const { conversation } = current();
    if (!(await execute(conversation, { type: 'open' }))) return;
    const option = conversation.state.session?.options.find(({ id }) => id === optionId);
    const chosen = value === otherValue && option?.type === 'select' ? await askOption(option) : value;
    if (chosen !== undefined) await execute(conversation, { type: 'set_option', optionId, value: chosen });
  };

  const choose = async (category: SelectorView['category']): Promise<void> => {
    const { conversation } = current();
    if (!(await execute(conversation, { type: 'open' }))) return pages.focus(target(), 'composer');
    const selector = source()
      .view()
      .composer.selectors.find((one) => one.category === category);
    if (selector === undefined) throw new HostError('unsupported', { detail: `The agent doesn't offer a choice of ${category}` });
    const value = await pickOption(selector);
    if (value !== undefined) await setOption(selector.id, value);
  };

  /** Like `startableAgent`, but with the path at which the command was found. */
  const launchable = async (folder: Folder, agentId: string | undefined): Promise<AgentDefinition> => {
    const { definition } = await startableAgent(agents, folder.path, agentId);
    const found = (await listAgents(agents, await launchContext())).find((one) => one.definition.id === definition.id);
    return 'url' in definition ? definition : { ...definition, command: found?.path ?? definition.command };
  };
  const signInBy = async (method: AuthMethod, { folder, conversation }: OpenConversation): Promise<void> => {
    if (method.type === 'agent') return signInByAgent(method, conversation);
    const definition = await launchable(folder, conversation.state.agent?.id);
    // ACP: a new process reads what was saved in the terminal.
    if (await signInWithTerminal(method, { definition, cwd: folder.path })) await execute(conversation, { type: 'restart' });
  };

  /** @returns the chosen agent; undefined if none was chosen, or if the way to install it is shown */
  const chooseAgent = async (context: LaunchContext, currentId: string | undefined): Promise<string | undefined> => {
    const row = await pickAgent(await listAgents(agents, context), currentId, parts.versionOf);
    if (row?.state !== 'missing') return row?.id;
    if (row.installCommand === undefined) await openSettings();
    else offerInstall(row.label, row.installCommand);
    return undefined;
  };

  const launchedIn = ({ folder, conversation: { state } }: OpenConversation, path: string): string | undefined =>
    folder.path !== path || state.agent?.isFallback !== false ? undefined : state.agent.id;

  /**
   * Continues with an empty conversation if there is one, else begins another one in the same place. The previous conversation continues to
   * run.
   */
  const begin = async (folder: Folder, agentId: string | undefined): Promise<void> => {
    const before = target();
    const spare = [before, ...conversations.all].find(
      (one) =>
        one?.folder.path === folder.path &&
        isUntouched(one.conversation.state) &&
        (one === before || (one !== conversations.shown && !pages.hasTab(one.id) && sources.of(one).draft() === '')),
    );
    if (spare !== undefined) {
      if (agentId !== spare.conversation.state.agent?.id) await execute(spare.conversation, { type: 'change_agent', ...named(agentId) });
      if (spare !== before) await pages.openInPlaceOf(before, spare);
      return pages.focus(spare, 'composer');
    }
    const entry = conversations.open(folder, { agentId });
    await pages.openInPlaceOf(before, entry);
    await pages.focus(entry, 'composer');
    // If the agent is already running, its options should be there before the first message.
    const runs = before?.conversation.state.status.state !== 'stopped' && before?.conversation.state.agent?.id === agentId;
    if (runs && agentId !== undefined) await execute(entry.conversation, { type: 'open' });
  };

  /**
   * Returns the server as the settings define it.
   * @returns undefined for an agent that is a process
   */
  const serverOf = async (agentId: string | undefined): Promise<ServerDefinition | undefined> => {
    if (target() === undefined) return undefined;
    const definition = (await listAgents(agents, await launchContext())).find((one) => one.definition.id === agentId)?.definition;
    return definition !== undefined && 'url' in definition ? definition : undefined;
  };

  const promptActions = createPromptActions({ source, documents, current: () => current().conversation });
  const copyText = async (text: string): Promise<void> => vscode.env.clipboard.writeText(text);

  const table: ActionTable = {
    ...promptActions,
    ...createCodeTasks({ current, focus: (entry) => pages.focus(entry, 'composer') }),
    stop: (): Promise<void> => run({ type: 'cancel', scope: 'everything' }),
    forceStop: (): Promise<void> => run({ type: 'force_stop' }),
    retryNow: (): Promise<void> => run({ type: 'retry_now' }),
    async newSession(): Promise<void> {
      const folder = await pickFolder(openFolders());
      const before = target();
      if (folder !== undefined) await begin(folder, before === undefined ? undefined : launchedIn(before, folder.path));
    },
    async newSessionWithAgent(): Promise<void> {
      const folder = await pickFolder(openFolders());
      if (folder === undefined) return;
      const context = { env: await agents.baseEnv(), cwd: folder.path };
      const id = await chooseAgent(context, target()?.conversation.state.agent?.id);
      if (id !== undefined) await begin(folder, id);
    },
    ...createListActions({ conversations, pages }, targetId),
    async filterConversations(): Promise<void> {
      await vscode.commands.executeCommand('acpHost.conversations.focus');
      await vscode.commands.executeCommand('list.find');
    },
    showArchived: (): void => parts.list.showArchived(true),
    hideArchived: (): void => parts.list.showArchived(false),
    restartAgent: (): Promise<void> => run({ type: 'restart' }),
    async checkAgain(): Promise<void> {
      const { conversation } = current();
      await agents.baseEnv();
      await execute(conversation, { type: 'refresh_agent' });
      if (conversation.state.outbox.length > 0) await execute(conversation, { type: 'retry' });
    },
    async selectAgent(): Promise<void> {
      const { folder, conversation } = current();
      const id = await chooseAgent(await launchContext(), conversation.state.agent?.id);
      if (id === undefined || id === conversation.state.agent?.id) return;
      await parts.rememberAgent(id);
      await begin(folder, id);
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
      const conversation = target()?.conversation;
      const server = await serverOf(conversation?.state.agent?.id);
      if (server !== undefined) {
        if (await askServerKey(server, agents.servers)) await run({ type: 'restart' });
        return;
      }
      const agent = providerAgent(conversation?.state.agent);
      const changed = await askProvider(agent, providerSettings(agent, agents.settings()), agents.apiKeys);
      if (!changed || conversation === undefined) return;
      // The key is in the environment of the process, so a running agent needs a new process; otherwise, the next start reads it.
      await execute(conversation, { type: 'restart', ifStarted: true });
    },
    async trustServer(): Promise<void> {
      const { state } = current().conversation;
      const server = await serverOf(state.agent?.id);
      if (server === undefined) throw new HostError('unsupported', { detail: 'This agent is not a server' });
      if (await askTrust(server, failureOf(state), agents.servers, server.pin)) await run({ type: 'restart' });
    },
    async openChat(): Promise<void> {
      const own = target();
      const waiting = pending.all.find(({ entry }) => entry === own) ?? pending.all[0];
      await (waiting === undefined ? pages.focus(own, 'composer') : pages.focus(waiting.entry, 'prompt'));
    },
    async openChatInEditor(): Promise<void> {
      await pages.openTab(current());
      await pages.focus(current(), 'composer');
    },
    async addSelectionToChat(): Promise<void> {
      source().addChip(selectionChip());
      await pages.focus(target(), 'composer');
    },
    showTraffic: (): Promise<void> => traffic.show(),
    reportProblem: (): Promise<void> => parts.reportProblem(),
    async doctor(): Promise<void> {
      const { folder, conversation } = current();
      const agent = conversation.state.agent;
      const findings = await collectFindings('Checking what the agent needs', (report, signal) =>
        parts.doctor.examine(folder.path, agent?.id, report, signal),
      );
      if (findings !== undefined) await documents.open('ACP Host Diagnostics.md', doctorDocument(agent?.label ?? 'the agent', findings));
    },
    /** The command that is visible. */
    copyInstallCommand: (): Promise<void> => copyText(source().view().banner?.command ?? suggestedAgent.install.command),
    openSettings,
    showLog: parts.showLog,
    async sessionControls(): Promise<void> {
      const action = await pickControl(source().view(), pending.all.length);
      if (action !== undefined) await table[action]();
    },
  };
  return {
    ...promptActions,
    ...table,
    setOption,
    copyText,
    /** The user is about to write, so this starts the agent before there is something to send. */
    async prepareAgent(): Promise<void> {
      const conversation = target()?.conversation;
      if (
        conversation !== undefined &&
        agents.settings().startWhenComposing &&
        isTrusted() &&
        mayPrepare(conversation.state, parts.wasUsed)
      )
        await execute(conversation, { type: 'open' });
    },
    /** The user has begun to write, so this determines the agent, even if that means asking the login shell. */
    async lookForAgent(): Promise<void> {
      const before = agents.knownEnv();
      const conversation = target()?.conversation;
      if ((await agents.baseEnv()) !== before && conversation !== undefined) await execute(conversation, { type: 'refresh_agent' });
    },
    cwd: (): string => current().folder.path,
  };
}

/** Types the command into a terminal; the user decides whether to run it. */
function offerInstall(label: string, command: string): void {
  const terminal = vscode.window.createTerminal(`Install ${label}`);
  terminal.show();
  terminal.sendText(command, false);
}

/** @param agentId the user's choice if undefined */
function named(agentId: string | undefined): { readonly agentId?: string } {
  return agentId === undefined ? {} : { agentId };
}

/**
 * For users without an agent of their own, returns the suggested one.
 * @throws HostError `unsupported` for an agent that takes no provider
 */
function providerAgent(agent: { readonly id: string; readonly label: string } | undefined): ProviderAgent {
  if (agent === undefined || agent.id === fallbackAgent.id) return suggestedAgent;
  const known = findKnownAgent(agent.id);
  if (!takesProvider(known)) throw new HostError('unsupported', { detail: `${agent.label} doesn't accept an API key from ACP Host` });
  return known;
}
