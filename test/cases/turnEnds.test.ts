/** An end that is no success is not taken for one, and its reason is shown wherever the agent puts it. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { makePlace, type Place, testAgent } from '../cli/cliProcess.js';
import { runHere } from '../cli/runHere.js';

let place: Place;
beforeEach(async () => {
  place = await makePlace();
});
afterEach(() => place.remove());

const odd = testAgent('endsTurnsOddly');
const run = (answer: object, env = {}) => runHere(place, ['run', ...odd, JSON.stringify({ text: 'some text', ...answer })], { env });

describe('what ends a turn', () => {
  const failures: readonly (readonly [string, object, RegExp])[] = [
    ['an unknown stop reason', { result: { stopReason: 'error' } }, /ended the turn with "error"/],
    ['a stop reason of tomorrow', { result: { stopReason: 'content_filter' } }, /ended the turn with "content_filter"/],
    [
      'an unknown stop reason with an error',
      { result: { stopReason: 'failed', error: { message: 'model overloaded' } } },
      /model overloaded/,
    ],
    [
      'an error in the metadata of a regular end',
      { result: { stopReason: 'end_turn', _meta: { 'vendor.ai/errorMessage': '429 quota exceeded' } } },
      /429 quota exceeded/,
    ],
    [
      'an error in the metadata of a refusal',
      { result: { stopReason: 'refusal', _meta: { error: { message: 'Free limit reached', statusCode: 429 } } } },
      /Free limit reached/,
    ],
    [
      'an error below a name in the metadata',
      { result: { stopReason: 'end_turn', _meta: { vendor: { error: 'upstream 503' } } } },
      /upstream 503/,
    ],
    ['an error as a text', { error: 'boom: quota exceeded' }, /boom: quota exceeded/],
    ['an error without a code', { error: { message: 'quota exceeded' } }, /quota exceeded/],
  ];
  for (const [what, answer, reason] of failures) {
    test(`${what} is a failure`, async () => {
      const { code, stdout, stderr } = await run(answer);
      assert.equal(code, 1, stderr);
      assert.match(stdout, /some text/);
      assert.match(stderr, reason);
    });
  }

  const regular: readonly (readonly [string, object])[] = [
    ['end_turn', { result: { stopReason: 'end_turn', _meta: { error: null, errors: 0, vendor: { error: '' } } } }],
    ['another spelling', { result: { stopReason: 'endTurn' } }],
    ['no stop reason', { result: {} }],
    ['an empty error', { result: { stopReason: 'end_turn' }, error: null }],
  ];
  for (const [what, answer] of regular) {
    test(`${what} is a success`, async () => {
      const { code, stderr } = await run(answer);
      assert.equal(code, 0, stderr);
    });
  }
});

describe('an expired sign-in is told as such, whatever code it has', () => {
  const errors = {
    ACP: { code: -32000, message: 'Authentication required' },
    'an internal error with a text': {
      code: -32603,
      message: 'Internal error',
      data: { message: 'Your access token could not be refreshed because you have since logged out. Please sign in again.' },
    },
    'an internal error with a code in its data': {
      code: -32603,
      message: 'Internal error',
      data: { message: 'Request refused', info: 'unauthorized' },
    },
    'a quoted answer of HTTP': {
      code: -32603,
      message: 'Internal error',
      data: { details: 'API Error: 401 {"type":"error","error":{"type":"authentication_error","message":"OAuth token has expired"}}' },
    },
  };
  for (const [what, error] of Object.entries(errors)) {
    test(what, async () => {
      const { code, stderr } = await run({ error }, { SIGN_IN: '1' });
      assert.equal(code, 4, stderr);
      assert.match(stderr, /acp-host login/);
    });
  }

  test('other failures are none', async () => {
    for (const message of ['The file has 401 lines', 'Port 401 is in use', 'The tool took 401 ms']) {
      const { code } = await run({ error: { code: -32603, message } }, { SIGN_IN: '1' });
      assert.equal(code, 1, message);
    }
  });
});
