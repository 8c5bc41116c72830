/** The reader of a run's output sets the pace: what waits stays small, and nothing is lost. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import path from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { CliProcess, makePlace, type Place, testAgent } from './cliProcess.js';
import { peakMb, stuckAt } from './unread.js';

let place: Place;
beforeEach(async () => {
  place = await makePlace();
});
afterEach(() => place.remove());

const limitMb = 200;

async function openStuck(count: number, ...args: readonly string[]): Promise<{ readonly cli: CliProcess; readonly said: number }> {
  const env = { FLOOD_COUNT: String(count), FLOOD_STUCK: path.join(place.workspace, 'stuck') };
  const stuck = stuckAt(place);
  const cli = new CliProcess(place, ['run', ...testAgent('floodsForever'), ...args, 'go'], env);
  await cli.until('the first words', (stdout) => stdout.includes('word 1 '));
  cli.child.stdout.pause();
  return { cli, said: await stuck };
}

describe('a reader that stops reading', { skip: process.platform !== 'linux' && 'memory is read from /proc' }, () => {
  for (const args of [[], ['--format', 'json']]) {
    test(`it holds the agent back, and gets everything later (${args.join(' ') || 'text'})`, async () => {
      const count = 300_000;
      const { cli, said } = await openStuck(count, ...args);
      assert.ok(said < count / 2, `${said} words were read`);
      assert.ok(peakMb(cli) < limitMb, `${peakMb(cli)} MB`);
      cli.child.stdout.resume();
      const { code, stdout } = await cli.ended();
      assert.equal(code, 0);
      assert.deepEqual([...stdout.matchAll(/word (\d+) /g)].map(([, word]) => Number(word)).at(-1), count - 1);
      assert.equal(stdout.match(/word \d+ /g)?.length, count);
    });
  }

  test('Ctrl+C still reaches the agent', async () => {
    const { cli } = await openStuck(4_000_000);
    cli.child.kill('SIGINT');
    await cli.until('a word about it', (_, stderr) => stderr.includes('Stopping'));
    cli.child.stdout.resume();
    assert.equal((await cli.ended()).code, 130);
  });

  test('a killed run ends without waiting for it', async () => {
    const { cli } = await openStuck(4_000_000);
    const exit = once(cli.child, 'exit');
    cli.child.kill('SIGTERM');
    assert.deepEqual(await exit, [143, null]);
    cli.child.stdout.resume();
    await cli.ended();
  });

  test('if it goes away, the run ends', async () => {
    const { cli } = await openStuck(4_000_000);
    cli.child.stdout.destroy();
    assert.equal((await cli.ended()).code, 130);
  });
});
