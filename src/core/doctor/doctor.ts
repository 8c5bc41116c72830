/** Looks at everything that an agent needs to work here, and reports each by a code. */
import { environmentFor } from '../agents/agentDefinition.js';
import { findKnownAgent } from '../agents/knownAgents.js';
import type { AgentHostOptions } from '../host/api.js';
import { nullLogger } from '../base/logger.js';
import type { Finding } from './finding.js';
import { checkHandshake } from './handshake.js';
import { checkAgent, checkShell, checkStorage, checkTools, type Place } from './environmentChecks.js';

export interface Examination {
  /** As the agent would be started; `restart` and `journals` play no part. */
  readonly host: AgentHostOptions;
  /** Absolute: where conversations are kept. */
  readonly storageDirectory: string;
  /** Whether the workspace is trusted; absent where the front end knows no such thing. Without trust the agent is not started. */
  readonly trusted?: boolean;
  /** A session is opened too, which tells whether a key is missing. */
  readonly opensSession?: boolean;
  /** The agent is not started: only what is around it is looked at. */
  readonly withoutStart?: boolean;
}

/** Findings as they are made. Ends early, without an error, when `signal` is aborted. Leaves no process behind. */
export async function* examine(examination: Examination, signal: AbortSignal = new AbortController().signal): AsyncGenerator<Finding> {
  const { host, storageDirectory, trusted, withoutStart, opensSession = false } = examination;
  const { agent, cwd } = host;
  const place: Place = { agent, cwd, env: environmentFor(agent, host.baseEnv ?? process.env) };
  const isServer = 'url' in agent;
  const shell = isServer ? { env: {}, findings: [] } : await checkShell(place.env, host.log ?? nullLogger);
  const found = await checkAgent(place, shell.env);
  yield found;
  yield* shell.findings;
  if (signal.aborted) return;
  if (!isServer) yield await checkTools(place);
  for (const { check, run } of findKnownAgent(agent.id)?.doctorChecks ?? []) yield { check, ...(await run(place)) };
  yield await checkStorage(storageDirectory);
  if (trusted !== undefined) yield trustFinding(trusted);
  if (signal.aborted || withoutStart === true || found.state === 'problem' || trusted === false) return;
  const { restart: _restart, journals: _journals, ...once } = host;
  yield* await checkHandshake(once, { signal, opensSession });
}

function trustFinding(trusted: boolean): Finding {
  return trusted
    ? { check: 'trust', state: 'ok', code: 'workspace_trusted', params: {} }
    : { check: 'trust', state: 'problem', code: 'workspace_untrusted', params: {} };
}
