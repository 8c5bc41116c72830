/** Adds an agent to the settings that the user knows by its command, or has in those of another application, after trying it. */
import { basename } from 'node:path';
import {
  type AgentElsewhere,
  agentIdOf,
  anywhere,
  type ClientInfo,
  createAgentHost,
  HostError,
  knownAgents,
  type ProcessDefinition,
  readInstalledAgents,
  revealOnOneLine,
  splitCommandLine,
  toHostError,
} from '../../core/index.js';
import { errorMessage } from '../../text/errorText.js';
import { elsewhereLines, hostName } from '../../text/installText.js';
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
