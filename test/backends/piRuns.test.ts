/** When a turn of an agent in the Pi family is over although no run tells so. The peer is a stand-in, which does not prove interoperability. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, describe, test, type TestContext } from 'node:test';
import type { ConnectOptions } from '../../src/core/backends/agentBackend.js';
import { piDialect } from '../../src/core/backends/pi/dialect.js';
import { lookForRun } from '../../src/core/backends/pi/lookForRun.js';
import { connectPi, connectXcsh } from '../../src/core/backends/pi/piBackend.js';
import { quietMs, RunWatch } from '../../src/core/backends/pi/runWatch.js';
import type { PiState } from '../../src/core/backends/pi/schema/answers.js';
import { HostError } from '../../src/core/base/errors.js';
import { nullLogger } from '../../src/core/base/logger.js';
import { within } from '../real/deadline.js';
import { piDialects, piStandIn, type StandInDialect } from './piPeers.js';
import { collect, connectSeam, longDeadlines, type OpenSession, rejects, type Seam, yesTo } from './seam.js';

const sessions = mkdtempSync(path.join(tmpdir(), 'acp-host-pi-runs-'));
after(() => rmSync(sessions, { recursive: true, force: true }));

async function open(t: TestContext, dialect: StandInDialect, o: Partial<ConnectOptions> = {}): Promise<Seam & OpenSession> {
  const seam = await connectSeam(t, dialect === 'xcsh' ? connectXcsh : connectPi, { agent: piStandIn(dialect, sessions), ...o });
  return { ...seam, ...(await seam.open()) };
}

const watchRuns = (told: string[] = []): RunWatch =>
  new RunWatch({ isHeldOpen: () => false, onPause: () => told.push('pause'), onOver: () => told.push('over') });

for (const dialect of ['pi074', 'xcsh'] as const)
  test(`${dialect}: a prompt without a run ends, although the agent did not answer the first question about it`, async (t) => {
    const seam = await open(t, dialect, { deadlines: { ...longDeadlines, queryMs: 200 } });
    assert.equal((await within(seam.prompt('/losesState'), 'end')).stopReason, 'end_turn');
    assert.ok(seam.backend.stats.timeouts >= 1);
  });

for (const dialect of piDialects)
  test(`${dialect}: a steer that is refused after the end of the run leaves the turn to end`, async (t) => {
    const seam = await open(t, dialect);
    const turn = seam.prompt('asksAtEnd');
    const request = await seam.asked.until('request', () => true);
    await rejects(seam.prompt('oops', 'steer'), 'request_failed');
    seam.answer(request, yesTo(request));
    assert.equal((await within(turn, 'end')).stopReason, 'end_turn');
  });

describe('a message that is refused', () => {
  test('begins the quiet time again', (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const told: string[] = [];
    const run = watchRuns(told);
    run.start();
    run.end(false);
    const refuse = run.expect();
    t.mock.timers.tick(quietMs);
    refuse();
    t.mock.timers.tick(quietMs - 1);
    assert.deepEqual(told, ['pause']);
    t.mock.timers.tick(1);
    assert.deepEqual(told, ['pause', 'over']);
  });

  test('leaves the run awaited for the others', (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const told: string[] = [];
    const run = watchRuns(told);
    run.expect();
    run.expect()();
    assert.notEqual(run.awaited, undefined);
    run.start();
    run.end(false);
    const [first, second] = [run.expect(), run.expect()];
    first();
    first();
    t.mock.timers.tick(quietMs);
    assert.deepEqual(told, ['pause']);
    second();
    t.mock.timers.tick(quietMs);
    assert.deepEqual(told, ['pause', 'over']);
  });

  test('is of no importance to a run that it did not begin', () => {
    const told: string[] = [];
    const run = watchRuns(told);
    const before = run.expect();
    run.start();
    before();
    assert.equal(run.isRunning, true);
    run.stop();
    run.expect();
    before();
    assert.notEqual(run.awaited, undefined);
    assert.deepEqual(told, []);
  });
});

describe('the look for a run', () => {
  interface Question {
    readonly resolve: (state: PiState) => void;
    readonly reject: (error: HostError) => void;
  }
  const idle: PiState = { sessionId: 's', isStreaming: false };

  function look(run: RunWatch) {
    const questions = collect<Question>();
    const state = () => new Promise<PiState>((resolve, reject) => questions.add({ resolve, reject }));
    const isOver = lookForRun({
      process: { state },
      deadlines: longDeadlines,
      dialect: piDialect,
      log: nullLogger,
      run,
      awaited: run.awaited ?? assert.fail('no run is awaited'),
      isHeldOpen: () => false,
    });
    return { isOver, questions };
  }

  test('goes on after any failure, until the connection is lost', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const run = watchRuns();
    run.expect();
    const { isOver, questions } = look(run);
    for (const [index, code] of (['request_timeout', 'invalid_response', 'request_failed'] as const).entries()) {
      questions.all[index]?.reject(new HostError(code));
      await new Promise(setImmediate);
      t.mock.timers.tick(250);
      await new Promise(setImmediate);
      assert.equal(questions.all.length, index + 2);
    }
    run.stop();
    questions.all.at(-1)?.reject(new HostError('agent_exited'));
    await new Promise(setImmediate);
    t.mock.timers.tick(250);
    await isOver;
    assert.equal(questions.all.length, 4);
  });

  test('says nothing about a later prompt', async () => {
    const told: string[] = [];
    const run = watchRuns(told);
    run.expect();
    const { questions } = look(run);
    run.stop();
    run.expect();
    questions.all[0]?.resolve(idle);
    await new Promise(setImmediate);
    assert.deepEqual(told, []);
    assert.notEqual(run.awaited, undefined);
    run.stop();
  });
});
