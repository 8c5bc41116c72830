/** Options whose values depend on other options are set as the user wants all of them, in whatever order that takes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makePlace, testAgent } from '../cli/cliProcess.js';
import { runHere } from '../cli/runHere.js';

const [, agent = ''] = testAgent('dependsOnItsModel');
const command = ['--command', agent];

for (const [wanted, set] of [
  [['--mode', 'auto', '--model', 'large'], 'auto large low'],
  [['--set', 'effort=max', '--model', 'large'], 'ask large max'],
  [['--mode', 'plan', '--model', 'large'], 'plan large low'],
] as const)
  test(`${wanted.join(' ')} sets both, and they are restored with the conversation`, async (t) => {
    const place = await makePlace();
    t.after(() => place.remove());
    for (const options of [wanted, ['--continue']]) {
      const { stdout, stderr } = await runHere(place, ['run', ...command, ...options, 'hi']);
      assert.equal(stdout.trim(), set, stderr);
      assert.doesNotMatch(stderr, /could not be restored/);
    }
  });

test('another model for a conversation that goes on leaves its mode as it was', async (t) => {
  const place = await makePlace();
  t.after(() => place.remove());
  for (const [options, set] of [
    [['--mode', 'plan'], 'plan small low'],
    [['--continue', '--model', 'large'], 'plan large low'],
  ] as const) {
    const { stdout, stderr } = await runHere(place, ['run', ...command, ...options, 'hi']);
    assert.equal(stdout.trim(), set, stderr);
  }
});

test('a mode that is lost with another model is told, and nothing is sent', async (t) => {
  const place = await makePlace();
  t.after(() => place.remove());
  const run = (...options: readonly string[]) => runHere(place, ['run', ...command, ...options, 'hi']);
  assert.equal((await run('--mode', 'auto', '--model', 'large')).stdout.trim(), 'auto large low');
  const { code, stdout, stderr } = await run('--continue', '--model', 'small');
  assert.deepEqual([code, stdout], [2, ''], stderr);
  assert.match(stderr, /"auto" is not an option for mode/);
  assert.equal((await run('--continue', '--model', 'small', '--mode', 'ask')).stdout.trim(), 'ask small low');
});

test('what the agent offers with no wanted model is still refused', async (t) => {
  const place = await makePlace();
  t.after(() => place.remove());
  const { code, stderr } = await runHere(place, ['run', ...command, '--mode', 'auto', '--set', 'effort=low', 'hi']);
  assert.equal(code, 2);
  assert.match(stderr, /"auto" is not an option for mode/);
});

test('of two switches that turn each other off, the later one stays, and nothing is sent', async (t) => {
  const place = await makePlace();
  t.after(() => place.remove());
  const options = ['--set', 'fast=on', '--set', 'careful=on'];
  const { code, stderr } = await runHere(place, ['run', ...testAgent('hasExclusiveSwitches'), ...options, 'hi']);
  assert.equal(code, 2);
  assert.match(stderr, /did not set fast to "on"\. It is "off"/);
});
