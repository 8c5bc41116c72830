/**
 * The environment variables with which agentao finds its provider. Source: agentao 0.5.17, embedding/llm_config.py; the same names in
 * 0.4.20.
 */
import type { EnvPatch, ProviderForm, ProviderSettings } from '../agentKnowledge.js';

const defaultProvider = 'OPENAI';

/** Providers whose keys users have in their shells for other tools (agentao, capabilities/process.py). */
const knownProviders = [
  'OPENAI',
  'ANTHROPIC',
  'GEMINI',
  'AZURE_OPENAI',
  'DEEPSEEK',
  'MOONSHOT',
  'GROQ',
  'MISTRAL',
  'OPENROUTER',
  'XAI',
  'LLM',
];

export const agentaoProvider: ProviderForm = {
  defaultProvider,
  formats: ['', 'openai-completions', 'anthropic-messages', 'openai-responses'],
  // Any other provider with one of these formats works too.
  presets: [
    { label: 'OpenAI', provider: 'OPENAI', baseUrl: 'https://api.openai.com/v1', format: '' },
    { label: 'Anthropic', provider: 'ANTHROPIC', baseUrl: 'https://api.anthropic.com', format: 'anthropic-messages' },
    { label: 'DeepSeek', provider: 'DEEPSEEK', baseUrl: 'https://api.deepseek.com/v1', format: '' },
  ],
  env: providerEnv,
};

/**
 * Sets key, URL, format and model together or not at all, so that a key is never sent to a URL that it was not meant for. Without them, it
 * removes a key that the user's shell has without its URL: agentao would prefer that key to its own login and then lack the URL.
 * `LLM_EXTRA_BODY` is set to an empty object unless the user set it, because a project's `.env` could otherwise add to every request.
 */
export function providerEnv(settings: ProviderSettings, inheritedEnv: Readonly<Record<string, string | undefined>>): EnvPatch {
  const closed: EnvPatch = isSet(inheritedEnv['LLM_EXTRA_BODY']) ? {} : { LLM_EXTRA_BODY: '{}' };
  const { apiKey, baseUrl, model, format } = settings;
  if (!isSet(apiKey) || !isSet(baseUrl) || !isSet(model)) return { ...closed, ...withoutStrayKeys(inheritedEnv) };
  const prefix = (isSet(settings.provider) ? settings.provider.trim() : defaultProvider).toUpperCase();
  return {
    ...closed,
    LLM_PROVIDER: prefix,
    [`${prefix}_API_KEY`]: apiKey,
    [`${prefix}_BASE_URL`]: baseUrl,
    [`${prefix}_MODEL`]: model,
    [`${prefix}_API_FORMAT`]: isSet(format) ? format : null,
  };
}

/** Returns which parts of a provider an environment contains, never their values. `provider` is the prefix of the variables. */
export function providerFacts(env: Readonly<Record<string, string | undefined>>): {
  readonly provider: string;
  readonly key: boolean;
  readonly baseUrl: boolean;
  readonly model: boolean;
} {
  const chosen = env['LLM_PROVIDER'];
  const provider = isSet(chosen) ? chosen.trim().toUpperCase() : defaultProvider;
  return {
    provider,
    key: isSet(env[`${provider}_API_KEY`]),
    baseUrl: isSet(env[`${provider}_BASE_URL`]),
    model: isSet(env[`${provider}_MODEL`]),
  };
}

function withoutStrayKeys(env: Readonly<Record<string, string | undefined>>): EnvPatch {
  const chosen = env['LLM_PROVIDER']?.trim().toUpperCase();
  const providers = new Set([...knownProviders, ...(isSet(chosen) ? [chosen] : [])]);
  const stray = [...providers].filter((prefix) => isSet(env[`${prefix}_API_KEY`]) && !isSet(env[`${prefix}_BASE_URL`]));
  return Object.fromEntries(stray.map((prefix) => [`${prefix}_API_KEY`, null]));
}

function isSet(value: string | undefined): value is string {
  return value !== undefined && value.trim() !== '';
}
