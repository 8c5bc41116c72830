/**
 * Adds an agent to the settings that the user knows by its command, or has in those of another application, after trying it. Installs, updates
 * and removes agents of the ACP registry, with the user's consent to each step that needs it.
 */
import { basename } from 'node:path';
import type { ActionScope } from './actionScope.js';
import type { AgentSources, LaunchContext } from '../agent/agentChoice.js';
import { errorMessage } from '../../text/errorText.js';
import {
  type AgentElsewhere,
  agentIdOf,
  anywhere,
  type AvailableAgent,
  type ClientInfo,
  createAgentHost,
  fetchRegistry,
  HostError,
  installAgent,
  type InstalledAgent,
  type InstallWay,
  knownAgents,
  planInstall,
  type ProcessDefinition,
  readInstalledAgents,
  type Registry,
  type RegistryEntry,
  removeAgent,
  revealOnOneLine,
  splitCommandLine,
  toHostError,
} from '../../core/index.js';
import { elsewhereLines, hostName, installLines, questionText, stepText } from '../../text/installText.js';
import { askText } from './pickers.js';
import { sentence } from '../../text/sentence.js';
import { writeAgent } from '../window/settings.js';
import { isTrusted } from '../window/workspace.js';
import { showBriefly, showProgress } from '../window/windowMessages.js';

const place = 'It is installed in a folder of ACP Host, and starts only when you select or use it.';

type Scope = Pick<ActionScope, 'confirm'> & { readonly parts: { readonly agents: AgentSources } };

/**
 * Fetches the list of agents.
 * @throws HostError `install_failed`, `cancelled`
 */
export function fetchNewestList({ stateFolder, settings }: AgentSources): Promise<Registry> {
  return showProgress('Getting the list of agents', (_report, signal) => fetchRegistry(stateFolder, settings().registryUrl, signal));
}

/**
 * Asks, then installs the version that the registry has now.
 * @param before the version that is installed
 * @returns the id of the agent; undefined if the user canceled
 * @throws HostError `install_failed`
 */
export async function installAvailable(
  scope: Scope,
  { entry, label }: Pick<AvailableAgent, 'entry' | 'label'>,
  before?: InstalledAgent,
): Promise<string | undefined> {
  const { agents } = scope.parts;
  try {
    const { stateFolder, settings } = agents;
    const env = await agents.baseEnv();
    const notes: string[] = [];
    const {
      entry: newest,
      way,
      isUpToDate,
    } = await planInstall(entry.id, {
      stateFolder,
      url: settings().registryUrl,
      env,
      fetch: () => fetchNewestList(agents),
      onOlderList: (asOf, error) => notes.push(olderListNote(asOf, error)),
      update: before,
    });
    if (isUpToDate) return agentIdOf(newest.id);
    const [question, verb] =
      before === undefined
        ? [`Install ${label} ${newest.version}?`, 'Install']
        : [`Update ${label} from ${before.version} to ${newest.version}?`, 'Update'];
    if (!(await scope.confirm(question, [...notes, place, '', ...installLines(newest, way)].join('\n'), verb))) return undefined;
    await runInstallation(scope, newest, { way, label, env });
    return agentIdOf(newest.id);
  } catch (thrown) {
    const error = toHostError(thrown);
    if (error.code === 'cancelled') return undefined;
    throw error.code === 'install_failed' ? error.with({ agent: label }) : error;
  }
}

/** @throws HostError `install_failed` */
export async function updateInstalled(
  scope: Scope,
  available: Pick<AvailableAgent, 'entry' | 'label'>,
  before: InstalledAgent,
): Promise<void> {
  if ((await installAvailable(scope, available, before)) !== undefined)
    showBriefly(`${available.label} is up to date. A running agent is updated when it restarts`);
}

/** @throws HostError `install_failed` */
export async function removeInstalled(scope: Scope, { registryId, version }: InstalledAgent, label: string): Promise<void> {
  const detail =
    'Its conversations stay saved. Its own settings and sign-in stay where it keeps them. If it is running, it may stop working.';
  if (!(await scope.confirm(`Remove ${label} ${version}?`, detail, 'Remove'))) return;
  try {
    await removeAgent(scope.parts.agents.stateFolder, registryId);
  } catch (thrown) {
    throw toHostError(thrown).with({ what: 'removal', agent: label });
  }
  showBriefly(`${label} was removed`);
}

function olderListNote(asOf: number, error: HostError): string {
  const day = new Date(asOf).toLocaleDateString(undefined, { dateStyle: 'medium' });
  const why = errorMessage(error.toData(), 'The registry');
  return `The newest list could not be fetched; this is from ${day}. ${revealOnOneLine(sentence(why))}`;
}

interface Chosen {
  readonly way: InstallWay;
  readonly label: string;
  readonly env: NodeJS.ProcessEnv;
}

async function runInstallation(scope: Scope, entry: RegistryEntry, { way, label, env }: Chosen): Promise<void> {
  const { stateFolder } = scope.parts.agents;
  await showProgress(`Installing ${label} ${entry.version}`, (report, signal) => {
    let shown = '';
    return installAgent(entry, way, {
      stateFolder,
      env,
      signal,
      onStep: (step) => {
        const text = stepText(step);
        if (text !== shown) report((shown = text));
      },
      consent: (asked) => {
        const { question, detail, yes } = questionText(asked, label);
        return scope.confirm(question, detail, yes);
      },
    });
  });
}

/**
 * @returns the id of the new agent; undefined if the user canceled
 * @throws HostError `untrusted`, `usage`
 */
export async function addByCommand(scope: ActionScope, context: LaunchContext): Promise<string | undefined> {
  if (!isTrusted()) throw new HostError('untrusted');
  const line = await scope.ask(() =>
    askText('Add Agent', 'The command that starts the agent, with its arguments, e.g. my-agent --acp', ''),
  );
  if (line === undefined) return undefined;
  const [given = '', ...args] = wordsOf(line);
  return tryAndAdd(scope, context, { command: anywhere(given, context.cwd), args, env: {} });
}

/**
 * Adds an agent as another application has it in its settings.
 * @returns the id of the new agent; undefined if the user canceled
 * @throws HostError `untrusted`
 */
export async function addFromElsewhere(scope: ActionScope, context: LaunchContext, agent: AgentElsewhere): Promise<string | undefined> {
  if (!isTrusted()) throw new HostError('untrusted');
  const name = revealOnOneLine(agent.name);
  const detail = `${elsewhereLines(agent).join('\n')}\n\nACP Host starts it once to try it, then saves these values in the setting acpHost.agents. What is hidden here is saved as it is.`;
  return (await scope.confirm(`Add ${name} from ${hostName(agent)}?`, detail, 'Add')) ? tryAndAdd(scope, context, agent, name) : undefined;
}

/** @param name the user's; that which the agent reports if absent */
async function tryAndAdd(
  { confirm, parts: { agents } }: ActionScope,
  context: LaunchContext,
  { command, args, env }: Pick<ProcessDefinition, 'command' | 'args' | 'env'>,
  name?: string,
): Promise<string | undefined> {
  const program = name ?? basename(command).replace(/\.(?:exe|cmd|bat)$/i, '');
  const tried = await tryAgent(
    { id: program, label: program, isUnnamed: true, protocol: 'acp', command, args, env },
    agents.clientInfo,
    context,
  );
  if (tried === 'cancelled') return undefined;
  if ('error' in tried) {
    const detail = `${errorMessage(tried.error.toData(), program)}.\n\nThe entry in the settings can be changed later.`;
    if (!(await confirm(`${program} did not answer as an agent. Add it anyway?`, detail, 'Add'))) return undefined;
  }
  const label = name ?? ('name' in tried ? tried.name : program);
  const installed = await readInstalledAgents(agents.stateFolder);
  const taken = [
    ...agents.settings().agents.keys(),
    ...knownAgents.map((known) => known.id),
    ...installed.map(({ registryId }) => agentIdOf(registryId)),
  ];
  const id = freeId(label, new Set(taken));
  await writeAgent(id, { label, command, args, ...(Object.keys(env).length > 0 && { env }) });
  return id;
}

/** @throws HostError `usage` */
function wordsOf(line: string): readonly string[] {
  const split = splitCommandLine(line, { backslashEscapes: process.platform !== 'win32' });
  if ('unclosed' in split) throw new HostError('usage', { detail: `The command has an unclosed ${split.unclosed}` });
  return split.words;
}

type Tried = { readonly name: string } | { readonly error: HostError } | 'cancelled';

/** Starts the agent until it answers `initialize`, and ends it. */
async function tryAgent(agent: ProcessDefinition, clientInfo: ClientInfo, { env, cwd }: LaunchContext): Promise<Tried> {
  const host = createAgentHost({ agent, cwd, clientInfo, terminalAuth: true, baseEnv: env });
  try {
    const info = await showProgress(`Trying ${agent.label}`, (_report, signal) => host.start(signal));
    return { name: info.title ?? info.name };
  } catch (thrown) {
    const error = toHostError(thrown);
    return error.code === 'cancelled' ? 'cancelled' : { error };
  } finally {
    await host.stop();
    host.dispose();
  }
}

/** Returns the name as an id that is not taken. */
function freeId(name: string, taken: ReadonlySet<string>): string {
  const plain =
    name
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, '-')
      .replaceAll(/^-+|-+$/g, '') || 'agent';
  for (let count = 1; ; count++) {
    const id = count === 1 ? plain : `${plain}-${count}`;
    if (!taken.has(id)) return id;
  }
}
