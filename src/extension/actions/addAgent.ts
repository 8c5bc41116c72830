/** Adds an agent that the user knows by its command to the settings, after trying it. */
import { basename } from 'node:path';
import {
  agentIdOf,
  anywhere,
  type ClientInfo,
  createAgentHost,
  HostError,
  knownAgents,
  type ProcessDefinition,
  readInstalledAgents,
  splitCommandLine,
  toHostError,
} from '../../core/index.js';
import { errorMessage } from '../../text/errorText.js';
import type { LaunchContext } from '../agent/agentChoice.js';
import { isTrusted } from '../window/trust.js';
import { writeAgent } from '../window/settings.js';
import { showProgress } from '../window/windowMessages.js';
import type { ActionScope } from './actionScope.js';
import { askText } from './pickers.js';

/**
 * @returns the id of the new agent; undefined if the user canceled
 * @throws HostError `untrusted`, `usage`
 */
export async function addAgent({ ask, confirm, parts: { agents } }: ActionScope, context: LaunchContext): Promise<string | undefined> {
  if (!isTrusted()) throw new HostError('untrusted');
  const line = await ask(() => askText('Add Agent', 'The command that starts the agent, with its arguments, e.g. my-agent --acp', ''));
  if (line === undefined) return undefined;
  const [given = '', ...args] = wordsOf(line);
  const command = anywhere(given, context.cwd);
  const program = basename(command).replace(/\.(?:exe|cmd|bat)$/i, '');
  const definition: ProcessDefinition = { id: program, label: program, isUnnamed: true, protocol: 'acp', command, args, env: {} };
  const tried = await tryAgent(definition, agents.clientInfo, context);
  if (tried === 'cancelled') return undefined;
  if ('error' in tried) {
    const detail = `${errorMessage(tried.error.toData(), program)}.\n\nThe entry in the settings can be changed later.`;
    if (!(await confirm(`${program} did not answer as an agent. Add it anyway?`, detail, 'Add'))) return undefined;
  }
  const label = 'name' in tried ? tried.name : program;
  const installed = await readInstalledAgents(agents.stateFolder);
  const taken = [
    ...agents.settings().agents.keys(),
    ...knownAgents.map((known) => known.id),
    ...installed.map(({ registryId }) => agentIdOf(registryId)),
  ];
  const id = freeId(label, new Set(taken));
  await writeAgent(id, { label, command, args });
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
