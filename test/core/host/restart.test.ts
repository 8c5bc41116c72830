import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { AgentHost } from '../../../src/core/host/agentHost.js';
import type { AgentStatus, Session } from '../../../src/core/host/api.js';
import type { UserRequest } from '../../../src/core/session/userRequest.js';
import { hostOf, lines, text } from './launch.js';
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

async function untilLive(host: AgentHost, session: Session): Promise<void> {
  await untilStatus(host, (status) => status.state === 'ready' && session.live);
}

describe('an agent that was lost', () => {
  it('it is restarted with the same conversation, and its status shows this', async (t) => {
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
    assert.equal((await session.prompt(text('die 9'))).type, 'interrupted');
    await untilLive(host, session);
    await session.prompt(text('say back'));
    assert.deepEqual(lines(session.state), [
      'user: die 9',
      'agent: half',
      'end interrupted agent_exited',
      'user: say back',
      'agent: back',
      'end end_turn',
    ]);
    assert.deepEqual(told, ['busy', 'reconnecting 1 of 5 soon', 'reconnecting 1 of 5 now', 'ready', 'starting', 'ready', 'busy', 'ready']);
  });

  it('what it asks before it resumes the conversation is shown there, and the answer reaches it', async (t) => {
    const host = await hostOf(t, 'asksToOpen', { restart: soon, env: { ASKS_AT: 'session/load' } });
    const session = await host.newSession();
    const asked = new Promise<UserRequest>((resolve) => {
      session.onBatch(({ events }) => {
        for (const event of events) if (event.type === 'request_opened') resolve(event.request);
      });
    });
    await session.prompt(text('die'));
    const request = await asked;
    assert.deepEqual([request.sessionId, request.kind === 'form' && request.message], [session.id, 'Before session/load']);
    assert.ok(session.answer(request.id, { type: 'accept', values: { code: '42' } }));
    await untilLive(host, session);
    assert.deepEqual(session.state.requests, []);
    await session.prompt(text('told?'));
    assert.match(lines(session.state).join(), /agent: \{"action":"accept","content":\{"code":"42"\}\}/);
  });

  it('an interrupted prompt is not sent again', async (t) => {
    const host = await hostOf(t, 'obedient', { restart: soon });
    const session = await host.newSession();
    const sent: unknown[] = [];
    host.onTraffic((entry) => {
      if (entry.direction === 'sent' && entry.kind === 'message') sent.push(entry.message);
    });
    await session.prompt(text('die 9'));
    await untilLive(host, session);
    assert.equal(JSON.stringify(sent).split('session/prompt').length - 1, 1);
  });

  it('after a successful turn, the next loss begins at the first attempt', async (t) => {
    const host = await hostOf(t, 'obedient', { restart: soon });
    const session = await host.newSession();
    for (const code of [1, 2, 3]) {
      await session.prompt(text(`die ${code}`));
      assert.ok(host.status.state === 'reconnecting' && host.status.attempt === 1, JSON.stringify(host.status));
      await untilLive(host, session);
      await session.prompt(text('say well'));
    }
  });

  it('if it exits whenever a session is resumed, it is given up after five starts, with the reason', async (t) => {
    const host = await hostOf(t, 'diesOnLoad', { restart: soon });
    const session = await host.newSession();
    await session.prompt(text('go'));
    const status = await untilStatus(host, ({ state }) => state === 'failed');
    assert.ok(status.state === 'failed');
    assert.equal(status.error.params['circuit'], 'open');
    assert.match(errorCause(status.error, 'diesOnLoad'), /crashed repeatedly/);
  });

  it('the user can skip the wait', async (t) => {
    const host = await hostOf(t, 'obedient', { restart: { firstDelayMs: 3_600_000, maxDelayMs: 3_600_000 } });
    const session = await host.newSession();
    await session.prompt(text('die 1'));
    host.retryNow();
    await untilLive(host, session);
  });

  it('if it is stopped during the wait, it stays stopped until it is started', async (t) => {
    const host = await hostOf(t, 'obedient', { restart: { firstDelayMs: 3_600_000, maxDelayMs: 3_600_000 } });
    const session = await host.newSession();
    await session.prompt(text('die 1'));
    await host.stop();
    assert.equal(host.status.state, 'stopped');
    await host.loadSession(session.id);
    assert.equal(session.live, true);
  });

  it('if it exits with code 0 during a turn, it is restarted, too', async (t) => {
    const host = await hostOf(t, 'obedient', { restart: soon });
    const session = await host.newSession();
    const outcome = await session.prompt(text('die 0'));
    assert.ok(outcome.type === 'interrupted');
    assert.deepEqual([outcome.error.code, outcome.error.params.exitCode], ['agent_exited', 0], 'and does not blame the session');
    await untilLive(host, session);
  });

  it('if the user starts it after it was given up, it has all its attempts again', async (t) => {
    const host = await hostOf(t, 'diesOnLoad', { restart: soon });
    const session = await host.newSession();
    const attempts: (number | undefined)[] = [];
    host.onStatus((status) => {
      if (status.state === 'reconnecting' && status.retryAt !== undefined) attempts.push(status.attempt);
    });
    await session.prompt(text('go'));
    await untilStatus(host, ({ state }) => state === 'failed');
    assert.deepEqual(attempts, [1, 2, 3, 4, 5]);
    // The status is reported while the failed load is still settling.
    await new Promise((resolve) => setImmediate(resolve));
    await assert.rejects(host.loadSession(session.id));
    await untilStatus(host, ({ state }) => state === 'failed');
    assert.deepEqual(attempts, [1, 2, 3, 4, 5, 1, 2, 3, 4, 5]);
  });

  it('a conversation that it forgot does not block the others, and an empty one is not resumed', async (t) => {
    const host = await hostOf(t, 'obedient', { restart: soon, env: { OBEDIENT_FORGETS: 's1' } });
    const [forgotten, wordless, current] = [await host.newSession(), await host.newSession(), await host.newSession()];
    await forgotten.prompt(text('say hi'));
    const asked: unknown[] = [];
    host.onTraffic((entry) => {
      if (entry.direction === 'sent' && entry.kind === 'message') asked.push(entry.message);
    });
    await current.prompt(text('die 9'));
    await untilLive(host, current);
    assert.deepEqual([forgotten.live, wordless.live, current.live], [false, false, true]);
    assert.equal(JSON.stringify(asked).includes(wordless.id), false);
  });

  it('without the option, it is not restarted', async (t) => {
    const host = await hostOf(t, 'obedient');
    const session = await host.newSession();
    await session.prompt(text('die 1'));
    assert.equal(host.status.state, 'failed');
  });
});
