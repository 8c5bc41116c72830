/** Looks at everything that an agent needs to work here, and says of each thing what to do about it. */
import { providerFacts } from '../agents/agentao/agentaoEnv.js';
import { environmentFor } from '../agents/knownAgents.js';
import type { AgentHostOptions } from '../host/api.js';
import { nullLogger } from '../base/logger.js';
import { readText } from '../node/files.js';
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
  /** The agent is not started: only what is around it is looked at. */
  readonly withoutStart?: boolean;
}

/** Findings as they are made. Ends early, without an error, when `signal` is aborted. Leaves no process behind. */
export async function* examine(examination: Examination, signal: AbortSignal = new AbortController().signal): AsyncGenerator<Finding> {
  const { host, storageDirectory, trusted, withoutStart } = examination;
  const { agent, cwd } = host;
  const place: Place = { agent, cwd, env: environmentFor(agent, host.baseEnv ?? process.env) };
  const shell = await checkShell(place.env, host.log ?? nullLogger);
  const found = await checkAgent(place, shell.env);
  yield found;
  yield* shell.findings;
  if (signal.aborted) return;
  yield await checkTools(place);
  if (agent.id === 'agentao') yield await providerFinding(place);
  yield await checkStorage(storageDirectory);
  if (trusted !== undefined) yield trustFinding(trusted);
  if (signal.aborted || withoutStart === true || found.state === 'problem' || trusted === false) return;
  const { restart: _restart, journals: _journals, ...once } = host;
  yield* await checkHandshake(once, signal);
}

function trustFinding(trusted: boolean): Finding {
  return trusted
    ? { check: 'trust', state: 'ok', title: 'The workspace is trusted' }
    : {
        check: 'trust',
        state: 'problem',
        title: 'The workspace is not trusted, so no agent is started',
        advice: 'Trust it with the command "Workspaces: Manage Workspace Trust".',
      };
}

/** agentao takes key, address and model from one of three places: the environment, the folder's `.env`, its own login. */
async function providerFinding({ cwd, env }: Place): Promise<Finding> {
  const { provider, key, baseUrl, model } = providerFacts(env);
  const said = (set: boolean): string => (set ? 'set' : 'not set');
  const [login, dotEnv] = await Promise.all([
    readText(`${env['HOME'] ?? env['USERPROFILE'] ?? ''}/.agentao/llm.json`, { limitBytes: 1 }),
    readText(`${cwd}/.env`, { limitBytes: 1 }),
  ]);
  const detail = [
    `${provider}_API_KEY ${said(key)}, ${provider}_BASE_URL ${said(baseUrl)}, ${provider}_MODEL ${said(model)} in its environment`,
    login === undefined ? 'no login of its own (~/.agentao/llm.json)' : 'a login of its own (~/.agentao/llm.json)',
    ...(dotEnv === undefined ? [] : ['the folder has a .env, which fills in what the environment leaves open']),
  ].join('\n');
  if (key && baseUrl && model) return { check: 'provider', state: 'ok', title: 'agentao has a key, an address and a model', detail };
  if (!key && login !== undefined) return { check: 'provider', state: 'ok', title: 'agentao uses its own login', detail };
  if (key) {
    const missing = [...(baseUrl ? [] : [`${provider}_BASE_URL`]), ...(model ? [] : [`${provider}_MODEL`])];
    return {
      check: 'provider',
      state: 'warning',
      title: `agentao has a key without ${missing.join(' and ')}`,
      detail,
      advice: `Set ${missing.join(' and ')} too, or take the key away so that agentao's own login counts.`,
    };
  }
  return {
    check: 'provider',
    state: dotEnv === undefined ? 'problem' : 'warning',
    title: 'agentao has no key that is known here',
    detail,
    advice: 'Sign in with `agentao --login` in a terminal, or set an API key.',
  };
}
