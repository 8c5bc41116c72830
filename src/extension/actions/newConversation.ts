/** Actions that begin a conversation, with the user's choice of a folder or an agent. */
import { basename } from 'node:path';
import * as vscode from 'vscode';
import {
  type AgentCatalog,
  type AgentElsewhere,
  type AvailableAgent,
  type CatalogAgent,
  fallbackAgent,
  isAvailable,
  knownAgents,
  listAgentsElsewhere,
  type Registry,
  revealOnOneLine,
} from '../../core/index.js';
import { adapterText, hostName, needText, quarantineText, sourceWord } from '../../text/installText.js';
import { knownRegistry, type LaunchContext, listAgents } from '../agent/agentChoice.js';
import { execute, isUntouched, type OpenConversation, openIfRunning } from '../conversation/openConversations.js';
import { agentSettingsOfOthers, openSettings } from '../window/settings.js';
import { plainLabel } from '../window/windowMessages.js';
import { type Folder, openFolders } from '../window/workspace.js';
import { type ActionParts, type ActionScope, noFolder } from './actionScope.js';
import { addByCommand, addFromElsewhere, fetchNewestList, installAvailable, removeInstalled, updateInstalled } from './addAgent.js';
import { prepareAgent } from './agentActions.js';
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
      if (id !== undefined) await startChosen(parts, await begin(scope, folder, id), id);
    },
    async selectAgent(): Promise<void> {
      const entry = current();
      const { folder, conversation } = entry;
      const id = await chooseAgent(scope, await launchContext(), conversation.state.agent?.id);
      if (id === undefined) return;
      // It may just have been installed.
      if (id === conversation.state.agent?.id) {
        await execute(conversation, { type: 'refresh_agent' });
        return startChosen(parts, entry, id);
      }
      await parts.memory.chooseAgent(id);
      await startChosen(parts, await begin(scope, folder, id), id);
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
 * @returns the conversation in which the user continues
 */
async function begin({ parts, target }: ActionScope, folder: Folder, agentId: string | undefined): Promise<OpenConversation> {
  const { conversations, pages } = parts;
  const before = target();
  const spare = spareIn(parts, folder, before);
  if (spare !== undefined) {
    if (agentId !== spare.conversation.state.agent?.id) await execute(spare.conversation, { type: 'change_agent', ...named(agentId) });
    if (spare !== before) await pages.openInPlaceOf(before, spare);
    await pages.focus(spare, 'composer');
    return spare;
  }
  const entry = conversations.open(folder, { agentId });
  await pages.openInPlaceOf(before, entry);
  await pages.focus(entry, 'composer');
  await openIfRunning(conversations, entry);
  return entry;
}

/** Starts an agent that the user has chosen, even if it was never used, so that its modes and models are there before the first message. */
function startChosen({ agents }: ActionParts, entry: OpenConversation, agentId: string): Promise<void> {
  return prepareAgent(agents, entry, (id) => id === agentId);
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
  const { agents, engine } = scope.parts;
  const versionOf = (agentId: string): string | undefined => engine.facts.state.agents[agentId]?.agentVersion;
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

// The list of agents: those that are ready, those that can be installed, and those that need something else first.

/** What the user wants from the list. */
type AgentWish =
  | { readonly does: 'use'; readonly id: string }
  | { readonly does: 'install'; readonly agent: AvailableAgent }
  | { readonly does: 'update' | 'remove'; readonly agent: InstalledRow }
  /** To run a command in a terminal. */
  | { readonly does: 'show command'; readonly label: string; readonly command: string }
  | { readonly does: 'open settings' }
  | { readonly does: 'add' }
  | { readonly does: 'add from elsewhere'; readonly agent: AgentElsewhere }
  | { readonly does: 'refresh' };

type InstalledRow = CatalogAgent & { readonly installed: NonNullable<CatalogAgent['installed']> };

interface AgentRow {
  readonly state: 'ready' | 'elsewhere' | 'available' | 'missing';
  readonly label: string;
  readonly description: string;
  /** One line that says what it is. */
  readonly detail?: string;
  /** The id of its definition; its name if it has none yet. */
  readonly id: string;
  readonly wish: AgentWish;
  /** What its buttons do. */
  readonly buttons?: readonly Extract<AgentWish, { does: 'update' | 'remove' }>[];
}

/** All agents that there are to choose from. */
type Choices = AgentCatalog & { readonly elsewhere: readonly AgentElsewhere[] };

const order = ['found', 'fallback', 'adapter', 'missing'] as const;

/**
 * Returns the rows in their order.
 * @param versionOf returns the version that the agent reported when it last ran
 */
export function agentRows(
  { agents, available, elsewhere }: Choices,
  versionOf: (agentId: string) => string | undefined,
): readonly AgentRow[] {
  const rankOf = (agent: CatalogAgent): number =>
    order.indexOf(
      !isAvailable(agent) ? (agent.isAdapterMissing === true ? 'adapter' : 'missing') : agent.isFallback ? 'fallback' : 'found',
    );
  const shown = agents.filter((agent) => isAvailable(agent) || available.every(({ id }) => id !== agent.definition.id));
  const rows = shown.toSorted((a, b) => rankOf(a) - rankOf(b)).map((agent) => rowOf(agent, versionOf(agent.definition.id)));
  // First those for which the user has the program already, then those that ACP Host knows best.
  const place = ({ id, isAdapterMissing }: AvailableAgent): number => {
    const known = knownAgents.findIndex((one) => one.id === id);
    return isAdapterMissing === true ? -1 : known === -1 ? knownAgents.length : known;
  };
  const installable = available.toSorted((a, b) => place(a) - place(b));
  return [
    ...rows.filter(({ state }) => state === 'ready'),
    ...elsewhere.map(elsewhereRow),
    ...installable.map(availableRow),
    ...rows.filter(({ state }) => state === 'missing'),
  ];
}

function rowOf(agent: CatalogAgent, version: string | undefined): AgentRow {
  const { definition, path, isFallback, isAdapterMissing, installCommand, installed, update } = agent;
  const { id, label } = definition;
  const ready = { id, label, state: 'ready', wish: { does: 'use', id } } as const;
  if ('url' in definition) return { ...ready, description: joined([version, new URL(definition.url).host]) };
  const program = basename(definition.command);
  if (installed !== undefined && path !== undefined) {
    const row = { ...agent, installed };
    const newer = update === undefined ? undefined : `${update.version} is available`;
    const buttons = [...(update === undefined ? [] : [{ does: 'update', agent: row } as const]), { does: 'remove', agent: row } as const];
    return { ...ready, description: joined([installed.version, newer]), buttons };
  }
  if (path !== undefined) {
    const facts = [version, isFallback ? 'built in, without a model' : program === label ? undefined : program];
    return { ...ready, description: joined(facts) };
  }
  const missing = { id, label, state: 'missing' } as const;
  return installCommand === undefined
    ? { ...missing, description: `${program} was not found · Open Settings…`, wish: { does: 'open settings' } }
    : {
        ...missing,
        description: `${isAdapterMissing === true ? `installed, but ${program} is not` : 'not installed'} · Install…`,
        wish: { does: 'show command', label, command: installCommand },
      };
}

function elsewhereRow(agent: AgentElsewhere): AgentRow {
  const { name, command } = agent;
  const label = revealOnOneLine(name);
  const description = joined([`From ${hostName(agent)}`, revealOnOneLine(basename(command))]);
  return { state: 'elsewhere', id: name, label, description, wish: { does: 'add from elsewhere', agent } };
}

function availableRow(agent: AvailableAgent): AgentRow {
  const { id, label, entry, way, needs, isAdapterMissing } = agent;
  const description = joined([
    entry.version,
    sourceWord(way),
    entry.license,
    needs && needText(needs),
    entry.quarantine && quarantineText(entry.quarantine),
    isAdapterMissing === true ? adapterText(label) : undefined,
  ]);
  const detail = entry.description;
  return { state: 'available', id, label, description, wish: { does: 'install', agent }, ...(detail === undefined ? {} : { detail }) };
}

function joined(facts: readonly (string | undefined)[]): string {
  return facts.filter((fact) => fact !== undefined && fact !== '').join(' · ');
}

interface AgentItem extends vscode.QuickPickItem {
  readonly row?: AgentRow;
  readonly wish?: AgentWish;
}

const refreshButton: vscode.QuickInputButton = { iconPath: new vscode.ThemeIcon('refresh'), tooltip: 'Refresh List' };
const rowButtons = {
  update: { iconPath: new vscode.ThemeIcon('cloud-download'), tooltip: 'Update…' },
  remove: { iconPath: new vscode.ThemeIcon('trash'), tooltip: 'Remove…' },
} as const satisfies Readonly<Record<string, vscode.QuickInputButton>>;

/** @returns undefined if the user closed the list */
async function pickAgent(
  choices: Choices,
  registry: Registry,
  { currentId, versionOf }: { readonly currentId: string | undefined; readonly versionOf: (agentId: string) => string | undefined },
): Promise<AgentWish | undefined> {
  const rows = agentRows(choices, versionOf);
  const list = vscode.window.createQuickPick<AgentItem>();
  list.title = 'Select Agent';
  list.placeholder = 'Switching agents starts a new conversation';
  list.matchOnDescription = true;
  list.matchOnDetail = true;
  list.buttons = [refreshButton];
  list.items = [
    ...section('Ready', rows, 'ready', currentId),
    ...section('Configured Elsewhere', rows, 'elsewhere', currentId),
    { label: '$(add) Add Another…', description: 'by command', wish: { does: 'add' }, alwaysShow: true },
    ...section(
      `Available, as of ${new Date(registry.asOf).toLocaleDateString(undefined, { dateStyle: 'medium' })}`,
      rows,
      'available',
      currentId,
    ),
    ...section('Not Installed', rows, 'missing', currentId),
  ];
  try {
    return await new Promise<AgentWish | undefined>((resolve) => {
      list.onDidAccept(() => resolve(list.selectedItems[0]?.row?.wish ?? list.selectedItems[0]?.wish));
      list.onDidHide(() => resolve(undefined));
      list.onDidTriggerButton(() => resolve({ does: 'refresh' }));
      list.onDidTriggerItemButton(({ item, button }) =>
        resolve(item.row?.buttons?.find(({ does }) => rowButtons[does].tooltip === button.tooltip)),
      );
      list.show();
    });
  } finally {
    list.dispose();
  }
}

function separator(label: string): AgentItem {
  return { label, kind: vscode.QuickPickItemKind.Separator };
}

function section(title: string, rows: readonly AgentRow[], state: AgentRow['state'], currentId: string | undefined): readonly AgentItem[] {
  const own = rows.filter((row) => row.state === state);
  if (own.length === 0) return [];
  const items = own.map((row): AgentItem => {
    const icon = {
      ready: row.id === currentId ? '$(check)' : '$(blank)',
      elsewhere: '$(add)',
      available: '$(cloud-download)',
      missing: '$(circle-slash)',
    }[state];
    const label = `${icon} ${plainLabel(row.label)}`;
    const buttons = (row.buttons ?? []).map(({ does }) => rowButtons[does]);
    return { row, label, description: plainLabel(row.description), ...(row.detail && { detail: plainLabel(row.detail) }), buttons };
  });
  return [separator(title), ...items];
}
