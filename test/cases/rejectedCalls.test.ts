/** A call that was rejected is not shown as done, whatever its agent reports. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventsOf, makePlace, testAgent } from '../cli/cliProcess.js';
import { runHere } from '../cli/runHere.js';

for (const id of ['t1', 'other']) {
  test(`a rejected call that ends as completed stays rejected (asked about as ${id})`, async () => {
    const place = await makePlace();
    try {
      const args = ['--permission', 'reject', ...testAgent('endsWhatWasRejected'), id];
      const { stderr } = await runHere(place, ['run', ...args]);
      assert.match(stderr, /- Run rm -rf build \(rejected\): The user rejected the call\./);
      assert.doesNotMatch(stderr, /✓/);
      const { stdout } = await runHere(place, ['run', '--format', 'json', ...args]);
      const session = eventsOf(stdout).find((line) => line.event === 'session');
      assert.ok(session?.event === 'session');
      const shown = await runHere(place, ['show', session.sessionId]);
      assert.match(shown.stdout, /- rm -rf build \(rejected\)/);
    } finally {
      await place.remove();
    }
  });
}
