import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { type ProcessIdentity, identifyProcess, listTree, signalAll, stillRunning } from '../../src/core/node/processTree.js';
import { CliProcess, makePlace, testAgent } from './cliProcess.js';

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
