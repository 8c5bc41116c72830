/** What is known about an agent by its name appears where users need it. */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { standardQuirks } from '../../../src/core/agents/standardQuirks.js';
import { HostError } from '../../../src/core/base/errors.js';
import { describeError, errorMessage } from '../../../src/text/errorText.js';
import { hostOf } from './launch.js';

for (const name of ['claude-code-acp', '@agentclientprotocol/claude-agent-acp'])
  test(`if ${name} refuses to run as root, the advice says what helps`, async (t) => {
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

const failureOf = async (t: TestContext, words: string): Promise<HostError> => {
  const host = await hostOf(t, 'refusesRoot', { env: { REFUSES_ROOT_NAME: 'somebody', REFUSES_ROOT_WORDS: words } });
  return host.newSession().then(
    () => assert.fail('opened'),
    (thrown: unknown) => (thrown instanceof HostError ? thrown : assert.fail('no HostError')),
  );
};

test('if another agent refuses, the advice is another user, without variables of other agents', async (t) => {
  const error = await failureOf(t, 'Running as root without --no-sandbox is not supported');
  assert.deepEqual(error.params['hint'], { code: 'refuses_root', params: {} });
  assert.match(errorMessage(error.toData(), 'Mine'), /It refuses to run as root\. Run it as another user$/);
});

test('a refusal to run as root is recognized by its text', () => {
  const isHinted = (words: string): boolean => standardQuirks.failureHint?.(words) !== undefined;
  for (const words of [
    'This program must not be run as root.',
    '--yolo cannot be used with root/sudo privileges',
    'Refusing to start as root user',
    'do not run this by root',
    'Running as root is not recommended',
  ])
    assert.ok(isHinted(words), words);
  for (const words of [
    'Cannot use /work as root folder',
    'You are logged in as root. The model cannot be found.',
    'cannot find the root of the repository',
    'Permission denied',
  ])
    assert.ok(!isHinted(words), words);
});
