import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { demoAgentProgram } from './programs.js';
import { makePlace, runCli } from './cliProcess.js';

const secret = 'a1b2c3d4e5f6a7b8c9d0';
const command = ['--command', `"${process.execPath}" "${demoAgentProgram}" --api-key ${secret}`];

test('a key in --command is not saved, and --continue asks for the command again', async (t) => {
  const place = await makePlace();
  t.after(() => place.remove());
  assert.equal((await runCli(place, ['run', ...command, 'list'])).code, 0);
  const state = path.join(place.env['ACP_HOST_STATE'] ?? '', '.');
  const files = (await readdir(state, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
  const contents = await Promise.all(files.map((file) => readFile(path.join(file.parentPath, file.name), 'utf8')));
  assert.ok(contents.some((content) => content.includes('[redacted]')));
  assert.deepEqual(
    contents.filter((content) => content.includes(secret)),
    [],
  );
  const { code, stderr } = await runCli(place, ['run', '--continue', 'list']);
  assert.equal(code, 2);
  assert.match(stderr, /contains a secret, which is not saved\. Specify the agent with --command/);
  assert.equal((await runCli(place, ['run', '--continue', ...command, 'list'])).code, 0);
});
