import assert from 'node:assert/strict';
import { test } from 'node:test';
import { retryIn } from '../../../src/core/agents/agentao/agentaoQuirks.js';

const line =
  '2026-11-21 21:41:52,123 INFO agentao.llm: [req_1] retryable streaming error (status=429) after 37 ms; attempt 1 sleeping 7.96s';

test('parses the retries that agentao 0.5.17 reports on stderr', () => {
  assert.deepEqual(retryIn(line), { reason: { code: 'status', params: { attempt: 1, attempts: 5, status: 429 } }, delayMs: 7_960 });
  assert.deepEqual(retryIn(line.replace('streaming ', '').replace('attempt 1', 'attempt 4')), {
    reason: { code: 'status', params: { attempt: 4, attempts: 5, status: 429 } },
    delayMs: 7_960,
  });
  assert.deepEqual(retryIn(line.replace('status=429', 'APIConnectionError')), {
    reason: { code: 'unreachable', params: { attempt: 1, attempts: 5 } },
    delayMs: 7_960,
  });
  assert.deepEqual(retryIn(line.replace('status=429', 'SomeError')), {
    reason: { code: 'other', params: { attempt: 1, attempts: 5, error: 'SomeError' } },
    delayMs: 7_960,
  });
});

test('parses the retries of agentao 0.4.20, which do not contain the duration of the call', () => {
  const old = '2026-11-21 21:41:52,123 INFO agentao.llm: [req_12] retryable streaming error (status=503); attempt 2 sleeping 3.10s';
  assert.deepEqual(retryIn(old), { reason: { code: 'status', params: { attempt: 2, attempts: 5, status: 503 } }, delayMs: 3_100 });
});

test('ignores lines that only quote a retry or deviate from the format', () => {
  for (const other of [
    '',
    `User message: ${line}`,
    ` ${line}`,
    `${line} and more`,
    line.replace('agentao.llm', 'other.llm'),
    line.replace('status=429', 'key=sk-very-secret'),
    line.replace('7.96', '1e99'),
    line.replace('7.96', '-1'),
    line.replace('INFO ', ''),
  ])
    assert.equal(retryIn(other), undefined, other);
});
