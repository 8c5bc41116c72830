/** An agent that numbers its sessions from one in each process, so that two of them have the same id. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { toHostError } from '../../../src/core/base/errors.js';
import type { Session } from '../../../src/core/host/api.js';
import type { SessionState } from '../../../src/core/session/model.js';
import { MODE_OPTION_ID } from '../../../src/core/session/sessionOption.js';
import { conversationIn, hostOf, journalsOf, lines, resumedAfterRestart, type SavedConversation, text } from './launch.js';

const said = (words: string): string[] => [`user: say ${words}`, `agent: ${words}`, 'end end_turn'];

describe('a new session with an id that the agent has used before', () => {
  it('in another conversation, it is separate on disk, and that conversation alone continues in it', async (t) => {
    const journals = await journalsOf(t);
    const [one, other] = [conversationIn(journals, 'one'), conversationIn(journals, 'other')];
    const begin = async ({ journal }: SavedConversation, words: string): Promise<string> => {
      const host = await hostOf(t, 'obedient');
      const session = await host.newSession({ journal });
      await session.prompt(text(`say ${words}`));
      await host.stop();
      return session.id;
    };
    const sessionId = await begin(one, 'first');
    assert.equal(await begin(other, 'second'), sessionId);
    assert.deepEqual((await one.read()).map(lines), [said('first')]);
    assert.deepEqual((await other.read()).map(lines), [said('second')]);
    const host = await hostOf(t, 'obedient');
    const again = await host.loadSession(sessionId, (await one.read()).at(-1), { journal: one.journal });
    await again.prompt(text('say third'));
    await host.stop();
    assert.deepEqual((await one.read()).map(lines), [[...said('first'), ...said('third')]]);
    assert.deepEqual((await other.read()).map(lines), [said('second')]);
  });

  it('in the same conversation, it continues the earlier one, which stays as it was', async (t) => {
    const { journal, read } = conversationIn(await journalsOf(t));
    const host = await hostOf(t, 'obedient');
    const first = await host.newSession({ journal });
    await first.prompt(text('say first'));
    await host.stop();
    const second = await host.newSession({ continues: first.id, journal });
    assert.equal(second.id, first.id);
    await second.prompt(text('say second'));
    await host.stop();
    const saved = await read();
    assert.deepEqual(saved.map(lines), [said('first'), said('second')]);
    const next = await hostOf(t, 'obedient');
    const again = await next.loadSession(second.id, saved.at(-1), { journal });
    await again.prompt(text('say third'));
    await next.stop();
    assert.deepEqual((await read()).map(lines), [said('first'), [...said('second'), ...said('third')]]);
  });

  it('at the same time as before, by the clock, it is another session', async (t) => {
    const { journal, read } = conversationIn(await journalsOf(t));
    const stopped = Date.now();
    t.mock.method(Date, 'now', () => stopped);
    const host = await hostOf(t, 'obedient');
    const first = await host.newSession({ journal });
    await first.prompt(text('say first'));
    await host.stop();
    const second = await host.newSession({ continues: first.id, journal });
    await second.prompt(text('say second'));
    await host.stop();
    assert.deepEqual((await read()).map(lines), [said('first'), said('second')]);
  });

  it('of two conversations that are loaded at once, neither continues in the other', async (t) => {
    const host = await hostOf(t, 'obedient');
    const states: SessionState[] = [];
    for (const words of ['first', 'second']) {
      const session = await host.newSession();
      await session.prompt(text(`say ${words}`));
      states.push(session.state);
      await host.stop();
    }
    const [one, two] = await Promise.allSettled(states.map((state) => host.loadSession(state.sessionId, state)));
    assert.ok(one?.status === 'fulfilled' && two?.status === 'rejected');
    assert.equal(one.value.state.id, states[0]?.id);
    assert.equal(toHostError(two.reason).params.reason, 'id_reused');
  });

  it('an earlier conversation does not continue in it while it is resumed after a crash', async (t) => {
    const host = await hostOf(t, 'obedient', { env: { OBEDIENT_LOADS_LATE: '1' }, restart: { firstDelayMs: 1, maxDelayMs: 1, starts: 3 } });
    const first = await host.newSession();
    await first.prompt(text('say first'));
    const earlier = first.state;
    await host.stop();
    const second = await host.newSession();
    await second.prompt(text('say second'));
    const resuming = new Promise<void>((resolve) => {
      host.onStatus((status) => {
        if (status.state === 'starting' && status.awaiting === 'session') resolve();
      });
    });
    const resumed = resumedAfterRestart(host, second);
    await second.prompt(text('die 1'));
    await resuming;
    const loading = host.loadSession(earlier.sessionId, earlier);
    // The agent completes the load with its next request.
    void host.authenticate('in');
    await assert.rejects(loading, { code: 'session_unknown', params: { reason: 'id_reused', sessionId: first.id } });
    const again = await resumed;
    assert.deepEqual([again.live, host.sessions.get(second.id)], [true, again]);
  });

  it('it stays open when the earlier conversation is closed while that one is being resumed', async (t) => {
    const host = await hostOf(t, 'obedient', { env: { OBEDIENT_CAN: 'load close', OBEDIENT_LOADS_LATE: '1' } });
    const first = await host.newSession();
    await first.prompt(text('say first'));
    await host.stop();
    const resuming = new Promise<void>((resolve) => {
      host.onTraffic((entry) => {
        if (entry.kind === 'message' && Object(entry.message).method === 'session/load') resolve();
      });
    });
    const loading = host.loadSession(first.id, first.state);
    await resuming;
    const closing = host.closeSession(first);
    // The agent completes the load with its next request.
    const second = await host.newSession();
    await Promise.allSettled([closing, loading]);
    assert.deepEqual([second.id, second.live, host.sessions.get(first.id)], [first.id, true, second]);
  });

  it('an earlier conversation whose options are being restored gives way to it', async (t) => {
    const host = await hostOf(t, 'obedient', { env: { OBEDIENT_DEPTHS: 'low high' } });
    const first = await host.newSession();
    await first.prompt(text('say first'));
    await first.setOption(MODE_OPTION_ID, 'free');
    await first.setOption('depth', 'high');
    await host.stop();
    // Requested before the first of the options, so that the agent answers it before the second one.
    const opened = new Promise<Session>((resolve) => {
      const watching = host.onTraffic((entry) => {
        if (entry.kind !== 'message' || Object(Object(entry.message).result).configOptions === undefined) return;
        watching.dispose();
        resolve(host.newSession());
      });
    });
    await assert.rejects(host.loadSession(first.id, first.state), {
      code: 'session_unknown',
      params: { reason: 'id_reused', sessionId: first.id },
    });
    const second = await opened;
    assert.deepEqual([second.live, host.sessions.get(first.id)], [true, second]);
  });

  it('an earlier conversation does not continue in it', async (t) => {
    const host = await hostOf(t, 'obedient');
    const first = await host.newSession();
    await first.prompt(text('say first'));
    const earlier = first.state;
    await host.stop();
    const second = await host.newSession();
    await assert.rejects(host.loadSession(first.id, earlier), {
      code: 'session_unknown',
      params: { reason: 'id_reused', sessionId: first.id },
    });
    assert.deepEqual([second.live, host.sessions.get(first.id)], [true, second]);
  });
});
