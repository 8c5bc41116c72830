/** Conversations are saved in the user's own folder, never in the project, whatever the environment says. */
import assert from 'node:assert/strict';
import { readdir, rm } from 'node:fs/promises';
import { userInfo } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { stateFolder } from '../../src/core/store/stateFolder.js';
import { makePlace, type Place, runCli, testAgent } from '../cli/cliProcess.js';

let place: Place;
beforeEach(async () => {
  place = await makePlace();
});
afterEach(() => place.remove());

const skip = process.platform === 'linux' ? false : 'other systems have no XDG_STATE_HOME';

const saved = (home: string): Readonly<Record<string, readonly [env: NodeJS.ProcessEnv, folder: string]>> => ({
  'a relative XDG_STATE_HOME is ignored': [{ XDG_STATE_HOME: 'rel' }, '.local/state/acp-host'],
  'an XDG_STATE_HOME with ~ is ignored': [{ XDG_STATE_HOME: '~/rel' }, '.local/state/acp-host'],
  'an absolute XDG_STATE_HOME is used': [{ XDG_STATE_HOME: path.join(home, 'own') }, 'own/acp-host'],
  'ACP_HOST_STATE with ~ is in the home folder': [{ ACP_HOST_STATE: '~/st' }, 'st'],
  'a relative ACP_HOST_STATE is in the home folder': [{ ACP_HOST_STATE: 'st' }, 'st'],
});

for (const what of Object.keys(saved(''))) {
  test(what, { skip }, async () => {
    const { HOME: home = '', ACP_HOST_STATE: _, ...rest } = place.env;
    const [env, folder] = saved(home)[what] ?? assert.fail();
    const run = await runCli({ ...place, env: { ...rest, HOME: home } }, ['run', ...testAgent('actsUnasked'), 'hello'], { env });
    assert.equal(run.code, 0, run.stderr);
    assert.deepEqual(await readdir(place.workspace), []);
    assert.ok((await readdir(path.join(home, folder))).includes('journals'));
  });
}

test('without a usable HOME, the folder is in the home folder that the system knows', { skip }, async (t) => {
  const before = process.env['HOME'];
  t.after(() => (process.env['HOME'] = before));
  const expected = path.join(userInfo().homedir, '.local/state/acp-host');
  for (const home of ['', 'home', '.']) {
    process.env['HOME'] = home;
    assert.equal(stateFolder(undefined, { env: {}, platform: 'linux' }), expected);
  }
});

test('a folder named ~ on the command line is the home folder, because not every shell replaces it', { skip }, async () => {
  const run = await runCli(place, ['run', '--state', '~/own', ...testAgent('actsUnasked'), 'hello']);
  assert.equal(run.code, 0, run.stderr);
  assert.deepEqual(await readdir(place.workspace), []);
  await rm(path.join(place.env['HOME'] ?? '', 'own'), { recursive: true });
});
