/** An agent that numbers its sessions from one in each process, so that two conversations have the same id. */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { toHostError } from '../../../src/core/base/errors.js';
import { nullLogger } from '../../../src/core/base/logger.js';
import { Redactor } from '../../../src/core/base/redact.js';
import { readSessionHistory } from '../../../src/core/journal/sessionHistory.js';
import { createJournalStore, type JournalStore, readConversation } from '../../../src/core/journal/journalStore.js';
import type { Session } from '../../../src/core/host/api.js';
import type { SessionState } from '../../../src/core/session/model.js';
import { MODE_OPTION_ID } from '../../../src/core/session/sessionOption.js';
import { hostOf, lines, temporaryFolder, text } from './launch.js';

async function journalsOf(t: TestContext): Promise<JournalStore> {
  return createJournalStore({ directory: await temporaryFolder(t), redactor: new Redactor(), log: nullLogger });
}

const said = (words: string): string[] => [`user: say ${words}`, `agent: ${words}`, 'end end_turn'];

describe('a new session with an id that the agent has used before', () => {
  it('it is a separate conversation on disk', async (t) => {
    const journals = await journalsOf(t);
    for (const words of ['first', 'second']) {
      const host = await hostOf(t, 'obedient', { journals });
      await (await host.newSession()).prompt(text(`say ${words}`));
      await host.stop();
    }
    const kept = await journals.list();
    assert.equal(new Set(kept.map(({ sessionId }) => sessionId)).size, 1);
    const states = await Promise.all(
      kept.map(({ sessionId, createdAt }) => readConversation(journals, 'obedient', sessionId, { createdAt })),
    );
    assert.deepEqual(
      states.map((state) => state && lines(state)),
      [said('second'), said('first')],
    );
  });

  it('it is the one that is loaded by that id', async (t) => {
    const journals = await journalsOf(t);
    let sessionId = '';
    for (const words of ['first', 'second']) {
      const host = await hostOf(t, 'obedient', { journals });
      const session = await host.newSession();
      sessionId = session.id;
      await session.prompt(text(`say ${words}`));
      await host.stop();
    }
    const host = await hostOf(t, 'obedient', { journals });
    assert.deepEqual(lines((await host.loadSession(sessionId)).state), said('second'));
  });

  it('it continues the earlier one, which stays in its own file', async (t) => {
    const journals = await journalsOf(t);
    const host = await hostOf(t, 'obedient', { journals });
    const first = await host.newSession();
    await first.prompt(text('say first'));
    await host.stop();
    const second = await host.newSession({ continues: first.id });
    assert.equal(second.id, first.id);
    await second.prompt(text('say second'));
    await host.stop();
    assert.deepEqual((await readSessionHistory(journals, 'obedient', second.id)).map(lines), [said('first'), said('second')]);
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
    assert.equal(one.value.state.createdAt, states[0]?.createdAt);
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
    await second.prompt(text('die 1'));
    await resuming;
    const loading = host.loadSession(earlier.sessionId, earlier);
    // The agent completes the load with its next request.
    void host.authenticate('in');
    await assert.rejects(loading, { code: 'session_unknown', params: { reason: 'id_reused', sessionId: first.id } });
    assert.deepEqual([second.live, host.sessions.get(second.id)], [true, second]);
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
