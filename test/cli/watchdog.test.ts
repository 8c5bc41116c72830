import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { type ProcessIdentity, identifyProcess, listTree, signalAll, stillRunning } from '../../src/core/node/processTree.js';
import { CliProcess, makePlace, type Place, testAgent } from './cliProcess.js';

/** Waits until the program has an agent and its watchdog, which then knows the agent. */
async function familyOf(cli: CliProcess): Promise<{ readonly family: readonly ProcessIdentity[]; readonly watchdog: number }> {
  const root = await identifyProcess(cli.child.pid ?? -1);
  assert.ok(root);
  for (;;) {
    const [family] = await Promise.all([listTree(root), delay(25)]);
    for (const { pid } of family) if ((await read(pid, 'cmdline')).includes('watchdog.cjs')) return { family, watchdog: pid };
  }
}

/** Returns '' for a process that has ended. */
const read = (pid: number, name: 'cmdline' | 'environ'): Promise<string> => readFile(`/proc/${pid}/${name}`, 'utf8').catch(() => '');

describe('the watchdog of the bundled program', { skip: process.platform === 'linux' ? false : 'other systems do not show it' }, () => {
  let place: Place;
  let family: readonly ProcessIdentity[] = [];
  beforeEach(async () => (place = await makePlace()));
  afterEach(async () => {
    await signalAll(family, 'SIGKILL');
    await place.remove();
  });

  test('knows no keys', { timeout: 60_000 }, async () => {
    const env = { WORK_API_KEY: 'a-key-that-only-agents-may-see', PLAIN: 'mine' };
    const found = await familyOf(new CliProcess(place, ['run', ...testAgent('ignoresTerm'), 'hello'], env));
    ({ family } = found);
    assert.doesNotMatch(await read(found.watchdog, 'environ'), /WORK_API_KEY|PLAIN/);
  });

  test('ends the agent if the program is killed', { timeout: 60_000 }, async () => {
    const cli = new CliProcess(place, ['run', ...testAgent('ignoresTerm'), 'hello']);
    ({ family } = await familyOf(cli));
    cli.child.kill('SIGKILL');
    while ((await stillRunning(family)).length > 0) await delay(25);
  });
});
