import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AgentBackend, BackendEnd } from '../../../src/core/backends/agentBackend.js';
import { protocolOf } from '../../../src/core/backends/protocols.js';
import { systemClock } from '../../../src/core/base/clock.js';
import { HostError } from '../../../src/core/base/errors.js';
import { Emitter } from '../../../src/core/base/event.js';
import { Redactor } from '../../../src/core/base/redact.js';
import { AgentLife } from '../../../src/core/host/agentLife.js';
import { defaultRestartLimits } from '../../../src/core/host/restartPolicy.js';
import { AgentTraffic } from '../../../src/core/traffic/agentTraffic.js';
import { noStats } from '../../../src/core/traffic/trafficItem.js';
import { fakeTime } from '../base/fakeTime.js';

const info = { name: 'agent', title: undefined, version: undefined, protocolVersion: 1, authMethods: [], capabilities: {} };

test('when the machine wakes up, a planned restart happens at once, and only once', async (t) => {
  const time = fakeTime(t);
  const ends: Emitter<BackendEnd>[] = [];
  const connect = (): Promise<AgentBackend> => {
    const closed = new Emitter<BackendEnd>();
    ends.push(closed);
    return Promise.resolve({
      info: { ...info, promptContent: [], mcpTransports: [] },
      sessions: { resumeMethods: [], open: () => Promise.reject(new HostError('unsupported')) },
      onClosed: closed.event,
      stats: noStats,
      close: () => Promise.resolve(undefined),
    });
  };
  const states: string[] = [];
  const life = new AgentLife({
    protocol: 'acp',
    traffic: new AgentTraffic({ describer: protocolOf('acp').frames, redactor: new Redactor(), clock: systemClock }),
    connect,
    restart: { ...defaultRestartLimits, firstDelayMs: 30_000 },
    hasSessions: () => true,
    isMidTurn: () => false,
    onStarted: (_, isRestarted) => states.push(isRestarted ? 'restarted' : 'started'),
    onEnded: () => states.push('ended'),
    onStatus: ({ state }) => states.push(state),
  });
  await life.start();
  ends[0]?.fire({
    error: new HostError('agent_exited', { reason: 'process_ended' }),
    exit: { code: null, signal: 'SIGKILL', requested: false },
  });
  await new Promise((resolve) => setImmediate(resolve));
  time.pass(10_000);
  assert.deepEqual(states, ['reconnecting', 'started', 'ended', 'reconnecting']);
  time.sleep(3_600_000);
  time.pass(5_000);
  await life.start();
  assert.deepEqual(states.slice(4), ['reconnecting', 'restarted']);
  time.pass(60_000);
  time.sleep(3_600_000);
  time.pass(60_000);
  assert.equal(ends.length, 2);
  await life.stop();
  assert.deepEqual(states.slice(6), ['ended', 'stopped']);
});
