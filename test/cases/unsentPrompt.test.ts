/** A prompt that reached no process goes out when the agent is back, and is not left as interrupted. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { makePlace, testAgent } from '../cli/cliProcess.js';
import { runHere } from '../cli/runHere.js';

for (const attempt of [1, 2, 3]) {
  test(`a prompt behind the end of an agent is answered by the next process (${attempt})`, async (t) => {
    const place = await makePlace();
    t.after(() => place.remove());
    const prompts = ['last', 'second', 'third'].map((text) => JSON.stringify({ prompt: text })).join('\n');
    const args = ['chat', ...testAgent('endsAfterItsTurn'), '--format', 'json'];
    const { stdout, stderr, code } = await runHere(place, args, { stdin: `${prompts}\n` });
    assert.equal(code, 0, `${stdout}${stderr}`);
    assert.doesNotMatch(stdout + stderr, /endsAfterItsTurn/, 'its name is that of its first process');
    assert.equal(readFileSync(path.join(place.workspace, 'taken'), 'utf8'), 'last\nsecond\nthird\n');
  });
}
