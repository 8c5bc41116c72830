import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hostOf, text } from './launch.js';

test('the last stderr output of an agent is used even without a line break', async (t) => {
  const host = await hostOf(t, 'asksOnStderr');
  const session = await host.newSession();
  const outcome = await session.prompt(text('go'));
  assert.ok(outcome.type === 'failed');
  assert.equal(outcome.stderrTail, 'first line\nEnter the passphrase: ');
});
