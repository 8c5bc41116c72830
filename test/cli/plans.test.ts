/** Plans with ids on the command line. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { makePlace, type Place, testAgent } from './cliProcess.js';
import { runHere } from './runHere.js';

let place: Place;
beforeEach(async () => {
  place = await makePlace({});
});
afterEach(() => place.remove());

const run = (...args: readonly string[]) => runHere(place, ['run', ...args, ...testAgent('plansInMarkdown'), 'go']);

describe('plans with ids', () => {
  test('as text, steps are one line each, and a plan in Markdown is indented', async () => {
    const { stdout, stderr } = await run();
    assert.equal(stdout, 'Here is my plan.\n');
    assert.match(stderr, /\[x\] Read the parser\n\[ \] Change it\nplan:\n {2}# Design\n {2}\n {2}One \*\*parser\*\*\.\n/);
  });

  test('as JSON, the updates are as the agent sent them', async () => {
    const { stdout } = await run('--format', 'json');
    const updates = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { update?: { sessionUpdate: string; plan?: { planId: string } } })
      .flatMap(({ update }) => (update?.sessionUpdate.startsWith('plan') === true ? [update] : []));
    assert.deepEqual(
      updates.map(({ sessionUpdate, plan }) => [sessionUpdate, plan?.planId]),
      [
        ['plan_update', 'todo'],
        ['plan_update', 'design'],
        ['plan_update', 'old'],
        ['plan_removed', undefined],
        // What the host cannot read, it passes on.
        ['plan_update', 'p'],
      ],
    );
  });

  test('a saved conversation has them', async () => {
    const { stdout: lines } = await run('--format', 'json');
    const id = /"event":"session"[^\n]*"sessionId":"([^"]+)"/.exec(lines)?.[1] ?? assert.fail(lines);
    const { stdout } = await runHere(place, ['show', id]);
    assert.match(stdout, /Plan:\n\n# Design\n\nOne \*\*parser\*\*\./);
  });
});
