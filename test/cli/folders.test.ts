/** Folders and files that the command line needs, and that are not there or can't be read. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { realpath, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { makePlace, type Place, runCli } from './cliProcess.js';
import { cliProgram } from './programs.js';

let place: Place;
beforeEach(async () => {
  place = await makePlace();
});
afterEach(() => place.remove());

const readers = [['changes'], ['changes', 'x', '--format', 'json'], ['undo', '--yes', '--last'], ['attach'], ['attach', 'x']];
for (const args of [['sessions'], ['show', 'x'], ['run', '--agent', 'demo', '--continue', 'list'], ...readers])
  test(`${args.join(' ')}: a folder of saved sessions that can't be read is not an empty one`, async () => {
    const state = place.env['ACP_HOST_STATE'] ?? '';
    await writeFile(state, '');
    const { code, stdout, stderr } = await runCli(place, args);
    assert.deepEqual([code, stdout], [3, '']);
    assert.match(
      stderr,
      /^acp-host: The folder of the saved conversations can't be read: the path is not a folder \(.*\)\n {2}.*--state\.\n$/,
    );
  });

for (const [option, args] of [
  ['--mcp-config', ['run', '--agent', 'demo', 'list']],
  ['--file', ['run', '--agent', 'demo', '--task', 'explain', '--range', '1:1-2:1']],
] as const)
  test(`${option}: the error says in words what is wrong with the file`, async () => {
    for (const [name, problem] of [
      ['missing.json', "can't be read: there is no such file (MISSING)"],
      ['.', "can't be read: it is a folder (WORKSPACE)"],
      ['', 'must be the name of a file, not an empty text'],
    ] as const) {
      const { code, stdout, stderr } = await runCli(place, [...args, option, name]);
      const workspace = await realpath(place.workspace);
      const expected = problem.replace('WORKSPACE', workspace).replace('MISSING', path.join(workspace, 'missing.json'));
      assert.deepEqual([code, stdout, stderr], [2, '', `acp-host: ${option} ${expected}\nTry: acp-host run --help\n`]);
    }
  });

const skip = process.platform === 'win32' && 'Windows removes no folder that is in use';
for (const args of [['agents'], ['run', '--agent', 'demo', 'list'], ['doctor', '--agent', 'demo'], ['run', '--command', './agent', 'list']])
  test(`${args.join(' ')}: the current folder was removed`, { skip }, () => {
    const command = ['-c', 'rmdir "$PWD" && exec "$@"', 'sh', process.execPath, cliProgram, ...args];
    const { status, stdout, stderr } = spawnSync('sh', command, { cwd: place.workspace, env: place.env, encoding: 'utf8', input: '' });
    assert.deepEqual([status, stdout], [2, '']);
    assert.match(stderr, /^acp-host: The current folder no longer exists\. Change to another one\nTry: acp-host \w+ --help\n$/);
  });

test('a folder that can never be created is told at once, and once', { skip: process.platform !== 'linux' }, async () => {
  const env = { ...place.env, ACP_HOST_STATE: '/proc/acp-host' };
  const { code, stdout, stderr } = await runCli({ ...place, env }, ['run', '--agent', 'demo', 'list']);
  assert.equal(code, 0);
  assert.match(stdout, /entries|entry|empty/);
  assert.match(stderr, /This conversation can't be saved right now: the folder doesn't exist and can't be created \(\/proc\/acp-host/);
  assert.equal(stderr.match(/can't be saved/g)?.length, 1, stderr);
  const sessions = await runCli({ ...place, env }, ['sessions']);
  assert.deepEqual([sessions.code, sessions.stdout], [0, 'No saved sessions in /proc/acp-host.\n']);
});
