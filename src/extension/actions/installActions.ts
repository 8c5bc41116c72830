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
  toHostError,
} from '../../core/index.js';
import { installLines, questionText, stepText } from '../../text/installText.js';
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
 * @returns the id of the agent; undefined if the user canceled
 * @throws HostError `install_failed`
 */
export async function installAvailable(
  scope: Scope,
  { entry, label }: Pick<AvailableAgent, 'entry' | 'label'>,
  verb: 'Install' | 'Update' = 'Install',
): Promise<string | undefined> {
  const { agents } = scope.parts;
  try {
    const registry = await newestList(agents);
    const newest = entryNamed(registry, entry.id) ?? entry;
    const env = await agents.baseEnv();
    const chosen = await chooseWay(newest, env);
    if (chosen === undefined) throw new HostError('install_failed', { reason: 'no_way' });
    if (chosen.needs !== undefined)
      throw new HostError('install_failed', { reason: 'tool_missing', tool: chosen.needs === 'python' ? 'uv' : chosen.needs });
    const question = `${verb} ${label}${verb === 'Update' ? ' to' : ''} ${newest.version}?`;
    if (!(await scope.confirm(question, [place, '', ...installLines(newest, chosen.way)].join('\n'), verb))) return undefined;
    await runInstallation(scope, newest, { way: chosen.way, label, env });
    return agentIdOf(newest.id);
  } catch (thrown) {
    const error = toHostError(thrown);
    if (error.code === 'cancelled') return undefined;
    throw error.code === 'install_failed' ? error.with({ agent: label }) : error;
  }
}

/** @throws HostError `install_failed` */
export async function updateInstalled(scope: Scope, entry: RegistryEntry, label: string): Promise<void> {
  if ((await installAvailable(scope, { entry, label }, 'Update')) !== undefined)
    showBriefly(`${label} is up to date. An agent that runs is updated when it starts again`);
}

/** @throws HostError `install_failed` */
export async function removeInstalled(scope: Scope, { registryId, version }: InstalledAgent, label: string): Promise<void> {
  const detail = 'Its conversations stay saved. Its own settings and sign-in stay where it keeps them.';
  if (!(await scope.confirm(`Remove ${label} ${version}?`, detail, 'Remove'))) return;
  await removeAgent(scope.parts.agents.stateFolder, registryId);
  showBriefly(`${label} was removed`);
}

/** Without a network, an older list has to do: packages may come from elsewhere. @throws HostError `cancelled` */
async function newestList(agents: AgentSources): Promise<Registry> {
  try {
    return await fetchNewestList(agents);
  } catch (thrown) {
    if (toHostError(thrown).code === 'cancelled') throw thrown;
    return knownRegistry(agents);
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
