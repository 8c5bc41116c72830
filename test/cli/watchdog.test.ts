import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { type ProcessIdentity, identifyProcess, listTree, signalAll, stillRunning } from '../../src/core/node/processTree.js';
import { CliProcess, makePlace, testAgent } from './cliProcess.js';

test('the watchdog knows no keys', { skip: process.platform === 'linux' ? false : 'other systems do not show environments' }, async (t) => {
  const place = await makePlace();
  t.after(() => place.remove());
  const env = { WORK_API_KEY: 'a-key-that-only-agents-may-see', PLAIN: 'mine' };
  const cli = new CliProcess(place, ['run', ...testAgent('ignoresTerm'), 'hello'], env);
  const root = await identifyProcess(cli.child.pid ?? -1);
  assert.ok(root);
  let family: readonly ProcessIdentity[] = [];
  t.after(() => signalAll(family, 'SIGKILL'));
  const read = async (name: 'cmdline' | 'environ'): Promise<string | undefined> => {
    for (const { pid } of family)
      if ((await readFile(`/proc/${pid}/cmdline`, 'utf8')).includes('watchdog.cjs')) return readFile(`/proc/${pid}/${name}`, 'utf8');
    return undefined;
  };
  while ((await read('cmdline')) === undefined) [family] = await Promise.all([listTree(root), delay(25)]);
  assert.doesNotMatch((await read('environ')) ?? '', /WORK_API_KEY|PLAIN/);
});

test('if the bundled program is killed, its watchdog ends the agent', {
  timeout: 60_000,
  skip: process.platform === 'win32' ? 'signals are POSIX' : false,
}, async (t) => {
  const place = await makePlace();
  t.after(() => place.remove());
  const cli = new CliProcess(place, ['run', ...testAgent('ignoresTerm'), 'hello']);
  const root = await identifyProcess(cli.child.pid ?? -1);
  assert.ok(root);
  let family: readonly ProcessIdentity[] = [];
  t.after(() => signalAll(family, 'SIGKILL'));
  // The program, the agent and the watchdog.
  while (family.length < 3) [family] = await Promise.all([listTree(root), delay(25)]);
  cli.child.kill('SIGKILL');
  while ((await stillRunning(family)).length > 0) await delay(25);
});
