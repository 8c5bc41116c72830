import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { AgentHost, AgentStatus } from '../../../src/core/host/api.js';
import { gracefulSteps } from '../../../src/core/process/stopProcess.js';
import { hostOf, lines, text } from './launch.js';

/** Linux tells how busy a process is. */
const posix = { skip: process.platform === 'linux' ? false : 'the processor time is read from /proc' };
const restart = { firstDelayMs: 20, maxDelayMs: 40 };

function statesOf(host: AgentHost): AgentStatus['state'][] {
  const states: AgentStatus['state'][] = [];
  host.onStatus(({ state }) => states.push(state));
  return states;
}

describe('an agent that is stopped', () => {
  it('stays stopped, also one that closes its output long before it ends', async (t) => {
    const host = await hostOf(t, 'savesBeforeItEnds', { restart });
    await host.newSession();
    const states = statesOf(host);
    await host.stop();
    assert.deepEqual(host.status, { state: 'stopped', exit: { code: 0, signal: null, requested: true } });
    assert.deepEqual(states, ['stopped']);
    assert.equal(host.diagnostics().counters.starts, 1);
  });

  it('and does not notice the end of its stdin is interrupted a second later', posix, async (t) => {
    const host = await hostOf(t, 'ignoresEof', { restart });
    const session = await host.newSession();
    await session.prompt(text('go'));
    const began = performance.now();
    await host.stop();
    assert.ok(performance.now() - began < gracefulSteps.graceMs / 2, 'the whole grace is for an agent that is busy');
    assert.deepEqual(host.status, { state: 'stopped', exit: { code: null, signal: 'SIGINT', requested: true } });
  });

  it('and is busy ending keeps its time', posix, async (t) => {
    const host = await hostOf(t, 'ignoresEof', { restart, env: { BUSY_MS: '3000' } });
    await host.newSession();
    await host.stop();
    assert.deepEqual(host.status, { state: 'stopped', exit: { code: 0, signal: null, requested: true } });
  });

  it('in the middle of its start is stopped, which is no failure', async (t) => {
    const host = await hostOf(t, 'neverInitializes', { restart });
    const asked = new Promise<void>((resolve) => {
      host.onTraffic(({ kind, direction }) => {
        if (kind === 'message' && direction === 'sent') resolve();
      });
    });
    const refused = assert.rejects(host.start(), { code: 'cancelled' });
    await asked;
    const states = statesOf(host);
    await host.stop({ force: true });
    await refused;
    assert.deepEqual(states, ['stopped']);
  });

  it('before its process is there is stopped too', async (t) => {
    const host = await hostOf(t, 'obedient', { restart });
    const refused = assert.rejects(host.start(), { code: 'cancelled' });
    await host.stop();
    await refused;
    assert.deepEqual([host.status.state, host.diagnostics().counters.starts], ['stopped', 0]);
  });

  it('and wanted again before it is gone is started anew, behind it', async (t) => {
    const host = await hostOf(t, 'savesBeforeItEnds', { restart });
    await host.newSession();
    const stopping = host.stop();
    const session = await host.newSession();
    await stopping;
    assert.deepEqual([host.status.state, session.live], ['ready', true]);
    assert.equal(host.diagnostics().counters.starts, 2);
  });

  it('while it opens a session, and wanted again at once, leaves nobody waiting for that session', async (t) => {
    const host = await hostOf(t, 'neverOpens', { restart });
    const asked = new Promise<void>((resolve) => {
      host.onTraffic((entry) => {
        if (entry.kind === 'message' && entry.direction === 'sent' && JSON.stringify(entry.message).includes('session/new')) resolve();
      });
    });
    const opening = assert.rejects(host.newSession(), { code: 'agent_exited' });
    await asked;
    const stopping = host.stop({ force: true });
    await host.start();
    await Promise.all([stopping, opening]);
    assert.equal(host.status.state, 'ready');
  });

  it('in the middle of its start and wanted again is started', async (t) => {
    const host = await hostOf(t, 'obedient', { restart });
    const refused = assert.rejects(host.start(), { code: 'cancelled' });
    const stopping = host.stop();
    await Promise.all([host.start(), refused, stopping]);
    assert.equal(host.status.state, 'ready');
  });
});

describe('an agent that closes its stdin and lives on', () => {
  it('is lost: its turn is interrupted, and it is started again', async (t) => {
    const host = await hostOf(t, 'closesStdin', { restart });
    const session = await host.newSession();
    const back = new Promise<void>((resolve) => {
      host.onStatus(({ state }) => {
        if (state === 'ready' && session.live) resolve();
      });
    });
    const outcome = await session.prompt(text('go'));
    assert.equal(outcome.type, 'interrupted');
    await back;
    assert.deepEqual(lines(session.state).slice(0, 2), ['user: go', 'end interrupted agent_exited']);
  });

  it('is told from one that answers, when a session is opened in it', async (t) => {
    const host = await hostOf(t, 'closesStdin');
    await host.newSession();
    await assert.rejects(host.newSession(), { code: 'agent_exited' });
    assert.equal(host.status.state, 'failed');
  });
});
