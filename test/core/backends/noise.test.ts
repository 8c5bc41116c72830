import assert from 'node:assert/strict';
import { test } from 'node:test';
import { launch, rejects } from './launch.js';
import { errorCause } from '../../../src/text/errorCause.js';

test('a program that prints text instead of messages is recognized by its first line, long before the deadline', async (t) => {
  const program = await launch(t, 'isNoAgent');
  const error = await rejects(program.start(), 'handshake_failed');
  assert.match(
    errorCause(error.toData(), 'It'),
    /printed 1000 lines of text and no message\. On stdout, where only messages belong, it printed "[^"]*Welcome[^"]*"/,
  );
  assert.doesNotMatch(JSON.stringify(error.toData()), /secret_0123456789|\\u001b/);
  assert.match(String(error.params['firstNoise']), /Welcome.* to line 1, key/);
  assert.deepEqual(await program.processes(), []);
});

test('a program that prints one line and then nothing is recognized by that line', async (t) => {
  const program = await launch(t, 'isNoAgent', ['1'], { deadlines: { initializeMs: 500, sessionMs: 20_000, queryMs: 20_000 } });
  const error = await rejects(program.start(), 'handshake_timeout');
  assert.match(String(error.params['firstNoise']), /to line 1,/);
});
