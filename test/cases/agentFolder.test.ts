/** The agent works in the folder that was named, whatever the shell of the user says. */
import assert from 'node:assert/strict';
import { mkdir, realpath, symlink } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { makePlace, type Place, runCli, testAgent } from '../cli/cliProcess.js';

let place: Place;
beforeEach(async () => {
  place = await makePlace();
});
afterEach(() => place.remove());

const skip = process.platform === 'win32' ? 'PWD belongs to POSIX shells' : false;

test("the agent's PWD is the folder of --cwd, also over a link, and not the one in which the command line was started", {
  skip,
}, async () => {
  const other = path.join(place.workspace, 'other');
  await mkdir(other);
  await symlink(other, path.join(place.workspace, 'link'));
  const [option = '', agent = ''] = testAgent('showsEnvironment');
  for (const folder of ['other', 'link']) {
    const args = ['run', '--cwd', folder, option, `${agent} PWD,OLDPWD`, 'show'];
    const { stdout, stderr } = await runCli(place, args, { env: { PWD: place.workspace, OLDPWD: '/' } });
    assert.equal(stdout, `${await realpath(other)},\n`, stderr);
  }
});
