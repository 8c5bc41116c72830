import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AgentBackend, BackendEnd, CloseOptions } from '../../../src/core/backends/agentBackend.js';
import { protocolOf } from '../../../src/core/backends/protocols.js';
import { systemClock } from '../../../src/core/base/clock.js';
import { HostError } from '../../../src/core/base/errors.js';
import { Emitter } from '../../../src/core/base/event.js';
import { nullLogger } from '../../../src/core/base/logger.js';
import { Redactor } from '../../../src/core/base/redact.js';
import { AgentLife } from '../../../src/core/host/agentLife.js';
import { defaultRestartLimits } from '../../../src/core/host/restartPolicy.js';
import { AgentTraffic } from '../../../src/core/traffic/agentTraffic.js';
import { noStats } from '../../../src/core/traffic/trafficItem.js';
import { fakeTime } from '../base/fakeTime.js';

const info = { name: 'agent', title: undefined, version: undefined, protocolVersion: 1, authMethods: [], capabilities: {} };

interface Run {
  readonly life: AgentLife;
  readonly log: string[];
  readonly starts: () => number;
  /** The process of the last start is killed. */
  lose(): Promise<void>;
}

/** An agent that restarts after at least 20 seconds. @param onEnded called while its end is reported */
function agentLife(
  o: {
    readonly onEnded?: (life: AgentLife) => void;
    readonly connects?: () => boolean;
    /** What a start waits for. */
    readonly ready?: (signal: AbortSignal) => Promise<void>;
    readonly close?: (o?: CloseOptions) => Promise<undefined>;
  } = {},
): Run {
  const log: string[] = [];
  const ends: Emitter<BackendEnd>[] = [];
  const life: AgentLife = new AgentLife({
    agent: { label: 'Fake', protocol: 'acp' },
    traffic: new AgentTraffic({ describer: protocolOf('acp').frames, redactor: new Redactor(), clock: systemClock }),
    connect: async ({ signal = new AbortController().signal }): Promise<AgentBackend> => {
      await o.ready?.(signal);
      if (o.connects?.() === false) throw new HostError('handshake_failed');
      const closed = new Emitter<BackendEnd>();
      ends.push(closed);
      return {
        info: { ...info, promptContent: [], mcpTransports: [] },
        sessions: { resumeMethods: [], open: () => Promise.reject(new HostError('unsupported')) },
        onClosed: closed.event,
        stats: noStats,
        close: o.close ?? (() => Promise.resolve(undefined)),
      };
    },
    restart: { ...defaultRestartLimits, firstDelayMs: 30_000 },
    log: { ...nullLogger, warn: (message) => void log.push(message) },
    hasSessions: () => true,
    isMidTurn: () => false,
    onStarted: (_, isRestarted) => log.push(isRestarted ? 'restarted' : 'started'),
    onEnded() {
      log.push('ended');
      o.onEnded?.(life);
    },
    onStatus: ({ state }) => log.push(state),
  });
  return {
    life,
    log,
    starts: () => ends.length,
    async lose() {
      ends.at(-1)?.fire({
        error: new HostError('agent_exited', { reason: 'process_ended' }),
        exit: { code: null, signal: 'SIGKILL', requested: false },
      });
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

test('when the machine wakes up, a planned restart happens at once, and only once', async (t) => {
  const time = fakeTime(t);
  const { life, log, starts, lose } = agentLife();
  await life.start();
  await lose();
  time.pass(10_000);
  assert.deepEqual(log, ['reconnecting', 'started', 'ended', 'reconnecting']);
  time.sleep(3_600_000);
  time.pass(5_000);
  await life.start();
  assert.deepEqual(log.slice(4), ['reconnecting', 'restarted']);
  time.pass(60_000);
  time.sleep(3_600_000);
  time.pass(60_000);
  assert.equal(starts(), 2);
  await life.stop();
  assert.deepEqual(log.slice(6), ['ended', 'stopped']);
});

test('an agent that is stopped or started as its end is reported is not said to wait for a restart', async () => {
  const stopped = agentLife({ onEnded: (life) => void life.stop() });
  await stopped.life.start();
  await stopped.lose();
  assert.deepEqual(stopped.log.slice(2), ['ended', 'stopped']);
  const started = agentLife({ onEnded: (life) => void life.start() });
  await started.life.start();
  await started.lose();
  assert.deepEqual(started.log.slice(2), ['ended', 'reconnecting', 'started']);
});

test('the log names the agent that could not be restarted', async () => {
  let connects = true;
  const { life, log, lose } = agentLife({ connects: () => connects });
  await life.start();
  await lose();
  connects = false;
  life.restartNow();
  await assert.rejects(life.start(), { code: 'handshake_failed' });
  await life.stop();
  assert.deepEqual(log.slice(4), ['reconnecting', 'reconnecting', 'Could not restart Fake', 'stopped']);
});

interface Gate {
  readonly ready: (signal: AbortSignal) => Promise<void>;
  /** Resolves when a start waits. */
  readonly reached: Promise<void>;
  readonly go: () => void;
  readonly aborted: () => boolean;
}

/** Lets a start wait until `go`, or until it is aborted. */
function gate(): Gate {
  const [open, reached] = [new Emitter<void>(), new Emitter<void>()];
  let wasAborted = false;
  return {
    go: () => open.fire(),
    reached: new Promise((resolve) => reached.event(() => resolve())),
    aborted: () => wasAborted,
    ready: (signal) =>
      new Promise((resolve, reject) => {
        open.event(() => resolve());
        signal.addEventListener('abort', () => {
          wasAborted = true;
          reject(new Error('aborted'));
        });
        reached.fire();
      }),
  };
}

test('of several that wait for a start, each gives up only its own wait', async () => {
  const { ready, reached, go, aborted } = gate();
  const { life, log, starts } = agentLife({ ready });
  const [first, third] = [new AbortController(), new AbortController()];
  const waits = [life.start(first.signal), life.start(), life.start(third.signal)];
  await reached;
  first.abort();
  await assert.rejects(waits[0] ?? assert.fail(), { code: 'cancelled' });
  third.abort();
  await assert.rejects(waits[2] ?? assert.fail(), { code: 'cancelled' });
  go();
  await waits[1];
  assert.deepEqual([log, starts(), aborted()], [['reconnecting', 'started'], 1, false]);
  await life.stop();
});

test('a start ends when nobody waits for it any more, and one that was given up beforehand does not begin', async () => {
  const { ready, reached, aborted } = gate();
  const { life, log, starts } = agentLife({ ready });
  const [first, second] = [new AbortController(), new AbortController()];
  const waits = [life.start(first.signal), life.start(second.signal)];
  await reached;
  first.abort();
  second.abort();
  for (const wait of waits) await assert.rejects(wait, { code: 'cancelled' });
  assert.ok(aborted());
  await assert.rejects(life.start(first.signal), { code: 'cancelled' });
  assert.deepEqual([log, starts()], [['reconnecting', 'stopped'], 0]);
});

test('a start that waits for the end of the former process is stopped by force', async () => {
  let forced = (): void => {};
  const gone = new Promise<undefined>((resolve) => (forced = () => resolve(undefined)));
  const { life, log, starts } = agentLife({
    close(o) {
      if (o?.force === true) forced();
      return gone;
    },
  });
  await life.start();
  const gentle = life.stop();
  const next = assert.rejects(life.start(), { code: 'cancelled' });
  await life.stop({ force: true });
  await Promise.all([gentle, next]);
  assert.deepEqual([starts(), log.at(-1)], [1, 'stopped']);
});
