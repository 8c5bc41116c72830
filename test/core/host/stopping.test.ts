import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { AgentHost } from '../../../src/core/host/agentHost.js';
import type { AgentStatus } from '../../../src/core/host/api.js';
import { gracefulSteps } from '../../../src/core/process/stopProcess.js';
import { conversationIn, hostOf, journalsOf, lines, resumedAfterRestart, text, until } from './launch.js';

/** Only Linux reports how busy a process is. */
const posix = { skip: process.platform === 'linux' ? false : 'the processor time is read from /proc' };
const restart = { firstDelayMs: 20, maxDelayMs: 40 };

function statesOf(host: AgentHost): AgentStatus['state'][] {
  const states: AgentStatus['state'][] = [];
  host.onStatus(({ state }) => states.push(state));
  return states;
}

function sends(host: AgentHost, method: string): Promise<void> {
  return new Promise((resolve) => {
    host.onTraffic((entry) => {
      if (entry.kind === 'message' && entry.direction === 'sent' && JSON.stringify(entry.message).includes(method)) resolve();
    });
  });
}

describe('an agent that is stopped', () => {
  it('it stays stopped, even if it closes its output long before it ends', async (t) => {
    const host = await hostOf(t, 'savesBeforeItEnds', { restart });
    await host.newSession();
    const states = statesOf(host);
    await host.stop();
    assert.deepEqual(host.status, { state: 'stopped', exit: { code: 0, signal: null, requested: true } });
    assert.deepEqual(states, ['stopped']);
    assert.equal(host.diagnostics().counters.starts, 1);
  });

  it('if it is started again meanwhile, it is not said to be stopped while it starts', async (t) => {
    const host = await hostOf(t, 'obedient', { restart });
    await host.start();
    const states = statesOf(host);
    const stopped = host.stop();
    const started = host.start();
    await stopped;
    assert.equal(host.status.state, 'starting');
    await started;
    assert.deepEqual(states, ['starting', 'ready']);
  });

  for (const [prompt, end] of [
    ['finishAtEnd', 'end_turn'],
    ['stopSlowly', 'stopped'],
  ] as const)
    it(`the end of its turn is saved when the stop is over: ${end}`, async (t) => {
      const saved = conversationIn(await journalsOf(t));
      const host = await hostOf(t, 'obedient');
      const recordsLong = { told: () => {}, begin: () => Promise.resolve(), look: () => {}, end: () => new Promise<void>(() => {}) };
      const session = await host.newSession({ journal: saved.journal, turns: recordsLong });
      void session.prompt(text(prompt));
      await until(session, (state) => lines(state).includes('agent: started'));
      await host.stop();
      const item = (await saved.read())[0]?.items.at(-1);
      assert.ok(item?.kind === 'turn_end');
      assert.equal(item.outcome.type === 'ended' ? item.outcome.stopReason : item.outcome.error.params.reason, end);
    });

  it('if it ignores the end of stdin, it is interrupted a second later', posix, async (t) => {
    const host = await hostOf(t, 'ignoresEof', { restart });
    const session = await host.newSession();
    await session.prompt(text('go'));
    const began = performance.now();
    await host.stop();
    assert.ok(performance.now() - began < gracefulSteps.graceMs / 2, 'the whole grace is for an agent that is busy');
    assert.deepEqual(host.status, { state: 'stopped', exit: { code: null, signal: 'SIGINT', requested: true } });
  });

  it('if it is busy shutting down, it gets the full time', posix, async (t) => {
    const host = await hostOf(t, 'ignoresEof', { restart, env: { BUSY_MS: '3000' } });
    await host.newSession();
    await host.stop();
    assert.deepEqual(host.status, { state: 'stopped', exit: { code: 0, signal: null, requested: true } });
  });

  it('a stop during the start is not a failure', async (t) => {
    const host = await hostOf(t, 'neverInitializes', { restart });
    const asked = sends(host, 'initialize');
    const refused = assert.rejects(host.start(), { code: 'cancelled' });
    await asked;
    const states = statesOf(host);
    await host.stop({ force: true });
    await refused;
    assert.deepEqual(states, ['stopped']);
  });

  it('a stop before the process exists works, too', async (t) => {
    const host = await hostOf(t, 'obedient', { restart });
    const refused = assert.rejects(host.start(), { code: 'cancelled' });
    await host.stop();
    await refused;
    assert.deepEqual([host.status.state, host.diagnostics().counters.starts], ['stopped', 0]);
  });

  it('a start before the old process has ended starts a new one after it', async (t) => {
    const host = await hostOf(t, 'savesBeforeItEnds', { restart });
    await host.newSession();
    const stopping = host.stop();
    const session = await host.newSession();
    await stopping;
    assert.deepEqual([host.status.state, session.live], ['ready', true]);
    assert.equal(host.diagnostics().counters.starts, 2);
  });

  it('a stop and start while it opens a session leaves no caller waiting for that session', async (t) => {
    const host = await hostOf(t, 'neverOpens', { restart });
    const asked = sends(host, 'session/new');
    const opening = assert.rejects(host.newSession(), { code: 'agent_exited' });
    await asked;
    const stopping = host.stop({ force: true });
    await host.start();
    await Promise.all([stopping, opening]);
    assert.equal(host.status.state, 'ready');
  });

  it('what it refuses while it ends is no problem of the next one', async (t) => {
    const host = await hostOf(t, 'refusesAtTheEnd', { restart });
    const asked = sends(host, 'session/new');
    const opening = assert.rejects(host.newSession(), { code: 'auth_required' });
    await asked;
    const stopping = host.stop();
    await Promise.all([host.start(), stopping, opening]);
    assert.equal(host.status.state, 'ready');
  });

  it('a stop and start during its start starts it', async (t) => {
    const host = await hostOf(t, 'obedient', { restart });
    const refused = assert.rejects(host.start(), { code: 'cancelled' });
    const stopping = host.stop();
    await Promise.all([host.start(), refused, stopping]);
    assert.equal(host.status.state, 'ready');
  });
});

describe('an agent that closes stdin but keeps running', () => {
  it('it counts as lost: its turn is interrupted, and it is restarted', async (t) => {
    const host = await hostOf(t, 'closesStdin', { restart });
    const session = await host.newSession();
    const resumed = resumedAfterRestart(host, session);
    const outcome = await session.prompt(text('go'));
    assert.equal(outcome.type, 'interrupted');
    assert.deepEqual(lines((await resumed).state).slice(0, 2), ['user: go', 'end interrupted agent_exited']);
  });

  it('opening a session distinguishes it from one that responds', async (t) => {
    const host = await hostOf(t, 'closesStdin');
    await host.newSession();
    await assert.rejects(host.newSession(), { code: 'agent_exited' });
    assert.equal(host.status.state, 'failed');
  });
});
