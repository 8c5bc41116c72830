/** Some agents open a session for anybody, and ask for a sign-in only when they get a prompt. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ExitCode } from '../../src/cli/output/exitCode.js';
import { makePlace, testAgent } from '../cli/cliProcess.js';
import { runHere } from '../cli/runHere.js';

const [, agent = ''] = testAgent('wantsKey');

for (const [what, ways, key, code, told] of [
  ['with a key in the environment, the prompt is answered', 'key', 'right', ExitCode.ended, /^signed in by key/],
  ['one usable way among several is enough', 'browser,key', 'right', ExitCode.ended, /^signed in by key/],
  ['without a key, the user is told how to sign in', 'key', undefined, ExitCode.authRequired, /Sign in with: acp-host login/],
  ['a key that is refused is not tried again', 'key', 'wrong', ExitCode.authRequired, /was refused/],
  ['a browser is never opened unasked', 'browser', 'right', ExitCode.authRequired, /Sign in with: acp-host login/],
] as const) {
  test(`a sign-in at the first prompt: ${what}`, async (t) => {
    const place = await makePlace();
    t.after(() => place.remove());
    const env = key === undefined ? {} : { WANTED_API_KEY: key };
    const result = await runHere(place, ['run', '--command', `${agent} --at-prompt --ways=${ways}`, 'hi'], { env });
    assert.equal(result.code, code, result.stderr);
    assert.match(result.stdout + result.stderr, told);
  });
}
