/** The environment in which agentao finds its provider: key, URL and model come from one source, or none of them is set. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { providerEnv } from '../../../src/core/agents/agentao/agentaoEnv.js';

const whole = { apiKey: 'key', baseUrl: 'https://models.example/v1', model: 'm' };

describe('with a provider in the settings', () => {
  test('sets all its variables, and clears those that could change its requests', () => {
    assert.deepEqual(providerEnv(whole, {}), {
      LLM_EXTRA_BODY: '{}',
      LLM_PROVIDER: 'OPENAI',
      OPENAI_API_KEY: 'key',
      OPENAI_BASE_URL: 'https://models.example/v1',
      OPENAI_MODEL: 'm',
      OPENAI_API_FORMAT: null,
    });
  });

  test('sets the variables of another provider, with its format', () => {
    const env = providerEnv({ ...whole, provider: 'Anthropic', format: 'anthropic-messages' }, { ANTHROPIC_API_FORMAT: 'other' });
    assert.equal(env['LLM_PROVIDER'], 'ANTHROPIC');
    assert.equal(env['ANTHROPIC_API_FORMAT'], 'anthropic-messages');
  });

  test('removes the API format of the shell', () => {
    assert.equal(providerEnv(whole, { OPENAI_API_FORMAT: 'openai-responses' })['OPENAI_API_FORMAT'], null);
  });

  test('keeps LLM_EXTRA_BODY if the user set it', () => {
    assert.ok(!('LLM_EXTRA_BODY' in providerEnv(whole, { LLM_EXTRA_BODY: '{"a":1}' })));
  });

  for (const missing of ['apiKey', 'baseUrl', 'model'] as const) {
    test(`passes no part of the provider without ${missing}`, () => {
      for (const value of ['', '  ']) assert.deepEqual(providerEnv({ ...whole, [missing]: value }, {}), { LLM_EXTRA_BODY: '{}' });
    });
  }
});

describe('without a provider in the settings', () => {
  test('removes a key without its URL, so that agentao uses its login', () => {
    assert.deepEqual(
      providerEnv(
        {},
        { OPENAI_API_KEY: 'stray', ANTHROPIC_API_KEY: 'stray', ANTHROPIC_BASE_URL: 'https://a.example', DEEPSEEK_API_KEY: '' },
      ),
      {
        LLM_EXTRA_BODY: '{}',
        OPENAI_API_KEY: null,
      },
    );
  });

  test('keeps a complete provider of the shell', () => {
    assert.deepEqual(providerEnv({}, { OPENAI_API_KEY: 'k', OPENAI_BASE_URL: 'https://a.example', OPENAI_MODEL: 'm' }), {
      LLM_EXTRA_BODY: '{}',
    });
  });

  test('removes the key of the provider that LLM_PROVIDER names if its URL is missing', () => {
    assert.equal(providerEnv({}, { LLM_PROVIDER: 'qwen', QWEN_API_KEY: 'stray' })['QWEN_API_KEY'], null);
  });

  test('keeps keys that belong to no provider', () => {
    assert.ok(!('TAVILY_API_KEY' in providerEnv({}, { TAVILY_API_KEY: 'k' })));
  });
});
