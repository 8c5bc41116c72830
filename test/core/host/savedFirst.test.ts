/** A prompt is on disk before the agent gets it, so that it survives if either process is killed. */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { AgentHost } from '../../../src/core/host/agentHost.js';
import type { AgentHostOptions, Session } from '../../../src/core/host/api.js';
import type { Journal } from '../../../src/core/journal/journalStore.js';
import { hostOf, lines, resumedAfterRestart, text } from './launch.js';

interface Lab {
  readonly host: AgentHost;
  readonly session: Session;
  /** What happened to the prompt, in order. */
  readonly order: readonly string[];
  /** Resolves when the host waits for the disk. */
  readonly asked: Promise<void>;
  /** Completes the write. */
  readonly take: () => void;
}

/** A disk that is slow to save the session from its first prompt on. */
async function slowDisk(t: TestContext, options: Pick<AgentHostOptions, 'restart'> = {}): Promise<Lab> {
  const order: string[] = [];
  let take = (): void => {};
  let ask = (): void => {};
  const asked = new Promise<void>((resolve) => (ask = resolve));
  const taken = new Promise<void>((resolve) => (take = resolve)).then(() => order.push('saved') > 0);
  const journal: Journal = {
    append: (events) => order.push(...events.flatMap(({ type }) => (type === 'turn_started' ? ['told'] : []))),
    flush() {
      if (order.includes('told')) ask();
      return taken;
    },
    close: () => Promise.resolve(),
  };
  // If the test fails here, nothing must wait for the write at the end.
  t.after(take);
  const host = await hostOf(t, 'obedient', { env: { OBEDIENT_UNIQUE_IDS: '1' }, ...options });
  const session = await host.newSession({ journal: () => journal });
  host.onTraffic((entry) => {
    if (entry.direction !== 'sent' || entry.kind !== 'message') return;
    const sent = JSON.stringify(entry.message);
    const [, method] = /"method":"session\/(prompt|cancel)"/.exec(sent) ?? [];
    if (method !== undefined && sent.includes(session.id)) order.push(method);
  });
  return { host, session, order, asked, take };
}

describe('saving a prompt', () => {
  it('the agent gets it only after it was saved', async (t) => {
    const { session, order, asked, take } = await slowDisk(t);
    const turn = session.prompt(text('say one'));
    await asked;
    take();
    assert.equal((await turn).type, 'ended');
    assert.deepEqual(order, ['told', 'saved', 'prompt']);
  });

  it('if the user stops its turn before that, the agent never gets it', async (t) => {
    const { session, order, asked, take } = await slowDisk(t);
    const turn = session.prompt(text('say one'));
    await asked;
    session.cancel();
    take();
    assert.deepEqual(await turn, { type: 'ended', stopReason: 'cancelled', silent: false });
    assert.deepEqual(order, ['told', 'saved']);
    assert.deepEqual(lines(session.state), ['user: say one', 'end cancelled']);
    await session.prompt(text('say two'));
    assert.deepEqual(lines(session.state).slice(2), ['user: say two', 'agent: two', 'end end_turn']);
  });

  it('if the agent is lost before that, it is left to the user', async (t) => {
    const { host, session, order, asked, take } = await slowDisk(t);
    const turn = session.prompt(text('say one'));
    await asked;
    const other = await host.newSession();
    await other.prompt(text('die 9'));
    take();
    assert.equal((await turn).type, 'interrupted');
    assert.deepEqual(order, ['told', 'saved']);
  });

  it('if the agent is lost and back before that, its turn stays interrupted', async (t) => {
    const { host, session, order, asked } = await slowDisk(t, { restart: { firstDelayMs: 20, maxDelayMs: 40 } });
    const turn = session.prompt(text('say one'));
    await asked;
    const other = await host.newSession();
    const resumed = resumedAfterRestart(host, session);
    void other.prompt(text('die 9'));
    const again = await resumed;
    assert.equal((await turn).type, 'interrupted');
    assert.deepEqual(order, ['told']);
    assert.equal(again.state.items.filter(({ kind }) => kind === 'turn_end').length, 1);
  });

  it('it does not wait for a disk that never responds', async (t) => {
    const { session, order } = await slowDisk(t);
    assert.equal((await session.prompt(text('say one'))).type, 'ended');
    assert.deepEqual(order, ['told', 'prompt']);
  });
});
