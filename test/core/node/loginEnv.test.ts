import assert from 'node:assert/strict';
import { chmod, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { nullLogger } from '../../../src/core/base/logger.js';
import { askLoginShell, loginEnv, looksPoor, withoutEditor } from '../../../src/core/node/loginEnv.js';

const posix = { timeout: 20_000, skip: process.platform === 'win32' ? 'login shells are POSIX' : false };

/** Creates a shell that runs this start file before its command. */
function shellThat(t: TestContext, startFile: string): Promise<string> {
  // Called as: shell -l -i -c COMMAND
  return shellNamed(t, 'shell', `${startFile}\neval "$4"`);
}

async function shellNamed(t: TestContext, name: string, script: string): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'acp-host-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const shell = path.join(folder, name);
  await writeFile(shell, `#!/bin/sh\n${script}\n`);
  await chmod(shell, 0o755);
  return shell;
}

test('a PATH looks poor only if it contains nothing but system folders', posix, () => {
  assert.equal(looksPoor({ PATH: '/usr/local/bin:/usr/bin:/bin' }), true);
  assert.equal(looksPoor({}), true);
  assert.equal(looksPoor({ PATH: '/home/me/.local/bin:/usr/bin' }), false);
});

const ofEditor = {
  ELECTRON_RUN_AS_NODE: '1',
  VSCODE_PID: '1',
  VSCODE_IPC_HOOK: '/x',
  VSCODE_ESM_ENTRYPOINT: 'x',
  VSCODE_CRASH_REPORTER_PROCESS_TYPE: 'extensionHost',
  SNAP: '/snap/code/1',
  SNAP_NAME: 'code',
  CHROME_DESKTOP: 'code.desktop',
};

test("what belongs to the editor does not reach agents, and what is the user's own does", posix, async (t) => {
  const own = { HOME: '/home/me', TERM_PROGRAM: 'xterm', SNAPSHOT: 'mine', VSCODE: 'mine' };
  const rich = { ...own, PATH: '/home/me/.local/bin:/usr/bin' };
  assert.deepEqual(await loginEnv({ ...rich, ...ofEditor, NODE_OPTIONS: '--require /x/bootloader.js' }, nullLogger), rich);
  const mine = { ...rich, NODE_OPTIONS: '--max-old-space-size=4096' };
  assert.deepEqual(await loginEnv({ ...mine, ...ofEditor }, nullLogger), mine);
  assert.deepEqual(withoutEditor({ ...rich, VSCODE_NODE_OPTIONS: mine.NODE_OPTIONS, NODE_OPTIONS: '--inspect' }), mine);
  const SHELL = await shellThat(t, 'export VSCODE_RESOLVED=1 MINE=1');
  const { env } = await askLoginShell({ ...ofEditor, SHELL, PATH: '/usr/bin:/bin' }, nullLogger);
  assert.equal(env['MINE'], '1');
  assert.deepEqual(
    Object.keys(env).filter((name) => /^(?:VSCODE|ELECTRON|SNAP|CHROME)_/.test(name)),
    [],
  );
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

// As tcsh 6.24 and Nushell 0.100 take their arguments.
for (const [name, script] of [
  ['tcsh', 'case "$*" in *-l*) exit 1; esac; [ "$1" = -i ] && [ "$2" = -c ] && eval "$3"'],
  ['nu', `case "$4" in *"'\\\\''"*) exit 1;; ^*) eval "\${4#^}";; *) echo "$4"; exit 1;; esac`],
] as const)
  test(`${name} is asked in its own syntax, also if this program is in a folder with an apostrophe`, posix, async (t) => {
    const SHELL = await shellNamed(t, name, `export MINE=1; ${script}`);
    const { execPath } = process;
    t.after(() => (process.execPath = execPath));
    process.execPath = path.join(path.dirname(SHELL), "it's node");
    await symlink(execPath, process.execPath);
    const { env, answered } = await askLoginShell({ SHELL, PATH: '/usr/bin:/bin' }, nullLogger);
    assert.deepEqual([env['MINE'], answered], ['1', true]);
  });
