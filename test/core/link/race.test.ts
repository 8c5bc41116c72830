/** Many front ends at once. ACP_HOST_TEST_RACES sets the number of rounds. */
import assert from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, utimes } from 'node:fs/promises';
import path from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { typescriptProgram } from '../../typescriptProgram.js';
import { openLinkLab, pidOf } from './linkLab.js';
import type { RacerReport } from './racer.js';

const rounds = Number(process.env['ACP_HOST_TEST_RACES'] ?? 20);
const starters = 10;

function startRacers(t: TestContext): readonly ChildProcess[] {
  const [script = '', ...args] = typescriptProgram(path.join(import.meta.dirname, 'racer.ts')).toReversed();
  const racers = Array.from({ length: starters }, () => fork(script, { execArgv: args.toReversed() }));
  t.after(async () => {
    for (const racer of racers) {
      const exited = racer.exitCode === null && racer.signalCode === null ? once(racer, 'exit') : undefined;
      racer.kill('SIGKILL');
      await exited;
    }
  });
  return racers;
}

async function orderAll(racers: readonly ChildProcess[], order: unknown): Promise<readonly RacerReport[]> {
  const reports = racers.map((racer) => once(racer, 'message') as Promise<[RacerReport]>);
  for (const racer of racers) racer.send(order as object);
  return (await Promise.all(reports)).map(([report]) => report);
}

async function leaveLock(lock: string): Promise<void> {
  await mkdir(lock);
  await utimes(lock, 1, 1);
}

describe(`of ${starters} front ends that start at once`, () => {
  for (const [where, isDead, isLocked] of [
    ['in an empty folder', false, false],
    ["in a dead engine's folder", true, false],
    ['in a folder that was locked when the machine lost power', true, true],
  ] as const) {
    it(`exactly one has the engine, and all are connected to it, ${where} (${rounds} times)`, async (t) => {
      const lab = await openLinkLab(t);
      const racers = startRacers(t);
      for (let round = 0; round < rounds; round++) {
        // Another start time: the pid is in use again.
        if (isDead) await lab.writeFacts({ token: `of round ${round}`, startedAt: '1' });
        if (isLocked) await leaveLock(`${lab.file}.lock`);
        const reports = await orderAll(racers, { race: lab.state });
        const summary = `round ${round}: ${JSON.stringify(reports)}`;
        assert.equal(reports.filter(({ isEngine }) => isEngine).length, 1, summary);
        const engine = racers[reports.findIndex(({ isEngine }) => isEngine)]?.pid;
        assert.ok(
          reports.every((report) => report.engine === engine),
          summary,
        );
        const after = await orderAll(racers, 'leave');
        assert.ok(
          after.every(({ wasDisplaced }) => !wasDisplaced),
          summary,
        );
      }
    });
  }

  it('as separate programs, one engine remains', async (t) => {
    const lab = await openLinkLab(t);
    let dead: number | undefined;
    for (let round = 0; round < 2; round++) {
      const wires = await Promise.all(Array.from({ length: 5 }, () => lab.connect()));
      const pids = new Set(await Promise.all(wires.map(pidOf)));
      assert.equal(pids.size, 1);
      const [pid = 0] = pids;
      assert.notEqual(pid, dead);
      const ends = wires.map((wire) => new Promise((resolve) => wire.onClosed(resolve)));
      process.kill(pid, 'SIGKILL');
      await Promise.all(ends);
      dead = pid;
    }
  });
});
