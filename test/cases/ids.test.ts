/** An agent's ids decide neither whether its user is asked nor whether its messages are shown. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { makePlace, type Place, testAgent } from '../cli/cliProcess.js';
import { runHere } from '../cli/runHere.js';

let place: Place;
beforeEach(async () => {
  place = await makePlace();
});
afterEach(() => place.remove());

const [, agent = ''] = testAgent('asksWithId');

for (const id of ['1', '"x"', '1.5', '9007199254740993', 'null']) {
  test(`a permission is asked for and answered under the id ${id}`, async () => {
    const args = ['run', '--command', `${agent} ${id.replaceAll('"', '\\"')}`, '--permission', 'allow', 'go'];
    const { code, stdout, stderr } = await runHere(place, args, { env: { NULL_IDS: '1' } });
    assert.equal(code, 0, stderr);
    assert.equal(stdout.trim(), `answered as ${id} with y`);
  });
}
