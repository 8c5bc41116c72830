/** Checks everything that an agent needs to work on this machine, and reports each result by a code. */
import { environmentFor } from '../agents/agentDefinition.js';
import { findKnownAgent } from '../agents/knownAgents.js';
import { toHostError } from '../base/errors.js';
import type { EngineSummary } from '../engine/contract.js';
import type { AgentHostOptions } from '../host/api.js';
import { nullLogger } from '../base/logger.js';
import type { Finding } from './finding.js';
import { checkHandshake } from './handshake.js';
import { checkAgent, checkShell, checkStorage, checkTools, type AgentCheckContext } from './environmentChecks.js';

/** What diagnostics examine. */
export interface Examination {
  /** The options with which the agent would be started; `restart` is ignored. */
  readonly host: AgentHostOptions;
  /** Absolute: the folder of the saved conversations. */
  readonly storageDirectory: string;
  /** Whether the workspace is trusted; absent if the front end has no such concept. Without trust, the agent is not started. */
  readonly trusted?: boolean;
  /** Returns the engine of the state folder; undefined if none runs. @throws HostError why it can't be reached */
  readonly engine?: () => Promise<EngineSummary | undefined>;
  /** Also opens a session, which shows whether a key is missing. */
  readonly opensSession?: boolean;
  /** Does not start the agent, and only checks its environment. */
  readonly withoutStart?: boolean;
}

/** Yields each finding as soon as it is known. Ends early and without an error when `signal` is aborted. Leaves no process behind. */
export async function* examine(examination: Examination, signal: AbortSignal = new AbortController().signal): AsyncGenerator<Finding> {
  const { host, storageDirectory, trusted, engine, withoutStart, opensSession = false } = examination;
  const { agent, cwd } = host;
  const context: AgentCheckContext = { agent, cwd, env: environmentFor(agent, host.baseEnv ?? process.env) };
  const isServer = 'url' in agent;
  const shell = isServer ? { env: {}, findings: [] } : await checkShell(context.env, host.log ?? nullLogger);
  const found = await checkAgent(context, shell.env);
  yield found;
  yield* shell.findings;
  if (signal.aborted) return;
  if (!isServer) yield await checkTools(context);
  for (const { check, run } of findKnownAgent(agent.id)?.doctorChecks ?? []) yield { check, ...(await run(context)) };
  yield await checkStorage(storageDirectory);
  if (trusted !== undefined) yield trustFinding(trusted);
  if (engine !== undefined) yield await engineFinding(engine);
  if (signal.aborted || withoutStart === true || found.state === 'problem' || trusted === false) return;
  const { restart: _restart, ...once } = host;
  yield* await checkHandshake(once, { signal, opensSession });
}

async function engineFinding(find: () => Promise<EngineSummary | undefined>): Promise<Finding> {
  try {
    const engine = await find();
    return engine === undefined
      ? { check: 'engine', state: 'ok', code: 'engine_not_running', params: {} }
      : { check: 'engine', state: 'ok', code: 'engine_running', params: engine };
  } catch (error) {
    return { check: 'engine', state: 'problem', code: 'engine_unreachable', params: { error: toHostError(error).toData() } };
  }
}

function trustFinding(trusted: boolean): Finding {
  return trusted
    ? { check: 'trust', state: 'ok', code: 'workspace_trusted', params: {} }
    : { check: 'trust', state: 'problem', code: 'workspace_untrusted', params: {} };
}
