import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { AgentHost } from '../../../src/core/host/agentHost.js';
import type { AgentStatus, Session } from '../../../src/core/host/api.js';
import { hostOf, lines, resumedAfterRestart, text } from './launch.js';
import { errorCause } from '../../../src/text/errorCause.js';

const soon = { firstDelayMs: 20, maxDelayMs: 40 };

/** Resolves with the first state that fits, now or later. */
function untilStatus(host: AgentHost, fits: (status: AgentStatus) => boolean): Promise<AgentStatus> {
  return new Promise((resolve) => {
    if (fits(host.status)) return resolve(host.status);
    const subscription = host.onStatus((status) => {
      if (!fits(status)) return;
      subscription.dispose();
      resolve(status);
    });
  });
}

/** The agent is asked for the session after each restart, as its conversation asks. */
function asksAfterEach(host: AgentHost, session: Session): void {
  host.onRestarted(() => void host.loadSession(session.id, session.state).catch(() => {}));
}

describe('an agent that was lost', () => {
  it('it is restarted, and its status shows this', async (t) => {
    const host = await hostOf(t, 'obedient', { restart: soon });
    const session = await host.newSession();
    const told: string[] = [];
    host.onStatus((status) =>
      told.push(
        status.state === 'reconnecting'
          ? `reconnecting ${status.attempt} of ${status.of}${status.retryAt === undefined ? ' now' : ' soon'}`
          : status.state,
      ),
    );
    const resumed = resumedAfterRestart(host, session);
    assert.equal((await session.prompt(text('die 9'))).type, 'interrupted');
    const again = await resumed;
    await again.prompt(text('say back'));
    assert.deepEqual(lines(again.state), [
      'user: die 9',
      'agent: half',
      'end interrupted agent_exited',
      'user: say back',
      'agent: back',
      'end end_turn',
    ]);
    assert.deepEqual(told, ['busy', 'reconnecting 1 of 5 soon', 'reconnecting 1 of 5 now', 'ready', 'starting', 'ready', 'busy', 'ready']);
  });

  it('an interrupted prompt is not sent again', async (t) => {
    const host = await hostOf(t, 'obedient', { restart: soon });
    const session = await host.newSession();
    const sent: unknown[] = [];
    host.onTraffic((entry) => {
      if (entry.direction === 'sent' && entry.kind === 'message') sent.push(entry.message);
    });
    const resumed = resumedAfterRestart(host, session);
    await session.prompt(text('die 9'));
    await resumed;
    assert.equal(JSON.stringify(sent).split('session/prompt').length - 1, 1);
  });

  it('after a successful turn, the next loss begins at the first attempt', async (t) => {
    const host = await hostOf(t, 'obedient', { restart: soon });
    let session = await host.newSession();
    for (const code of [1, 2, 3]) {
      const resumed = resumedAfterRestart(host, session);
      await session.prompt(text(`die ${code}`));
      assert.ok(host.status.state === 'reconnecting' && host.status.attempt === 1, JSON.stringify(host.status));
      session = await resumed;
      await session.prompt(text('say well'));
    }
  });

  it('if it exits whenever a session is resumed, it is given up after five starts, with the reason', async (t) => {
    const host = await hostOf(t, 'diesOnLoad', { restart: soon });
    const session = await host.newSession();
    asksAfterEach(host, session);
    await session.prompt(text('go'));
    const status = await untilStatus(host, ({ state }) => state === 'failed');
    assert.ok(status.state === 'failed');
    assert.equal(status.error.params['circuit'], 'open');
    assert.match(errorCause(status.error, 'diesOnLoad'), /crashed repeatedly/);
  });

  it('the user can skip the wait', async (t) => {
    const host = await hostOf(t, 'obedient', { restart: { firstDelayMs: 3_600_000, maxDelayMs: 3_600_000 } });
    const session = await host.newSession();
    const restarted = new Promise<void>((resolve) => host.onRestarted(resolve));
    await session.prompt(text('die 1'));
    host.retryNow();
    await restarted;
  });

  it('if it is stopped during the wait, it stays stopped until it is started', async (t) => {
    const host = await hostOf(t, 'obedient', { restart: { firstDelayMs: 3_600_000, maxDelayMs: 3_600_000 } });
    const session = await host.newSession();
    await session.prompt(text('die 1'));
    await host.stop();
    assert.equal(host.status.state, 'stopped');
    assert.equal((await host.loadSession(session.id, session.state)).live, true);
  });

  it('if it exits with code 0 during a turn, it is restarted, too', async (t) => {
    const host = await hostOf(t, 'obedient', { restart: soon });
    const session = await host.newSession();
    const resumed = resumedAfterRestart(host, session);
    const outcome = await session.prompt(text('die 0'));
    assert.ok(outcome.type === 'interrupted');
    assert.deepEqual([outcome.error.code, outcome.error.params.exitCode], ['agent_exited', 0], 'and does not blame the session');
    await resumed;
  });

  it('if it exits with code 0 right after its answer, it is not restarted', async (t) => {
    const host = await hostOf(t, 'endsAfterItsTurn', { restart: soon });
    const session = await host.newSession();
    const outcome = session.prompt(text('last'));
    const { state } = await untilStatus(host, (status) => ['reconnecting', 'stopped'].includes(status.state));
    assert.deepEqual([state, (await outcome).type], ['stopped', 'ended']);
  });

  it('if the user starts it after it was given up, it has all its attempts again', async (t) => {
    const host = await hostOf(t, 'diesOnLoad', { restart: soon });
    const session = await host.newSession();
    asksAfterEach(host, session);
    const attempts: (number | undefined)[] = [];
    host.onStatus((status) => {
      if (status.state === 'reconnecting' && status.retryAt !== undefined) attempts.push(status.attempt);
    });
    await session.prompt(text('go'));
    await untilStatus(host, ({ state }) => state === 'failed');
    assert.deepEqual(attempts, [1, 2, 3, 4, 5]);
    // The status is reported while the failed load is still settling.
    await new Promise((resolve) => setImmediate(resolve));
    await assert.rejects(host.loadSession(session.id, session.state));
    await untilStatus(host, ({ state }) => state === 'failed');
    assert.deepEqual(attempts, [1, 2, 3, 4, 5, 1, 2, 3, 4, 5]);
  });

  it('without the option, it is not restarted', async (t) => {
    const host = await hostOf(t, 'obedient');
    const session = await host.newSession();
    await session.prompt(text('die 1'));
    assert.equal(host.status.state, 'failed');
  });
});
