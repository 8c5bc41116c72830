/** An agent that doesn't repeat its options when it loads a session still has them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makePlace, testAgent } from '../cli/cliProcess.js';
import { runHere } from '../cli/runHere.js';

const [, agent = ''] = testAgent('forgetsItsOptions');

for (const loaded of ['{}', 'null', '{"models":null,"modes":null}']) {
  test(`a session that was loaded with ${loaded} continues with the model that is chosen`, async (t) => {
    const place = await makePlace();
    t.after(() => place.remove());
    const command = ['--command', `${agent} ${loaded.replaceAll('"', '\\"')}`];
    assert.equal((await runHere(place, ['run', ...command, 'hi'])).code, 0);
    const { code, stdout, stderr } = await runHere(place, ['run', ...command, '--continue', '--model', 'm2', 'hi']);
    assert.equal(code, 0, stderr);
    assert.match(stdout, /Set: .*m2\./);
    assert.doesNotMatch(stderr, /no longer available|could not be restored/);
  });
}
