/** A request of an agent is saved and read back, however little the agent says in it. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { CliProcess, makePlace, type Place, testAgent } from '../cli/cliProcess.js';
import { runHere } from '../cli/runHere.js';

let place: Place;
beforeEach(async () => {
  place = await makePlace();
});
afterEach(() => place.remove());

const damage = /could not be read/;

describe('a permission request', () => {
  const shown = {
    title: 'Shell: ls',
    kind: 'execute',
    content: [{ type: 'content', content: { type: 'text', text: 'Requesting approval' } }],
  };
  const calls: Readonly<Record<string, object>> = {
    'without raw input': shown,
    'with null as its raw input': { ...shown, rawInput: null },
    'with a text as its raw input': { ...shown, rawInput: 'ls' },
    'with a list as its raw input': { ...shown, rawInput: [null] },
    'with null for all that is optional': {
      title: null,
      kind: null,
      status: null,
      content: null,
      locations: null,
      rawInput: null,
      rawOutput: null,
    },
    'with nothing but an id': {},
  };
  for (const [what, call] of Object.entries(calls)) {
    test(`${what} is read back`, async () => {
      const run = await runHere(place, ['run', '--permission', 'allow', ...testAgent('asksWithLittle'), JSON.stringify(call)]);
      assert.equal(run.code, 0, run.stderr);
      const { stdout, stderr } = await runHere(place, ['show', 's1']);
      assert.match(stdout, /Done\./);
      assert.doesNotMatch(stdout + stderr, damage);
    });
  }

  test('that was allowed is known when the session is resumed: what the agent runs afterwards is no surprise', async () => {
    const agent = testAgent('actsUnasked');
    await runHere(place, ['run', '--permission', 'allow', ...agent, 'ask']);
    const { code, stderr } = await runHere(place, ['run', '--session', 's1', ...agent, 'execute done']);
    assert.equal(code, 0, stderr);
    assert.doesNotMatch(stderr, /without asking/);
  });

  test('that was open when the agent died is shown as dismissed', async () => {
    const cli = new CliProcess(place, ['run', '--format', 'json', ...testAgent('diesWhileItAsks'), 'go']);
    await cli.ended();
    cli.child.stdin.end();
    const { stdout } = await runHere(place, ['show', 's']);
    assert.match(stdout, /Dismissed: Do it/);
    assert.doesNotMatch(stdout, damage);
  });
});
