import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { AgentHost, AgentStatus } from '../../../src/core/host/api.js';
import { hostOf, lines, text } from './launch.js';

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
