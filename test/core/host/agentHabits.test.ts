/** What is known of an agent by its name, told where a person needs it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HostError } from '../../../src/core/base/errors.js';
import { describeError, errorMessage } from '../../../src/text/errorText.js';
import { hostOf } from './launch.js';

for (const name of ['claude-code-acp', '@agentclientprotocol/claude-agent-acp'])
  test(`${name} refuses to run as root: what helps is said`, async (t) => {
    const host = await hostOf(t, 'refusesRoot', { env: { REFUSES_ROOT_NAME: name } });
    const error = await host.newSession().then(
      () => assert.fail('opened'),
      (thrown: unknown) => thrown,
    );
    assert.ok(error instanceof HostError);
    assert.deepEqual(error.params['hint'], { code: 'refuses_root', params: { variable: 'IS_SANDBOX', value: '1' } });
    for (const words of [errorMessage(error.toData(), 'Claude'), describeError(error.toData(), { agent: 'Claude' }).text])
      assert.match(words, /^--dangerously-skip-permissions cannot .*\. It refuses to run as root\. .*IS_SANDBOX=1/);
  });

test('another agent that says the same is given no such advice', async (t) => {
  const host = await hostOf(t, 'refusesRoot', { env: { REFUSES_ROOT_NAME: 'somebody' } });
  await assert.rejects(host.newSession(), (error: HostError) => error.params['hint'] === undefined);
});
