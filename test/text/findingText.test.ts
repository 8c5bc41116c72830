import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HostErrorData } from '../../src/core/index.js';
import { findingText, type FrontEnd } from '../../src/text/findingText.js';

const url = 'wss://far.example/';

function adviceFor(error: HostErrorData, frontEnd: FrontEnd): string {
  const params = { agent: 'Far', error, lines: [], stderrTail: '' };
  return (
    findingText({ check: 'handshake', state: 'problem', code: 'handshake_failed', params }, frontEnd).advice ?? assert.fail('no advice')
  );
}

test('the advice for a server that needs a key, or whose certificate is not trusted, names what the front end offers', () => {
  const missing: HostErrorData = { code: 'key_refused', params: { reason: 'missing', url } };
  assert.match(adviceFor(missing, 'editor'), /Set API Key/);
  assert.match(adviceFor(missing, 'terminal'), /--key-env/);
  for (const reason of ['certificate_untrusted', 'pin_mismatch'] as const) {
    const untrusted: HostErrorData = { code: 'connect_failed', params: { reason, url } };
    assert.match(adviceFor(untrusted, 'editor'), /Trust Server/);
    assert.match(adviceFor(untrusted, 'terminal'), /--pin/);
  }
});

test('the advice for a server that was reached says nothing of whether it is running', () => {
  const reached: readonly HostErrorData[] = [
    { code: 'key_refused', params: { reason: 'status', status: 401, url } },
    { code: 'version_unsupported', params: { url } },
    { code: 'connect_failed', params: { reason: 'plain_text', url } },
  ];
  for (const error of reached)
    for (const frontEnd of ['editor', 'terminal'] as const) assert.doesNotMatch(adviceFor(error, frontEnd), /running/, error.code);
  assert.match(adviceFor({ code: 'connect_failed', params: { reason: 'unreachable', url } }, 'editor'), /running/);
});

test('the advice for an engine that no conversation can reach fits the reason', () => {
  const adviceOf = (error: HostErrorData): string | undefined =>
    findingText({ check: 'engine', state: 'problem', code: 'engine_unreachable', params: { error } }, 'terminal').advice;
  assert.match(adviceOf({ code: 'engine_hangs', params: { pid: 4711 } }) ?? '', /end the process 4711/);
  assert.equal(adviceOf({ code: 'engine_failed', params: { reason: 'folder_unwritable', path: '/state' } }), undefined);
});
