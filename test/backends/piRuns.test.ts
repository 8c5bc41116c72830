/** When a turn of an agent in the Pi family is over although no run tells so. The peer is a stand-in, which does not prove interoperability. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, describe, test, type TestContext } from 'node:test';
import type { ConnectOptions, PromptResult } from '../../src/core/backends/agentBackend.js';
import { piDialect, xcshDialect } from '../../src/core/backends/pi/dialect.js';
import { lookForRun } from '../../src/core/backends/pi/piPrompts.js';
import { connectPi, connectXcsh } from '../../src/core/backends/pi/piBackend.js';
import { type ExpectedRun, quietMs, RunWatch } from '../../src/core/backends/pi/runWatch.js';
import type { PiState } from '../../src/core/backends/pi/schema/answers.js';
import { HostError } from '../../src/core/base/errors.js';
import { nullLogger } from '../../src/core/base/logger.js';
import { within } from '../real/deadline.js';
import { piDialects, piStandIn, type StandInDialect } from './piPeers.js';
import {
  collect,
  type Collected,
  connectSeam,
  eventsIn,
  longDeadlines,
  type OpenSession,
  rejects,
  type Seam,
  type Told,
  yesTo,
} from './seam.js';

const sessions = mkdtempSync(path.join(tmpdir(), 'acp-host-pi-runs-'));
after(() => rmSync(sessions, { recursive: true, force: true }));

async function open(t: TestContext, dialect: StandInDialect, o: Partial<ConnectOptions> = {}): Promise<Seam & OpenSession> {
  const seam = await connectSeam(t, dialect === 'xcsh' ? connectXcsh : connectPi, { agent: piStandIn(dialect, sessions), ...o });
  return { ...seam, ...(await seam.open()) };
}

const isShellEnd = (one: Told): boolean => one.type === 'event' && one.event.type === 'tool' && one.event.patch.status === 'completed';

for (const dialect of piDialects) {
  test(`${dialect}: a run started by a steer during a command of the user may outlast the command within the turn`, async (t) => {
    const seam = await open(t, dialect);
    const turn = seam.prompt('/bash make');
    await within(seam.prompt('ask', 'steer'), 'taken words');
    const request = await seam.asked.until('request', () => true);
    await seam.told.until('end of the command', isShellEnd);
    assert.ok(seam.answer(request, yesTo(request)));
    assert.equal((await within(turn, 'end')).stopReason, 'end_turn');
    assert.ok(seam.words().endsWith('Yes!'), seam.words());
  });

  test(`${dialect}: stopping the turn stops that run as well`, async (t) => {
    const seam = await open(t, dialect);
    const turn = seam.prompt('/bash make');
    await within(seam.prompt('wait', 'steer'), 'taken words');
    await seam.told.until('waiting', () => seam.words().endsWith('waiting'));
    await seam.told.until('end of the command', isShellEnd);
    seam.session.cancel();
    assert.equal((await within(turn, 'end')).stopReason, 'cancelled');
    assert.equal((await within(seam.prompt('next'), 'end')).stopReason, 'end_turn');
    assert.equal(seam.words(), 'next');
  });
}

for (const dialect of piDialects)
  test(`${dialect}: a steer during a command of the user is shown once, under the id of the prompt`, async (t) => {
    const seam = await open(t, dialect);
    const turn = seam.prompt('/bash make');
    await within(seam.session.prompt('steered', [{ type: 'text', text: 'hello' }], 'steer'), 'taken words');
    await within(turn, 'end');
    const said = eventsIn(seam.told.all).flatMap((event) => (event.type === 'message' && event.role === 'user' ? [event] : []));
    assert.deepEqual(
      said.map(({ content, promptId }) => [content, promptId]),
      [[{ type: 'text', text: 'hello' }, 'steered']],
    );
  });

for (const dialect of ['pi074', 'pi087'] as const)
  test(`${dialect}: a command of the user may outlast a run started by a steer within the turn`, async (t) => {
    const seam = await open(t, dialect);
    const turn = seam.prompt('/bash outlastsRun');
    await within(seam.prompt('hello', 'steer'), 'taken words');
    assert.equal((await within(turn, 'end')).stopReason, 'end_turn');
    assert.ok(seam.told.all.some(isShellEnd));
  });

const watchRuns = (told: string[] = []): RunWatch =>
  new RunWatch({ isHeldOpen: () => false, onPause: () => told.push('pause'), onOver: () => told.push('over') });

for (const dialect of ['pi074', 'xcsh'] as const)
  test(`${dialect}: a prompt without a run ends, even if the agent did not answer the first question about it`, async (t) => {
    const seam = await open(t, dialect, { deadlines: { ...longDeadlines, queryMs: 200 } });
    assert.equal((await within(seam.prompt('/losesState'), 'end')).stopReason, 'end_turn');
    assert.ok(seam.backend.stats.timeouts >= 1);
  });

for (const dialect of piDialects)
  test(`${dialect}: a steer refused after the end of the run does not keep the turn open`, async (t) => {
    const seam = await open(t, dialect);
    const turn = seam.prompt('asksAtEnd');
    const request = await seam.asked.until('request', () => true);
    await rejects(seam.prompt('oops', 'steer'), 'request_failed');
    seam.answer(request, yesTo(request));
    assert.equal((await within(turn, 'end')).stopReason, 'end_turn');
  });

for (const dialect of piDialects)
  test(`${dialect}: after a stopped turn, the agent can ask outside of a turn`, async (t) => {
    const seam = await open(t, dialect);
    const turn = seam.prompt('wait');
    await seam.told.until('waiting', () => seam.words() === 'waiting');
    seam.session.cancel();
    assert.equal((await within(turn, 'end')).stopReason, 'cancelled');
    const command = seam.prompt('/ask', 'followUp');
    const request = await seam.asked.until('request', () => true);
    assert.ok(seam.answer(request, yesTo(request)));
    await within(command, 'end of the command');
  });

for (const dialect of piDialects)
  test(`${dialect}: if a prompt fails after its turn, the next turn continues, and the log has the reason`, async (t) => {
    const warned = collect<unknown>();
    const log = { ...nullLogger, warn: (_: string, error: unknown) => warned.add(error) };
    const seam = await open(t, dialect, { log });
    assert.equal((await within(seam.prompt('failsLate'), 'end')).stopReason, 'end_turn');
    const turn = seam.prompt('ask');
    const request = await seam.asked.until('request', () => true);
    assert.ok(seam.answer(request, yesTo(request)));
    assert.equal((await within(turn, 'end')).stopReason, 'end_turn');
    assert.equal(seam.words(), 'Yes!');
    assert.deepEqual(
      warned.all.map((error) => error instanceof HostError && error.params.detail),
      ['an agent cannot do this'],
    );
  });

describe('pi087: while the agent has not reported what a run has used', () => {
  async function openUnreported(t: TestContext): Promise<{ readonly seam: Seam & OpenSession; readonly turn: Promise<PromptResult> }> {
    const seam = await open(t, 'pi087');
    const turn = seam.prompt('reportsLate');
    await seam.traffic.until('end of the run', (one) => one.kind === 'message' && JSON.stringify(one.message).includes('agent_settled'));
    return { seam, turn };
  }

  test('a steer starts another run of the same turn', async (t) => {
    const { seam, turn } = await openUnreported(t);
    const before = new Set(seam.told.all);
    await within(seam.prompt('ask', 'steer'), 'taken words');
    const request = await seam.asked.until('request', () => true);
    await seam.told.until('report', (one) => !before.has(one) && one.type === 'event' && one.event.type === 'usage');
    assert.ok(seam.answer(request, yesTo(request)));
    assert.equal((await within(turn, 'end')).stopReason, 'end_turn');
    assert.equal(seam.words(), 'Yes!');
  });

  test('a refused steer does not keep the turn open', async (t) => {
    const { seam, turn } = await openUnreported(t);
    await rejects(seam.prompt('oops', 'steer'), 'request_failed');
    assert.equal((await within(turn, 'end')).stopReason, 'end_turn');
  });
});

describe('a refused message', () => {
  test('after the end of a run, it is over again', () => {
    const told: string[] = [];
    const run = watchRuns(told);
    run.start();
    run.end(false);
    run.settled();
    assert.deepEqual([told, run.isIdle], [['pause', 'over'], true]);
    const expected = run.expect();
    assert.equal(run.isIdle, false);
    expected.refuse();
    assert.deepEqual([told, run.isIdle], [['pause', 'over', 'over'], true]);
  });

  test('it restarts the quiet period', (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const told: string[] = [];
    const run = watchRuns(told);
    run.start();
    run.end(false);
    const expected = run.expect();
    t.mock.timers.tick(quietMs);
    expected.refuse();
    t.mock.timers.tick(quietMs - 1);
    assert.deepEqual(told, ['pause']);
    t.mock.timers.tick(1);
    assert.deepEqual(told, ['pause', 'over']);
  });

  test('the wait for a run of the other messages continues', (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const told: string[] = [];
    const run = watchRuns(told);
    const kept = run.expect();
    run.expect().refuse();
    assert.equal(kept.isAwaited, true);
    run.start();
    run.end(false);
    const [first, second] = [run.expect(), run.expect()];
    first.refuse();
    first.refuse();
    t.mock.timers.tick(quietMs);
    assert.deepEqual(told, ['pause']);
    second.refuse();
    t.mock.timers.tick(quietMs);
    assert.deepEqual(told, ['pause', 'over']);
  });

  test('it does not matter to a run that it did not start', () => {
    const told: string[] = [];
    const run = watchRuns(told);
    const before = run.expect();
    run.start();
    before.refuse();
    assert.equal(run.isRunning, true);
    run.stop();
    const later = run.expect();
    before.refuse();
    assert.equal(later.isAwaited, true);
    assert.deepEqual(told, []);
  });
});

describe('a message that the agent follows without a run', () => {
  test('it ends the wait for a run unless another message may start one', () => {
    const told: string[] = [];
    const run = watchRuns(told);
    const [prompt, steer] = [run.expect(), run.expect()];
    steer.endWithoutRun();
    assert.deepEqual([told, prompt.isAwaited, steer.isAwaited], [[], true, false]);
    prompt.endWithoutRun();
    assert.deepEqual(told, ['pause', 'over']);
  });

  test('it ends the wait even if the other message is refused', () => {
    const told: string[] = [];
    const run = watchRuns(told);
    const [prompt, steer] = [run.expect(), run.expect()];
    prompt.endWithoutRun();
    steer.refuse();
    assert.deepEqual(told, ['pause', 'over']);
  });

  test('the run before it ends by itself', (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const told: string[] = [];
    const run = watchRuns(told);
    run.start();
    run.end(false);
    run.expect().endWithoutRun();
    assert.deepEqual(told, ['pause']);
    t.mock.timers.tick(quietMs);
    assert.deepEqual(told, ['pause', 'over']);
  });
});

test('a compaction while another run is awaited continues that run', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const told: string[] = [];
  const run = watchRuns(told);
  run.start();
  run.end(false);
  const steer = run.expect();
  run.hold();
  steer.refuse();
  t.mock.timers.tick(quietMs * 10);
  assert.deepEqual(told, ['pause']);
  run.release(false);
  t.mock.timers.tick(quietMs);
  assert.deepEqual(told, ['pause', 'over']);
});

describe('polling for a run', () => {
  interface Question {
    readonly resolve: (state: PiState) => void;
    readonly reject: (error: HostError) => void;
  }
  const idle: PiState = { sessionId: 's', isStreaming: false };

  function look(expected: ExpectedRun, dialect = piDialect) {
    const questions = collect<Question>();
    const state = () => new Promise<PiState>((resolve, reject) => questions.add({ resolve, reject }));
    const isOver = lookForRun({
      process: { state },
      deadlines: longDeadlines,
      dialect,
      log: nullLogger,
      expected,
      isHeldOpen: () => false,
    });
    return { isOver, questions };
  }

  test('it continues after any failure, until the connection is lost', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const run = watchRuns();
    const { isOver, questions } = look(run.expect());
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

  test('it has no effect on a later prompt', async () => {
    const told: string[] = [];
    const run = watchRuns(told);
    const { questions } = look(run.expect());
    run.stop();
    const later = run.expect();
    questions.all[0]?.resolve(idle);
    await new Promise(setImmediate);
    assert.deepEqual(told, []);
    assert.equal(later.isAwaited, true);
    run.stop();
  });

  /** Answers the next question, and lets the time until the following one pass. @returns the number of questions so far */
  async function answer(t: TestContext, questions: Collected<Question>, state: PiState | HostError, delayMs = 250): Promise<number> {
    const question = questions.all.at(-1);
    if (state instanceof HostError) question?.reject(state);
    else question?.resolve(state);
    await new Promise(setImmediate);
    t.mock.timers.tick(delayMs);
    await new Promise(setImmediate);
    return questions.all.length;
  }

  test('it becomes less frequent but continues if the agent refuses the question', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const run = watchRuns();
    const { questions } = look(run.expect());
    const refusal = new HostError('request_failed');
    for (const [index, delayMs] of [250, 250, 250, 250, 500, 1_000, 2_000, 4_000, 8_000, 8_000].entries()) {
      assert.equal(await answer(t, questions, refusal, delayMs - 1), index + 1);
      t.mock.timers.tick(1);
      await new Promise(setImmediate);
      assert.equal(questions.all.length, index + 2);
    }
    run.stop();
  });

  test('it waits for a compaction before the run, and the time after it', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const told: string[] = [];
    const { isOver, questions } = look(watchRuns(told).expect(), xcshDialect);
    for (let looks = 0; looks < 6; looks++) await answer(t, questions, { ...idle, isCompacting: true });
    for (let looks = 0; looks < 3; looks++) await answer(t, questions, idle);
    assert.deepEqual(told, []);
    await answer(t, questions, idle);
    await isOver;
    assert.deepEqual(told, ['pause', 'over']);
  });
});
