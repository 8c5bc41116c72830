import assert from 'node:assert/strict';
import { test } from 'node:test';
import { retryIn } from '../../../src/core/agents/standardQuirks.js';

test('a line with an HTTP status and a retry reports that the agent waits for its provider', () => {
  assert.deepEqual(retryIn('Attempt 1 failed with status 429. Retrying with backoff... GaxiosError: rate limited'), {
    reason: { code: 'status', params: { status: 429, attempt: 1 } },
    delayMs: 0,
  });
  assert.deepEqual(retryIn('WARN stream error: unexpected status 503 Service Unavailable; retrying 2/5 in 210ms'), {
    reason: { code: 'status', params: { status: 503, attempt: 2, attempts: 5 } },
    delayMs: 210,
  });
  assert.deepEqual(retryIn('API error (attempt 3 of 10): retrying after 8 seconds, 529 overloaded_error'), {
    reason: { code: 'status', params: { status: 529, attempt: 3, attempts: 10 } },
    delayMs: 8_000,
  });
});

test('a line without both a status and a retry is ignored, and so is one in which they are far apart', () => {
  for (const line of [
    'GET /v1/models 429',
    'retrying in 5s',
    'retry of test 1429 in 5s',
    'read 500 lines',
    `429 ${'x'.repeat(400)} retrying`,
  ])
    assert.equal(retryIn(line), undefined, line);
});
