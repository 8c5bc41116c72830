/** Installs, updates and removes agents of the ACP registry, with the user's consent to each step that needs it. */
import {
  agentIdOf,
  type AvailableAgent,
  chooseWay,
  entryNamed,
  fetchRegistry,
  HostError,
  installAgent,
  type InstalledAgent,
  type InstallWay,
  type Registry,
  type RegistryEntry,
  removeAgent,
  revealOnOneLine,
  toHostError,
} from '../../core/index.js';
import { errorMessage } from '../../text/errorText.js';
import { installLines, questionText, stepText } from '../../text/installText.js';
import { sentence } from '../../text/sentence.js';
import { type AgentSources, knownRegistry } from '../agent/agentChoice.js';
import { showBriefly, showProgress } from '../window/windowMessages.js';
import type { ActionScope } from './actionScope.js';

const place = 'It is installed in a folder of ACP Host, and starts only when you use it.';

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
    const { registry, notes } = await newestList(agents);
    const newest = entryNamed(registry, entry.id);
    if (newest === undefined) throw new HostError('install_failed', { reason: 'not_listed' });
    const env = await agents.baseEnv();
    const chosen = await chooseWay(newest, env);
    if (chosen === undefined) throw new HostError('install_failed', { reason: 'no_way' });
    if (chosen.needs !== undefined)
      throw new HostError('install_failed', { reason: 'tool_missing', tool: chosen.needs === 'python' ? 'uv' : chosen.needs });
    const [question, verb] =
      before === undefined
        ? [`Install ${label} ${newest.version}?`, 'Install']
        : [`Update ${label} from ${before.version} to ${newest.version}?`, 'Update'];
    if (!(await scope.confirm(question, [...notes, place, '', ...installLines(newest, chosen.way)].join('\n'), verb))) return undefined;
    await runInstallation(scope, newest, { way: chosen.way, label, env });
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

/**
 * Without a network, an older list has to do: packages may come from elsewhere.
 * @returns `notes`: what the user has to know about the list
 * @throws HostError `cancelled`
 */
async function newestList(agents: AgentSources): Promise<{ readonly registry: Registry; readonly notes: readonly string[] }> {
  try {
    return { registry: await fetchNewestList(agents), notes: [] };
  } catch (thrown) {
    const error = toHostError(thrown);
    if (error.code === 'cancelled') throw error;
    const registry = knownRegistry(agents);
    const day = new Date(registry.asOf).toLocaleDateString(undefined, { dateStyle: 'medium' });
    const why = errorMessage(error.toData(), 'The registry');
    return { registry, notes: [`The newest list could not be fetched; this is from ${day}. ${revealOnOneLine(sentence(why))}`] };
  }
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
