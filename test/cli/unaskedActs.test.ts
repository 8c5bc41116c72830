/** The command line also reports an agent that acts without asking. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { eventsOf, type Place, testAgent } from './cliProcess.js';
import { placesOfOneEngine } from './engineOf.js';
import { runHere } from './runHere.js';

const makePlace = placesOfOneEngine();

let place: Place;
beforeEach(async () => {
  place = await makePlace();
});
afterEach(() => place.remove());

describe('an agent that runs a command without permission', () => {
  test('a run prints one line on stderr', async () => {
    const { code, stdout, stderr } = await runHere(place, ['run', '--permission', 'reject', ...testAgent('actsUnasked'), 'execute done']);
    assert.equal(code, 0);
    assert.equal(stdout, 'done\n');
    assert.match(stderr, /warning: acts-unasked ran a command without asking: It didn't request permission for "ls -la"/);
    assert.equal(stderr.match(/without asking/g)?.length, 1);
  });

  for (const deed of ['unended', 'afterwards'])
    test(`it is also reported if the call ${deed === 'unended' ? 'never ends' : 'ends after the turn'}`, async () => {
      const stdin = [`${deed} done`, 'again'].map((prompt) => `${JSON.stringify({ prompt })}\n`).join('');
      const { stdout } = await runHere(place, ['chat', '--format', 'json', ...testAgent('actsUnasked')], { stdin });
      const codes = eventsOf(stdout).flatMap((line) => (line.event === 'notice' ? [line.code] : []));
      assert.deepEqual(codes, ['agent_acted_unasked']);
    });

  test('JSON has a notice with a code before the end of the turn', async () => {
    const { stdout } = await runHere(place, ['run', '--format', 'json', ...testAgent('actsUnasked'), 'execute done']);
    const lines = eventsOf(stdout).filter(({ event }) => event === 'notice' || event === 'turn');
    assert.deepEqual(
      lines.map((line) => (line.event === 'notice' ? line.code : line.event === 'turn' ? line.phase : '')),
      ['start', 'agent_acted_unasked', 'end'],
    );
  });

  test('a chat reports it once', async () => {
    const stdin = ['execute done', 'execute again'].map((prompt) => `${JSON.stringify({ prompt })}\n`).join('');
    const { stdout } = await runHere(place, ['chat', '--format', 'json', ...testAgent('actsUnasked')], { stdin });
    const lines = eventsOf(stdout);
    assert.deepEqual(
      lines.flatMap((line) => (line.event === 'notice' ? [line.code] : line.event === 'turn' ? [line.phase] : [])),
      ['start', 'agent_acted_unasked', 'end', 'start', 'end'],
    );
  });

  test('an agent that asks first is not reported', async () => {
    const { stderr } = await runHere(place, ['run', '--permission', 'allow', ...testAgent('actsUnasked'), 'ask execute done']);
    assert.doesNotMatch(stderr, /without asking/);
  });
});
