/** Actions that begin a conversation, with the user's choice of a folder or an agent. */
import * as vscode from 'vscode';
import { fallbackAgent, listAgentsElsewhere } from '../../core/index.js';
import { knownRegistry, type LaunchContext, listAgents } from '../agent/agentChoice.js';
import { execute, isUntouched, type OpenConversation, openIfRunning } from '../conversation/openConversations.js';
import { type Folder, openFolders } from '../window/workspace.js';
import { agentSettingsOfOthers, openSettings } from '../window/settings.js';
import { type ActionParts, type ActionScope, noFolder } from './actionScope.js';
import { addByCommand, addFromElsewhere, fetchNewestList, installAvailable, removeInstalled, updateInstalled } from './addAgent.js';
import { pickAgent } from './agentPicker.js';
import { pickFolder } from './pickers.js';

export function createNewConversationActions(scope: ActionScope) {
  const { parts, target, current, launchContext } = scope;
  return {
    async newSession(): Promise<void> {
      const folder = await chooseFolder(scope);
      const before = target();
      if (folder !== undefined) await begin(scope, folder, before === undefined ? undefined : launchedIn(before, folder.path));
    },
    async newSessionWithAgent(): Promise<void> {
      const folder = await chooseFolder(scope);
      if (folder === undefined) return;
      const context = { env: await parts.agents.baseEnv(), cwd: folder.path };
      const id = await chooseAgent(scope, context, target()?.conversation.state.agent?.id);
      if (id !== undefined) await begin(scope, folder, id);
    },
    async selectAgent(): Promise<void> {
      const { folder, conversation } = current();
      const id = await chooseAgent(scope, await launchContext(), conversation.state.agent?.id);
      if (id === undefined) return;
      // It may just have been installed.
      if (id === conversation.state.agent?.id) return void (await execute(conversation, { type: 'refresh_agent' }));
      await parts.rememberAgent(id);
      await begin(scope, folder, id);
    },
    /** It answers anyway. As the user's choice, the chat shows what it can do. */
    async tryBuiltInAgent(): Promise<void> {
      await execute(current().conversation, { type: 'change_agent', agentId: fallbackAgent.id });
    },
  };
}

/** @throws HostError `usage` while no folder is open */
function chooseFolder({ ask }: ActionScope): Promise<Folder | undefined> {
  const folders = openFolders();
  if (folders.length === 0) throw noFolder();
  return ask(() => pickFolder(folders));
}

/**
 * Continues with an empty conversation if there is one, else begins another one in the same place. The previous conversation continues to
 * run.
 */
async function begin({ parts, target }: ActionScope, folder: Folder, agentId: string | undefined): Promise<void> {
  const { conversations, pages } = parts;
  const before = target();
  const spare = spareIn(parts, folder, before);
  if (spare !== undefined) {
    if (agentId !== spare.conversation.state.agent?.id) await execute(spare.conversation, { type: 'change_agent', ...named(agentId) });
    if (spare !== before) await pages.openInPlaceOf(before, spare);
    return pages.focus(spare, 'composer');
  }
  const entry = conversations.open(folder, { agentId });
  await pages.openInPlaceOf(before, entry);
  await pages.focus(entry, 'composer');
  await openIfRunning(conversations, entry);
}

/** Shows an empty conversation in the chat view in place of one that has moved elsewhere. */
export function makeRoom(parts: ActionParts, moved: OpenConversation): void {
  const { conversations } = parts;
  if (conversations.shown?.id !== moved.id) return;
  const agentId = launchedIn(moved, moved.folder.path);
  conversations.show(spareIn(parts, moved.folder, undefined) ?? conversations.open(moved.folder, { agentId }));
}

/**
 * Returns an empty conversation of the folder that no page shows, except for the one that is being replaced. What was left in the composer
 * of another one is not for the new conversation.
 */
function spareIn(
  { conversations, pages, sources }: ActionParts,
  folder: Folder,
  before: OpenConversation | undefined,
): OpenConversation | undefined {
  return [before, ...conversations.all].find(
    (one) =>
      one !== undefined &&
      one.folder.path === folder.path &&
      isUntouched(one.conversation.state) &&
      (one === before || (one !== conversations.shown && !pages.hasTab(one.id) && sources.of(one).isEmpty)),
  );
}

/** @returns the chosen agent; undefined if none was chosen, or if something else was done with the list */
async function chooseAgent(scope: ActionScope, context: LaunchContext, currentId: string | undefined): Promise<string | undefined> {
  const { agents, versionOf } = scope.parts;
  const catalog = await listAgents(agents, context);
  const elsewhere = listAgentsElsewhere(
    catalog.agents.map(({ definition }) => definition),
    context.env,
    agentSettingsOfOthers(),
  );
  const wish = await scope.ask(() => pickAgent({ ...catalog, elsewhere }, knownRegistry(agents), { currentId, versionOf }));
  switch (wish?.does) {
    case undefined:
      return undefined;
    case 'use':
      return wish.id;
    case 'install':
      return installAvailable(scope, wish.agent);
    case 'update': {
      const { update, definition, installed } = wish.agent;
      if (update !== undefined) await updateInstalled(scope, { entry: update, label: definition.label }, installed);
      return undefined;
    }
    case 'remove':
      await removeInstalled(scope, wish.agent.installed, wish.agent.definition.label);
      return undefined;
    case 'show command':
      offerInstall(wish.label, wish.command);
      return undefined;
    case 'open settings':
      await openSettings('agents');
      return undefined;
    case 'add':
      return addByCommand(scope, context);
    case 'add from elsewhere':
      return addFromElsewhere(scope, context, wish.agent);
    case 'refresh':
      await fetchNewestList(agents);
      return chooseAgent(scope, context, currentId);
  }
}

function launchedIn({ folder, conversation: { state } }: OpenConversation, path: string): string | undefined {
  return folder.path !== path || state.agent?.isFallback !== false ? undefined : state.agent.id;
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
