/** What is known of an agent by its name, told where a person needs it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HostError } from '../../../src/core/base/errors.js';
import { describeError, errorMessage } from '../../../src/text/errorText.js';
import { hostOf, lines, text } from './launch.js';

test('an agent that never asks for permission: said once, before its first turn', async (t) => {
  const host = await hostOf(t, 'neverAsks');
  const session = await host.newSession();
  assert.deepEqual(session.state.items, [], 'an empty conversation stays empty');
  await session.prompt(text('go'));
  await session.prompt(text('on'));
  assert.deepEqual(lines(session.state), [
    'notice agent_never_asks',
    'user: go',
    'agent: done',
    'end end_turn',
    'user: on',
    'agent: done',
    'end end_turn',
  ]);
});

test('an agent of which nothing is known is said nothing about', async (t) => {
  const host = await hostOf(t, 'neverAsks', { env: { NEVER_ASKS_NAME: 'somebody' } });
  const session = await host.newSession();
  await session.prompt(text('go'));
  assert.equal(lines(session.state)[0], 'user: go');
});

for (const name of ['claude-code-acp', '@agentclientprotocol/claude-agent-acp'])
  test(`${name} refuses to run as root: what helps is said`, async (t) => {
    const host = await hostOf(t, 'neverAsks', { env: { NEVER_ASKS_NAME: name, REFUSES_ROOT: '1' } });
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
  const host = await hostOf(t, 'neverAsks', { env: { NEVER_ASKS_NAME: 'somebody', REFUSES_ROOT: '1' } });
  await assert.rejects(host.newSession(), (error: HostError) => error.params['hint'] === undefined);
});
