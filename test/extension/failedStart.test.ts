/** What the user can do after a failed start. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HostErrorData } from '../../src/core/index.js';
import { draw } from './drawnChat.js';

const failures: readonly HostErrorData[] = [
  ...(['request_failed', 'request_timeout', 'provider_failed', 'agent_exited', 'invalid_response', 'queue_full', 'internal'] as const),
  ...(['handshake_failed', 'handshake_timeout', 'spawn_failed', 'connect_failed'] as const),
].map((code) => ({ code, params: {} }));

for (const error of failures)
  test(`after ${error.code} there is one button that tries again, and none that stays in the failed process`, () => {
    for (const change of [{ blocker: { type: 'failed', error } }, { status: { state: 'failed', error, stderrTail: '' } }] as const) {
      const { banner } = draw(change).view;
      const again = (banner?.buttons ?? []).filter(({ action }) => ['retry', 'retryNow', 'restartAgent', 'checkAgain'].includes(action));
      assert.equal(again.length, 1);
      assert.notEqual(again[0]?.action, 'retry');
    }
  });
