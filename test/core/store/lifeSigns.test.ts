/** When a process counts as silent: not if it only appears so because a clock was set or the observer slept. */
import assert from 'node:assert/strict';
import { mkdir, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { LifeSigns } from '../../../src/core/store/lifeSigns.js';
import { openStoreLab } from './storeLab.js';

async function openSigns(t: TestContext): Promise<{ readonly signs: LifeSigns; touch(secondsAgo: number): Promise<void> }> {
  const directory = path.join((await openStoreLab(t)).state, 'processes');
  await mkdir(directory, { recursive: true });
  const file = path.join(directory, 'other');
  await writeFile(file, '');
  const fail = (error: unknown): void => assert.ifError(error);
  const signs = new LifeSigns({
    directory,
    writer: 'own',
    signMs: 20,
    silentMs: 100,
    onLate: () => {},
    onRemoved: () => {},
    onError: fail,
  });
  return {
    signs,
    async touch(secondsAgo) {
      const time = Date.now() / 1000 - secondsAgo;
      await utimes(file, time, time);
    },
  };
}

/** Looks repeatedly, like a process that waits for a conversation. */
async function watched(signs: LifeSigns): Promise<string> {
  for (;;) {
    const silence = signs.silenceOf('other');
    if (silence !== 'doubtful') return silence;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

describe('a process with an old sign of life', () => {
  it('it is doubtful at first, and silent after it was watched without another sign', async (t) => {
    const { signs, touch } = await openSigns(t);
    await touch(60);
    assert.equal(signs.silenceOf('other'), 'doubtful');
    assert.equal(await watched(signs), 'silent');
  });

  it('it is alive if another sign follows, even one that is old by this clock', async (t) => {
    const { signs, touch } = await openSigns(t);
    const seen: string[] = [];
    for (const secondsAgo of [60, 59, 58, 0]) {
      await touch(secondsAgo);
      seen.push(signs.silenceOf('other'));
    }
    assert.deepEqual(seen, ['doubtful', 'signs', 'signs', 'signs']);
  });

  it('it is doubtful again if it was not watched for a long time', async (t) => {
    const { signs, touch } = await openSigns(t);
    const clock = t.mock.method(performance, 'now');
    await touch(60);
    signs.silenceOf('other');
    clock.mock.mockImplementation(() => 1e9);
    await touch(59);
    assert.equal(signs.silenceOf('other'), 'doubtful');
  });

  it('it is silent as well if its sign is in the future because the clock was set back', async (t) => {
    const { signs, touch } = await openSigns(t);
    await touch(-3_600);
    const startedAt = performance.now();
    while (signs.silenceOf('other') !== 'silent') {
      assert.ok(performance.now() - startedAt < 60_000);
      await new Promise((resolve) => setImmediate(resolve));
    }
    assert.ok(performance.now() - startedAt >= 100);
  });

  it('it is silent if it never gave a sign', async (t) => {
    const { signs } = await openSigns(t);
    assert.equal(signs.silenceOf('nobody'), 'silent');
  });
});
