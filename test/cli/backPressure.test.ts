/** A run whose output nobody reads for a while: nothing is lost, and nobody waits for it. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import path from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { CliProcess, makePlace, type Place, testAgent } from './cliProcess.js';
import { doneAt, peakMb } from './unread.js';

let place: Place;
beforeEach(async () => {
  place = await makePlace();
});
afterEach(() => place.remove());

const limitMb = 200;

/** Stops reading after the first words. @param count of the words */
async function openUnread(count: number, ...args: readonly string[]): Promise<CliProcess> {
  const env = { FLOOD_COUNT: String(count), FLOOD_DONE: path.join(place.workspace, 'done') };
  const cli = new CliProcess(place, ['run', ...testAgent('floodsForever'), ...args, 'go'], env);
  await cli.until('the first words', (stdout) => stdout.includes('word 1 '));
  cli.child.stdout.pause();
  return cli;
}

describe('a reader that stops reading', { skip: process.platform !== 'linux' && 'memory is read from /proc' }, () => {
  for (const args of [[], ['--format', 'json']]) {
    test(`it holds nobody back, and gets everything later (${args.join(' ') || 'text'})`, async () => {
      const count = 300_000;
      const done = doneAt(place);
      const cli = await openUnread(count, ...args);
      assert.equal(await done, count);
      assert.ok(peakMb(cli) < limitMb, `${peakMb(cli)} MB`);
      cli.child.stdout.resume();
      const { code, stdout } = await cli.ended();
      assert.equal(code, 0);
      assert.deepEqual([...stdout.matchAll(/word (\d+) /g)].map(([, word]) => Number(word)).at(-1), count - 1);
      assert.equal(stdout.match(/word \d+ /g)?.length, count);
    });
  }

  test('Ctrl+C still reaches the agent', async () => {
    const cli = await openUnread(4_000_000);
    cli.child.kill('SIGINT');
    await cli.until('a word about it', (_, stderr) => stderr.includes('Stopping'));
    cli.child.stdout.resume();
    assert.equal((await cli.ended()).code, 130);
  });

  test('a killed run ends without waiting for it', async () => {
    const cli = await openUnread(4_000_000);
    const exit = once(cli.child, 'exit');
    cli.child.kill('SIGTERM');
    assert.deepEqual(await exit, [143, null]);
    cli.child.stdout.resume();
    await cli.ended();
  });

  test('if it goes away, the run ends', async () => {
    const cli = await openUnread(4_000_000);
    cli.child.stdout.destroy();
    assert.equal((await cli.ended()).code, 130);
  });
});
