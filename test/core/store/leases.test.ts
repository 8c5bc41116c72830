/** Leases of other processes, some of which have ended or have a different clock. */
import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { nullLogger } from '../../../src/core/index.js';
import { Leases } from '../../../src/core/store/leases.js';
import { defaultLeaseTiming } from '../../../src/core/store/leaseTiming.js';
import { typescriptProgram } from '../../typescriptProgram.js';
import { openStoreLab } from './storeLab.js';

const never = new AbortController().signal;

async function openFolder(t: TestContext): Promise<{ readonly directory: string; begin(program: 'editor' | 'terminal'): Leases }> {
  const directory = path.join((await openStoreLab(t)).state, 'leases');
  await mkdir(path.join(directory, 'processes'), { recursive: true });
  // A file watcher does not keep the process alive.
  const alive = setInterval(() => {}, 60_000);
  t.after(() => clearInterval(alive));
  return {
    directory,
    begin(program) {
      const leases = new Leases({ directory, program, timing: { ...defaultLeaseTiming, signMs: 50 }, log: nullLogger });
      t.after(() => leases.dispose());
      return leases;
    },
  };
}

/** Writes the sign of life of a process, and its request for a conversation. */
async function leave(directory: string, writer: string, secondsAgo: number, asksFor?: string): Promise<void> {
  const sign = path.join(directory, 'processes', writer);
  await writeFile(sign, '');
  const time = Date.now() / 1000 - secondsAgo;
  await utimes(sign, time, time);
  const request = { format: 'acp-host-let-go', writer, program: 'terminal', stopsTurn: true };
  if (asksFor !== undefined) await writeFile(path.join(directory, `${asksFor}.let-go`), JSON.stringify(request));
}

describe('a process that cannot write its request for a conversation', () => {
  it('it does not take the conversation from another process that works in it', async (t) => {
    const { directory, begin } = await openFolder(t);
    const [here, there] = [begin('editor'), begin('terminal')];
    await here.claim('one', { stopsTurn: false, signal: never });
    // No file can take the place of a folder.
    await mkdir(path.join(directory, 'one.let-go'));
    await assert.rejects(there.claim('one', { stopsTurn: false, signal: never }), { code: 'storage_failed' });
    here.setBusy('one', true);
    const elsewhere = { code: 'usage', params: { reason: 'open_elsewhere', program: 'editor' } };
    await assert.rejects(there.claim('one', { stopsTurn: false, signal: never }), elsewhere);
    here.release('one');
    assert.equal(await there.claim('one', { stopsTurn: false, signal: never }), true);
  });
});

describe('the lease of a process that was killed', () => {
  it('it makes no process release a conversation', async (t) => {
    const { directory, begin } = await openFolder(t);
    const here = begin('editor');
    const wanted: string[] = [];
    here.onWanted(({ id }) => {
      wanted.push(id);
      here.release(id);
    });
    for (const id of ['one', 'two']) await here.claim(id, { stopsTurn: false, signal: never });
    await leave(directory, 'gone', 3_600, 'one');
    await begin('terminal').claim('two', { stopsTurn: true, signal: never });
    assert.deepEqual([...new Set(wanted)], ['two']);
  });

  it('it is removed after a day, and not earlier', async (t) => {
    const { directory, begin } = await openFolder(t);
    await leave(directory, 'long-gone', 2 * 86_400);
    await leave(directory, 'asleep', 3_600);
    await begin('editor').claim('one', { stopsTurn: false, signal: never });
    const signs = await readdir(path.join(directory, 'processes'));
    assert.deepEqual([signs.includes('long-gone'), signs.includes('asleep'), signs.length], [false, true, 2]);
  });
});

describe('a process on another machine whose clock is behind', () => {
  /** It gives a sign of life every few milliseconds, dated a minute ago. */
  async function live(t: TestContext, directory: string, asksFor?: string): Promise<void> {
    // At the end of the test, its folder goes first.
    const living = setInterval(() => void leave(directory, 'behind', 60, asksFor).catch(() => {}), 20);
    t.after(() => clearInterval(living));
    await leave(directory, 'behind', 60, asksFor);
  }

  it('its request for a conversation is noticed', async (t) => {
    const { directory, begin } = await openFolder(t);
    const here = begin('editor');
    await here.claim('one', { stopsTurn: false, signal: never });
    const wanted = new Promise<string>((resolve) => here.onWanted(({ id }) => resolve(id)));
    await live(t, directory, 'one');
    assert.equal(await wanted, 'one');
  });

  it('its lease counts: others that wait for its conversation see it', async (t) => {
    const { directory, begin } = await openFolder(t);
    const lease = { format: 'acp-host-lease', writer: 'behind', pid: 1, host: 'another machine', program: 'editor', isBusy: true };
    await writeFile(path.join(directory, 'one.json'), JSON.stringify(lease));
    await live(t, directory);
    await assert.rejects(begin('terminal').claim('one', { stopsTurn: false, signal: never }), (error: Error) =>
      error.message.includes('open_elsewhere'),
    );
  });
});

it('of two processes that find the lease of an ended one at once, only one gets the conversation', async (t) => {
  const { directory } = await openFolder(t);
  const lease = { format: 'acp-host-lease', writer: 'gone', pid: 1, host: 'another machine', program: 'editor', isBusy: false };
  await writeFile(path.join(directory, 'one.json'), JSON.stringify(lease));
  const program = typescriptProgram(path.join(import.meta.dirname, 'leaseClaimer.ts'));
  const processes = [1, 2].map(() => fork(program.at(-1) ?? '', [directory, 'one'], { execArgv: program.slice(0, -1) }));
  t.after(() => processes.forEach((one) => one.kill('SIGKILL')));
  await Promise.all(processes.map((one) => once(one, 'message')));
  const taken: (number | undefined)[] = [];
  const first = new Promise<void>((resolve) => {
    for (const one of processes)
      one.on('message', () => {
        taken.push(one.pid);
        resolve();
      });
  });
  for (const one of processes) one.send('claim');
  await first;
  // The other process requests it, and gets it when this one has ended.
  const ended = processes.find(({ pid }) => pid === taken[0]) ?? assert.fail();
  const [other = assert.fail()] = processes.filter((one) => one !== ended);
  while (taken.length === 1 && !existsSync(path.join(directory, 'one.let-go'))) await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(taken, [ended.pid]);
  ended.kill('SIGKILL');
  await once(other, 'message');
  assert.deepEqual(taken, [ended.pid, other.pid]);
});
