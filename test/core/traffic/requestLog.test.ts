import assert from 'node:assert/strict';
import { test } from 'node:test';
import { acpFrames } from '../../../src/core/backends/acp/acpFrames.js';
import { RequestLog, type RequestRecord } from '../../../src/core/traffic/requestLog.js';
import type { TrafficEntry } from '../../../src/core/traffic/trafficEntry.js';

const sent = (at: number, message: object): TrafficEntry => ({
  at,
  direction: 'sent',
  kind: 'message',
  message,
  bytes: JSON.stringify(message).length,
});
const received = (at: number, message: object): TrafficEntry => ({ ...sent(at, message), direction: 'received' });
const ended = (at: number): TrafficEntry => ({ at, direction: 'received', kind: 'process', event: 'ended', bytes: 0 });

function logOf(...entries: TrafficEntry[]): { readonly log: RequestLog; readonly noted: readonly (RequestRecord | undefined)[] } {
  const log = new RequestLog(acpFrames);
  return { log, noted: entries.map((entry) => log.note(entry)) };
}

const facts = ({ from, method, outcome, durationMs }: RequestRecord): unknown[] => [from, method, outcome, durationMs];

test('a response is matched to the request with its ID from the other side', () => {
  const { log, noted } = logOf(
    sent(10, { jsonrpc: '2.0', id: 1, method: 'ask', params: { a: 1 } }),
    received(12, { jsonrpc: '2.0', id: 1, method: 'permit', params: {} }),
    sent(20, { jsonrpc: '2.0', id: 1, result: {} }),
    received(30, { jsonrpc: '2.0', id: 1, error: { code: -32000, message: 'no key' } }),
  );
  assert.deepEqual(log.recent.map(facts), [
    ['host', 'ask', 'error', 20],
    ['agent', 'permit', 'ok', 8],
  ]);
  assert.deepEqual(log.recent[0]?.error, { code: -32000, message: 'no key' });
  assert.equal(noted[2], log.recent[1]);
  assert.equal(noted[3], log.recent[0]);
  const { requestsSent, requestsReceived, errorsReceived } = log.counters;
  assert.deepEqual([requestsSent, requestsReceived, errorsReceived], [1, 1, 1]);
});

test('a request that was canceled is abandoned, even if a response arrives later', () => {
  const { log, noted } = logOf(
    sent(0, { id: 7, method: 'load' }),
    sent(5, { method: '$/cancel_request', params: { requestId: 7 } }),
    received(9, { id: 7, error: { code: -32800, message: 'cancelled' } }),
  );
  assert.deepEqual(log.recent.map(facts), [['host', 'load', 'abandoned', 5]]);
  assert.equal(noted[2], log.recent[0], 'its late response is still its response');
  assert.equal(log.counters.requestsAbandoned, 1);
});

test('a request that is open when its process ends is lost, and a response of the next process does not match it', () => {
  const { log, noted } = logOf(sent(0, { id: 1, method: 'prompt' }), ended(50), received(60, { id: 1, result: {} }));
  assert.deepEqual(log.recent.map(facts), [['host', 'prompt', 'lost', 50]]);
  assert.equal(noted[2], undefined);
});

test('a minute without a message counts as a silence only while a request of the host is open', () => {
  const { log } = logOf(
    sent(0, { id: 1, method: 'prompt' }),
    received(61_000, { method: 'update' }),
    received(62_000, { id: 1, result: {} }),
    received(200_000, { method: 'update' }),
  );
  assert.equal(log.counters.silences, 1);
  assert.equal(log.counters.notificationsReceived, 2);
});

test('a long payload is shortened, and only the last requests are kept', () => {
  const log = new RequestLog(acpFrames);
  for (let id = 0; id < 1000; id++) log.note(sent(id, { id, method: 'prompt', params: { text: 'x'.repeat(100_000) } }));
  assert.ok(log.recent.length <= 400, String(log.recent.length));
  assert.equal(log.recent.at(-1)?.id, 999);
  assert.ok(JSON.stringify(log.recent).length < 400 * 1000);
});
