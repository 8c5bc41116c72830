import { readText } from '../../node/files.js';
import type { AgentCheck, AgentFinding, CheckContext, ProviderFacts } from '../agentKnowledge.js';
import { providerFacts } from './agentaoEnv.js';

export const agentaoDoctorChecks: readonly AgentCheck[] = [{ check: 'provider', run: findProvider }];

/** agentao takes key, URL and model from one of three places: the environment, the folder's `.env`, or its own login. */
async function findProvider({ cwd, env }: CheckContext): Promise<AgentFinding> {
  const { provider, key, baseUrl, model } = providerFacts(env);
  const [login, dotEnv] = await Promise.all([
    readText(`${env['HOME'] ?? env['USERPROFILE'] ?? ''}/.agentao/llm.json`, { limitBytes: 1 }),
    readText(`${cwd}/.env`, { limitBytes: 1 }),
  ]);
  const variables = [
    { name: `${provider}_API_KEY`, isSet: key },
    { name: `${provider}_BASE_URL`, isSet: baseUrl },
    { name: `${provider}_MODEL`, isSet: model },
  ];
  const params: ProviderFacts = {
    agent: 'agentao',
    variables,
    loginFile: '~/.agentao/llm.json',
    hasLogin: login !== undefined,
    hasDotEnv: dotEnv !== undefined,
  };
  if (key && baseUrl && model) return { state: 'ok', code: 'provider_configured', params };
  if (!key && login !== undefined) return { state: 'ok', code: 'provider_own_login', params };
  if (key) {
    const missing = variables.filter(({ isSet }) => !isSet).map(({ name }) => name);
    return { state: 'warning', code: 'provider_incomplete', params: { ...params, missing } };
  }
  return {
    state: dotEnv === undefined ? 'problem' : 'warning',
    code: 'provider_missing',
    params: { ...params, loginCommand: 'agentao --login' },
  };
}
