import { readText } from '../../node/files.js';
import type { AgentCheck, AgentFinding, AgentSurroundings } from '../agentKnowledge.js';
import { providerFacts } from './agentaoEnv.js';

export const agentaoDoctorChecks: readonly AgentCheck[] = [{ check: 'provider', run: findProvider }];

/** agentao takes key, address and model from one of three places: the environment, the folder's `.env`, its own login. */
async function findProvider({ cwd, env }: AgentSurroundings): Promise<AgentFinding> {
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
  if (key && baseUrl && model) return { state: 'ok', title: 'agentao has a key, an address and a model', detail };
  if (!key && login !== undefined) return { state: 'ok', title: 'agentao uses its own login', detail };
  if (key) {
    const missing = [...(baseUrl ? [] : [`${provider}_BASE_URL`]), ...(model ? [] : [`${provider}_MODEL`])];
    return {
      state: 'warning',
      title: `agentao has a key without ${missing.join(' and ')}`,
      detail,
      advice: `Set ${missing.join(' and ')} too, or take the key away so that agentao's own login counts.`,
    };
  }
  return {
    state: dotEnv === undefined ? 'problem' : 'warning',
    title: 'agentao has no key that is known here',
    detail,
    advice: 'Sign in with `agentao --login` in a terminal, or set an API key.',
  };
}
