import assert from 'node:assert/strict';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { nullLogger } from '../../../src/core/base/logger.js';
import { askLoginShell, looksPoor } from '../../../src/core/node/loginEnv.js';

const posix = { timeout: 20_000, skip: process.platform === 'win32' ? 'login shells are POSIX' : false };

/** Creates a shell that runs this start file before its command. */
async function shellThat(t: TestContext, startFile: string): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'acp-host-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const shell = path.join(folder, 'shell');
  // Called as: shell -l -i -c COMMAND
  await writeFile(shell, `#!/bin/sh\n${startFile}\neval "$4"\n`);
  await chmod(shell, 0o755);
  return shell;
}

test('a PATH looks poor only if it contains nothing but system folders', posix, () => {
  assert.equal(looksPoor({ PATH: '/usr/local/bin:/usr/bin:/bin' }), true);
  assert.equal(looksPoor({}), true);
  assert.equal(looksPoor({ PATH: '/home/me/.local/bin:/usr/bin' }), false);
});

test('the environment is read from the login shell, whatever its start files print', posix, async (t) => {
  const SHELL = await shellThat(t, `echo 'Welcome!'; export PATH="/opt/mine/bin:$PATH"; export TWO_LINES='a\nb=c'; echo "{}"`);
  const { env, noise, answered } = await askLoginShell({ SHELL, PATH: '/usr/bin:/bin' }, nullLogger);
  assert.equal(env['PATH'], '/opt/mine/bin:/usr/bin:/bin');
  assert.equal(env['TWO_LINES'], 'a\nb=c');
  assert.equal(env['ELECTRON_RUN_AS_NODE'], undefined);
  assert.equal(env['TERM'], undefined);
  assert.equal(answered, true);
  assert.equal(noise.trim(), 'Welcome!\n{}');
});

test('a shell that hangs, fails or does not exist only causes a warning', posix, async (t) => {
  const unanswered = { env: {}, noise: '', answered: false };
  const warnings: string[] = [];
  const log = { ...nullLogger, warn: (message: string) => warnings.push(message) };
  assert.deepEqual(await askLoginShell({ SHELL: await shellThat(t, 'sleep 1000 & wait'), PATH: '/usr/bin:/bin' }, log, 300), unanswered);
  assert.deepEqual(await askLoginShell({ SHELL: await shellThat(t, 'exit 1'), PATH: '/usr/bin:/bin' }, log), unanswered);
  assert.deepEqual(await askLoginShell({ SHELL: '/no/such/shell' }, log), unanswered);
  assert.equal(warnings.length, 3);
});
