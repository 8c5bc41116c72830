/** `acp-host install`, `update` and `remove`: agents of the ACP registry. */
import {
  agentIdOf,
  fetchRegistry,
  HostError,
  installAgent,
  planInstall,
  readInstalledAgents,
  readRegistry,
  removeAgent,
  toHostError,
} from '../../core/index.js';
import { errorMessage } from '../../text/errorText.js';
import { installLines, questionText, stepText } from '../../text/installText.js';
import { closest, usageError } from '../arguments/optionValues.js';
import type { RequestOf } from '../arguments/parseArguments.js';
import { oneLine } from '../../text/plainText.js';
import { agentState, registryOf } from '../system/agents.js';
import { askLine, isYes } from '../system/askOnce.js';
import { untilInterrupted } from '../system/interrupts.js';
import { type Io, isInteractive } from '../system/io.js';

/** @throws HostError `usage` for an unknown name, and if nobody can be asked; `install_failed`; `cancelled` */
export async function runInstall({ type, name, yes }: RequestOf<'install' | 'update'>, io: Io): Promise<void> {
  const stateFolder = agentState(io);
  const url = registryOf(io);
  const before = await installedNamed(stateFolder, name);
  if (type === 'update' && before === undefined) throw notInstalled(name);
  await untilInterrupted(async (signal) => {
    const { entry, way, isUpToDate } = await planInstall(before?.registryId ?? name, {
      stateFolder,
      url,
      env: io.env,
      fetch: () => fetchRegistry(stateFolder, url, signal),
      onOlderList(asOf, error) {
        const why = errorMessage(error.toData(), 'the registry');
        io.stderr.write(`acp-host: ${oneLine(why)}. Using the list of ${new Date(asOf).toISOString().slice(0, 10)}\n`);
      },
      update: type === 'update' ? before : undefined,
    }).catch((thrown: unknown) => {
      const error = toHostError(thrown);
      if (error.params.reason !== 'not_listed' || before !== undefined) throw error;
      const meant = closest(
        name,
        readRegistry(stateFolder, url).entries.map(({ id }) => id),
      );
      const advice = meant === undefined ? 'List the names with `acp-host agents`' : `Did you mean: ${meant}?`;
      throw usageError(`The registry has no agent "${oneLine(name)}". ${advice}`);
    });
    const label = `${entry.name} ${entry.version}`;
    if (isUpToDate) return void io.stdout.write(`${oneLine(label)} is installed, which is the newest version.\n`);
    if (!yes && !isInteractive(io))
      throw usageError(`${type} asks before it installs something, which needs a terminal. Without one, use --yes`);
    const agree = async (lines: readonly string[], question: string): Promise<boolean> => {
      // Never cut: the user decides about the whole of it.
      for (const line of lines) io.stderr.write(`${line}\n`);
      if (!yes) return isYes(await askLine(io, `${oneLine(question)} (y or n): `, signal));
      io.stderr.write(`${oneLine(question)} Yes (--yes)\n`);
      return true;
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
