/** When the user learns that the engine is away. */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { Emitter, type EngineConnection, HostError, nullLogger } from '../../src/core/index.js';
import { EngineLoss } from '../../src/extension/status/notices.js';
import { draw } from './drawnChat.js';

const lost: EngineConnection = { state: 'lost', error: new HostError('disposed', { reason: 'connection' }) };
const connected: EngineConnection = {
  state: 'connected',
  engine: { version: '1', pid: 1, since: 0, location: 'process', memoryBytes: 0, frontEnds: 1, running: 0, keepAliveMs: 0 },
};

function watch(t: TestContext) {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const connection = new Emitter<EngineConnection>();
  const logged: string[] = [];
  const keep = (line: string): void => void logged.push(line);
  const loss = new EngineLoss({ onConnection: connection.event }, { ...nullLogger, info: keep, warn: keep });
  t.after(() => loss.dispose());
  return { loss, logged, become: (next: EngineConnection) => connection.fire(next), pass: (ms: number) => t.mock.timers.tick(ms) };
}

test('one that is back soon is only in the log', (t) => {
  const { loss, logged, become, pass } = watch(t);
  become(lost);
  pass(1_500);
  become(connected);
  pass(10_000);
  assert.deepEqual([loss.isNoticed, logged], [false, ['The engine cannot be reached', 'Connected to the engine 1, process 1']]);
});

test('one that stays away is noticed, however often the window tries, until it is back', (t) => {
  const { loss, become, pass } = watch(t);
  const noticed: boolean[] = [];
  loss.onChange(() => noticed.push(loss.isNoticed));
  for (const next of [lost, { state: 'connecting' }, lost] as const) {
    become(next);
    pass(700);
  }
  assert.equal(loss.isNoticed, true);
  become(connected);
  assert.deepEqual(noticed, [true, false]);
});

test('the chat says so in a card, and takes messages', () => {
  const { banner, composer } = draw({}, { isEngineLost: true }).view;
  assert.equal(banner?.severity, 'warning');
  assert.deepEqual(
    banner.buttons.map(({ action }) => action),
    ['restartEngine', 'showLog', 'reportProblem'],
  );
  assert.equal(composer.disabledReason, undefined);
});
