/** What an agent writes around its messages neither hides them nor is passed over in silence. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { makePlace, type Place, testAgent } from '../cli/cliProcess.js';
import { runHere } from '../cli/runHere.js';

let place: Place;
beforeEach(async () => {
  place = await makePlace();
});
afterEach(() => place.remove());

const noisy = testAgent('writesBesideMessages');
const said = /could not be read/;

const noises = {
  text: 'Loaded cached credentials.',
  title: '\u001B]0;agent\u0007',
  codes: '\u001B[?25h\u001B[0m',
  'byte order mark': '\uFEFF',
  NUL: '\0',
  progress: 'Downloading 10%\rDownloading 100%\r',
};

describe('a message that shares its line is read', () => {
  for (const [what, noise] of Object.entries(noises)) {
    for (const WHERE of ['initialize', 'prompt']) {
      test(`${what} before ${WHERE === 'prompt' ? 'an update' : 'the first answer'}`, async () => {
        const { code, stdout, stderr } = await runHere(place, ['run', ...noisy, 'go'], { env: { WHERE, NOISE: JSON.stringify(noise) } });
        assert.equal(code, 0, stderr);
        assert.equal(stdout.trim(), 'hello world');
        assert.doesNotMatch(stderr, said);
      });
    }
  }
});

describe('what could not be read is told once', () => {
  const cases: Readonly<Record<string, NodeJS.ProcessEnv>> = {
    'half a message': { WHERE: 'prompt', NOISE: JSON.stringify('{"jsonrpc":"2.0","method":"session/upd\n') },
    'a message without its end': { WHERE: 'prompt', NOISE: JSON.stringify('{"jsonrpc":"2.0","method":"session/upd') },
    'JSON that is no message': { WHERE: 'prompt', NOISE: JSON.stringify('{"level":"info"}\n') },
    'an update that is too long to read': { MEGABYTES: '65' },
    'an update without its content': { UNREADABLE: '{"sessionUpdate":"agent_message_chunk"}' },
  };
  for (const [what, env] of Object.entries(cases)) {
    test(what, async () => {
      const { code, stdout, stderr } = await runHere(place, ['run', ...noisy, 'go'], { env });
      assert.equal(code, 0, stderr);
      assert.match(stdout, /hello.*world/s);
      assert.match(stderr, /1 message from noisy could not be read/);
      assert.equal(stderr.split('could not be read').length, 2);
    });
  }

  for (const [what, UNREADABLE] of [
    ['an update of a kind that the host does not know', '{"sessionUpdate":"from_tomorrow"}'],
    ['the usage of a context of unknown size', '{"sessionUpdate":"usage_update","used":10,"size":null}'],
  ]) {
    test(`${what} is no loss`, async () => {
      const { stderr } = await runHere(place, ['run', ...noisy, 'go'], { env: { UNREADABLE } });
      assert.doesNotMatch(stderr, said);
    });
  }
});
