/** A program that is started in a folder finds that folder in its environment, however it is started. */
import assert from 'node:assert/strict';
import { mkdtemp, readFile, realpath, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { runProcess, spawnCompanion, spawnInTerminal, type SpawnOptions } from '../../../src/core/node/spawnProcess.js';

const starts: Readonly<Record<string, (options: SpawnOptions) => Promise<unknown>>> = {
  'with pipes': (options) => runProcess(options, { timeoutMs: 60_000, outputBytes: 1_000 }),
  'in the terminal': async (options) => (await spawnInTerminal(options)).exited,
  async 'as a companion'(options) {
    // It doesn't keep this process alive.
    const alive = setInterval(() => {}, 1_000);
    await spawnCompanion(options).ended;
    clearInterval(alive);
  },
};

for (const [how, start] of Object.entries(starts)) {
  test(`${how}: PWD is the real path of its folder, and there is no OLDPWD`, { skip: process.platform === 'win32' }, async (t) => {
    const folder = await realpath(await mkdtemp(path.join(tmpdir(), 'acp-host-')));
    t.after(() => rm(folder, { recursive: true, force: true }));
    const link = `${folder}-link`;
    await symlink(folder, link);
    t.after(() => rm(link));
    const script = `require('fs').writeFileSync('seen', JSON.stringify([process.env.PWD, process.env.OLDPWD ?? '', process.cwd()]))`;
    for (const cwd of [folder, link]) {
      await start({ file: process.execPath, args: ['-e', script], cwd, env: { ...process.env, PWD: '/', OLDPWD: '/usr' } });
      assert.deepEqual(JSON.parse(await readFile(path.join(folder, 'seen'), 'utf8')), [folder, '', folder]);
    }
  });
}
