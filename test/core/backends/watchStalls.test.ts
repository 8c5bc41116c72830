import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isEvent, launch } from './launch.js';

const posix = { skip: process.platform === 'win32' ? 'the agent is woken by a signal' : false };

test(
  'while an agent does not read, the turn shows that and how much waits, and it reports when the agent reads again',
  posix,
  async (t) => {
    const agent = await launch(t, 'pausesReading');
    await agent.start();
    const session = await agent.newSession();
    const turn = agent.prompt(session, 'x'.repeat(4_000_000));
    const stalled = await agent.until(
      'stall',
      isEvent('wait', ({ wait }) => wait?.kind === 'not_reading'),
    );
    assert.ok(stalled.event.type === 'wait' && stalled.event.wait?.kind === 'not_reading' && stalled.event.wait.queuedBytes > 3_900_000);
    const opened = agent.traffic.find((entry) => entry.kind === 'message' && JSON.stringify(entry.message).includes('"pid":'));
    const pid = /"pid":(\d+)/.exec(JSON.stringify(opened))?.[1];
    process.kill(Number(pid), 'SIGUSR2');
    assert.deepEqual(await turn, { stopReason: 'end_turn' });
    assert.deepEqual(
      agent
        .sessionEvents()
        .flatMap((event) => (event.type === 'wait' ? [event.wait?.kind ?? null] : []))
        .slice(-2),
      ['not_reading', null],
    );
  },
);

describe('after the machine slept', () => {
  /** A sleep of the machine that the test triggers. */
  function sleeper(): { wake: { onWake: (listener: (sleptMs: number) => void) => { dispose: () => void } }; sleep: () => Promise<void> } {
    const listeners = new Set<(sleptMs: number) => unknown>();
    const onWake = (listener: (sleptMs: number) => unknown): { dispose: () => void } => {
      listeners.add(listener);
      return { dispose: () => void listeners.delete(listener) };
    };
    return { wake: { onWake }, sleep: async () => void (await Promise.all([...listeners].map((listener) => listener(600_000)))) };
  }

  test('an agent that responds in any way is not reported as silent', async (t) => {
    const { wake, sleep } = sleeper();
    const agent = await launch(t, 'obedient', [], { wake });
    await agent.start();
    await agent.newSession();
    await sleep();
    await agent.untilSent('the probe', (message) => message['method'] === '_acphost/ping');
    assert.deepEqual(
      agent.sessionEvents().filter(({ type }) => type === 'host_notice'),
      [],
    );
  });

  test('an agent that does not respond is reported in its conversations', async (t) => {
    const { wake, sleep } = sleeper();
    const agent = await launch(t, 'fallsAsleep', [], { wake, deadlines: { initializeMs: 20_000, sessionMs: 20_000, queryMs: 300 } });
    await agent.start();
    await agent.newSession();
    await sleep();
    const { event } = await agent.until('notice', isEvent('host_notice'));
    assert.equal(event.type === 'host_notice' ? event.code : '', 'agent_hangs_after_sleep');
    await agent.backend.close({ force: true });
    await sleep();
    assert.equal(agent.sessionEvents().filter(({ type }) => type === 'host_notice').length, 1, 'one that is gone is not asked');
  });

  test('no check is sent while a turn is running', async (t) => {
    const { wake, sleep } = sleeper();
    const agent = await launch(t, 'obedient', [], { wake });
    await agent.start();
    const session = await agent.newSession();
    const turn = agent.prompt(session, 'wait');
    await agent.until('the turn', isEvent('tool'));
    await sleep();
    session.cancel();
    await turn;
    assert.ok(!agent.traffic.some((entry) => entry.kind === 'message' && JSON.stringify(entry.message).includes('_acphost/ping')));
  });
});
