/** The provider that agentao finds: key, URL and model from one source, or none of them. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { providerEnv } from '../../../src/core/agents/agentao/agentaoEnv.js';

const whole = { apiKey: 'key', baseUrl: 'https://models.example/v1', model: 'm' };

describe('the host holds a provider', () => {
  test('everything is set, and what could divert it is closed', () => {
    assert.deepEqual(providerEnv(whole, {}), {
      LLM_EXTRA_BODY: '{}',
      LLM_PROVIDER: 'OPENAI',
      OPENAI_API_KEY: 'key',
      OPENAI_BASE_URL: 'https://models.example/v1',
      OPENAI_MODEL: 'm',
      OPENAI_API_FORMAT: null,
    });
  });

  test('under the name of another provider, with its format', () => {
    const env = providerEnv({ ...whole, provider: 'Anthropic', format: 'anthropic-messages' }, { ANTHROPIC_API_FORMAT: 'other' });
    assert.equal(env['LLM_PROVIDER'], 'ANTHROPIC');
    assert.equal(env['ANTHROPIC_API_FORMAT'], 'anthropic-messages');
  });

  test('a format that the shell has does not go with a provider of the host', () => {
    assert.equal(providerEnv(whole, { OPENAI_API_FORMAT: 'openai-responses' })['OPENAI_API_FORMAT'], null);
  });

  test('LLM_EXTRA_BODY that the user set stays', () => {
    assert.ok(!('LLM_EXTRA_BODY' in providerEnv(whole, { LLM_EXTRA_BODY: '{"a":1}' })));
  });

  for (const missing of ['apiKey', 'baseUrl', 'model'] as const) {
    test(`without ${missing} nothing of it is passed`, () => {
      for (const value of ['', '  ']) assert.deepEqual(providerEnv({ ...whole, [missing]: value }, {}), { LLM_EXTRA_BODY: '{}' });
    });
  }
});

describe('the host holds none', () => {
  test('a key without its address is taken out, so that a login counts', () => {
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

  test('a whole provider of the shell stays', () => {
    assert.deepEqual(providerEnv({}, { OPENAI_API_KEY: 'k', OPENAI_BASE_URL: 'https://a.example', OPENAI_MODEL: 'm' }), {
      LLM_EXTRA_BODY: '{}',
    });
  });

  test('a provider that only LLM_PROVIDER names', () => {
    assert.equal(providerEnv({}, { LLM_PROVIDER: 'qwen', QWEN_API_KEY: 'stray' })['QWEN_API_KEY'], null);
  });

  test('keys that are none of a provider stay', () => {
    assert.ok(!('TAVILY_API_KEY' in providerEnv({}, { TAVILY_API_KEY: 'k' })));
  });
});
