/** No secret reaches the disk: not in the command of an agent, and not in what the agent calls its session. */
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { demoAgentProgram } from './programs.js';
import { makePlace, type Place, testAgent } from './cliProcess.js';
import { runHere } from './runHere.js';

const secret = 'a1b2c3d4e5f6a7b8c9d0';
/** Without a shape: only the environment of the command line says that it is one. */
const plainSecret = 'tulip-7-harbor';
const agent = `"${process.execPath}" "${demoAgentProgram}"`;

let place: Place;
beforeEach(async () => {
  place = await makePlace();
});
afterEach(() => place.remove());

async function saved(): Promise<readonly string[]> {
  const state = place.env['ACP_HOST_STATE'] ?? '';
  const files = (await readdir(state, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
  return Promise.all(files.map((file) => readFile(path.join(file.parentPath, file.name), 'utf8')));
}

async function assertUnsaved(): Promise<void> {
  const contents = await saved();
  assert.ok(contents.some((content) => content.includes('[redacted]')));
  assert.deepEqual(
    contents.filter((content) => content.includes(secret) || content.includes(plainSecret)),
    [],
  );
}

describe('a key in --command is not saved', () => {
  const commands: Readonly<Record<string, string>> = {
    'as the value of an option': `${agent} --api-key ${secret}`,
    'as the value of a short option': `${agent} -k ${secret}`,
    'joined to a short option': `${agent} -k${secret}`,
    'in a variable for env': `/usr/bin/env MYVAR=${secret} ${agent}`,
    'in a variable that the environment of the command line has, too': `/usr/bin/env "MYVAR=${plainSecret}" ${agent}`,
    'as any argument that the environment has': `${agent} "${plainSecret}"`,
  };
  for (const [how, command] of Object.entries(commands)) {
    test(`${how}, and --continue asks for the command again`, async () => {
      const env = { WORK_API_KEY: plainSecret };
      const run = await runHere(place, ['run', '--command', command, 'list'], { env });
      assert.equal(run.code, 0, run.stderr);
      await assertUnsaved();
      const { code, stderr } = await runHere(place, ['run', '--continue', 'list'], { env });
      assert.equal(code, 2);
      assert.match(stderr, /contains a secret, which is not saved\. Specify the agent with --command/);
      assert.equal((await runHere(place, ['run', '--continue', '--command', command, 'list'], { env })).code, 0);
    });
  }
});

test('a command without a secret is saved as it is', async () => {
  const command = `/usr/bin/env LANG=C "LIST=${place.workspace}/a1b2c3d4e5f6" ${agent} --model gpt-4o-2024-08-06 -v`;
  assert.equal((await runHere(place, ['run', '--command', command, 'list'])).code, 0);
  const { code, stderr } = await runHere(place, ['run', '--continue', 'list']);
  assert.equal(code, 0, stderr);
});

test("a secret in the agent's own title of a session is not saved", async () => {
  for (const title of [`Use sk-proj-${secret}${secret}`, `Use ${plainSecret}`]) {
    const run = await runHere(place, ['run', ...testAgent('titlesSession'), title], { env: { WORK_API_KEY: plainSecret } });
    assert.equal(run.code, 0, run.stderr);
  }
  await assertUnsaved();
});
