/** `acp-host install`, `update` and `remove`: agents of the ACP registry. */
import {
  agentIdOf,
  chooseWay,
  entryNamed,
  fetchRegistry,
  HostError,
  installAgent,
  readInstalledAgents,
  readRegistry,
  type Registry,
  removeAgent,
  toHostError,
} from '../../core/index.js';
import { errorMessage } from '../../text/errorText.js';
import { installLines, questionText, stepText } from '../../text/installText.js';
import { usageError } from '../arguments/optionValues.js';
import type { RequestOf } from '../arguments/parseArguments.js';
import { oneLine } from '../output/terminalText.js';
import { agentState, registryOf } from '../system/agents.js';
import { askLine } from '../system/askOnce.js';
import { untilInterrupted } from '../system/interrupts.js';
import { type Io, isInteractive } from '../system/io.js';

/** @throws HostError `usage` for an unknown name, and if nobody can be asked; `install_failed`; `cancelled` */
export async function runInstall({ type, name, yes }: RequestOf<'install' | 'update'>, io: Io): Promise<void> {
  const stateFolder = agentState(io);
  const before = await installedNamed(stateFolder, name);
  if (type === 'update' && before === undefined) throw notInstalled(name);
  await untilInterrupted(async (signal) => {
    // An older list could only lead back to an older version.
    const registry = await (type === 'update'
      ? fetchRegistry(stateFolder, registryOf(io), signal)
      : newestRegistry(stateFolder, io, signal));
    const entry = entryNamed(registry, before?.registryId ?? name);
    if (entry === undefined && before !== undefined) throw new HostError('install_failed', { reason: 'not_listed' });
    if (entry === undefined) throw usageError(`The registry has no agent "${oneLine(name)}". List the names with \`acp-host agents\``);
    const way = (await chooseWay(entry, io.env))?.way;
    if (way === undefined) throw new HostError('install_failed', { reason: 'no_way' });
    const label = `${entry.name} ${entry.version}`;
    if (before?.version === entry.version && type === 'update') {
      io.stdout.write(`${oneLine(label)} is installed, which is the newest version.\n`);
      return;
    }
    if (!yes && !isInteractive(io))
      throw usageError(`${type} asks before it installs something, which needs a terminal. Without one, use --yes`);
    const agree = async (lines: readonly string[], question: string): Promise<boolean> => {
      // Never cut: the user decides about the whole of it.
      for (const line of lines) io.stderr.write(`${line}\n`);
      if (yes) return true;
      return /^y(?:es)?$/i.test((await askLine(io, `${oneLine(question)} (y or n): `, signal))?.trim() ?? '');
    };
    const question =
      before === undefined || type === 'install' ? `Install ${label}?` : `Update ${entry.name} from ${before.version} to ${entry.version}?`;
    if (!(await agree(installLines(entry, way), question))) throw new HostError('cancelled', { detail: 'Nothing was installed' });
    let shown = '';
    await installAgent(entry, way, {
      stateFolder,
      env: io.env,
      signal,
      onStep: (step) => {
        // Without the numbers, which change too often for lines.
        const said = stepText(step).replace(/:.*/, '');
        if (said !== shown) io.stderr.write(`${oneLine((shown = said))}\n`);
      },
      consent: (asked) => {
        const { question, detail } = questionText(asked, entry.name);
        return agree(
          detail.split('\n').filter((line) => line !== ''),
          question,
        );
      },
    });
    io.stdout.write(`Installed ${oneLine(label)}. Start it with \`acp-host run --agent ${agentIdOf(entry.id)}\`.\n`);
  });
}

/** @throws HostError `usage` if it is not installed; `install_failed` */
export async function runRemove({ name }: RequestOf<'remove'>, io: Io): Promise<void> {
  const stateFolder = agentState(io);
  const agent = await installedNamed(stateFolder, name);
  if (agent === undefined) throw notInstalled(name);
  try {
    await removeAgent(stateFolder, agent.registryId);
  } catch (thrown) {
    throw toHostError(thrown).with({ what: 'removal' });
  }
  io.stdout.write(`Removed ${oneLine(`${agent.name} ${agent.version}`)}.\n`);
}

function notInstalled(name: string): HostError {
  return usageError(`ACP Host did not install an agent "${oneLine(name)}". \`acp-host agents\` lists those that it installed`);
}

/** @param name an id of the registry, or that of an agent */
async function installedNamed(stateFolder: string, name: string) {
  const installed = await readInstalledAgents(stateFolder);
  return installed.find(({ registryId }) => registryId === name) ?? installed.find(({ registryId }) => agentIdOf(registryId) === name);
}

/** Without a network, an older list has to do: the packages may come from elsewhere. @throws HostError `cancelled` */
async function newestRegistry(stateFolder: string, io: Io, signal: AbortSignal): Promise<Registry> {
  const url = registryOf(io);
  try {
    return await fetchRegistry(stateFolder, url, signal);
  } catch (thrown) {
    if (signal.aborted) throw thrown;
    const registry = readRegistry(stateFolder, url);
    const why = errorMessage(toHostError(thrown).toData(), 'the registry');
    io.stderr.write(`acp-host: ${oneLine(why)}. Using the list of ${new Date(registry.asOf).toISOString().slice(0, 10)}\n`);
    return registry;
  }
}
