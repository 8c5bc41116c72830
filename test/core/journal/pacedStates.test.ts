/** The size on disk of what only the last state matters of: plan, commands, options, title, usage. */
import assert from 'node:assert/strict';
import { stat } from 'node:fs/promises';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { Pacer } from '../../../src/core/journal/pacer.js';
import type { SessionEvent } from '../../../src/core/session/event.js';
import { emptySession, reduceAll } from '../../../src/core/session/reducer.js';
import { anyEvent } from '../session/arbitraryEvents.js';
import { anyTypedEvent } from '../session/eventsByType.js';
import { ended, header, lastState, openLab, readAll, started } from './journalLab.js';

const long = (update: number): string => `${update} `.padEnd(15_000, 'step ');
const floods: Readonly<Record<string, (update: number) => SessionEvent>> = {
  plan: (update) => ({ type: 'plan', at: update, entries: [{ content: long(update), priority: 'high', status: 'pending' }] }),
  markdown: (update) => ({ type: 'plan', at: update, planId: 'p', entries: [], text: { markdown: long(update) } }),
  commands: (update) => ({ type: 'commands', at: update, commands: [{ name: 'a', description: long(update) }] }),
  options: (update) => ({
    type: 'options',
    at: update,
    options: [{ type: 'boolean', id: 'a', name: long(update), currentValue: true }],
  }),
  title: (update) => ({ type: 'info', at: update, title: long(update) }),
  usage: (update) => ({ type: 'usage', at: update, usage: { used: update, size: 1e6, cost: undefined } }),
};

describe('an agent that repeats itself', () => {
  for (const [what, event] of Object.entries(floods)) {
    it(`${what}: 3,000 updates in a second take little more than the first and the last one, which is saved`, async (t) => {
      let now = 0;
      t.mock.method(performance, 'now', () => now);
      const lab = await openLab(t);
      const journal = lab.open('s', true);
      const events = [started('t1'), ...Array.from({ length: 3_000 }, (_, index) => event(index)), ended('t1')];
      for (const one of events) {
        journal.append([one]);
        now += 1 / 3;
      }
      await journal.close();
      const [file = ''] = await lab.files();
      assert.ok((await stat(file)).size < 100_000);
      const kept = await readAll(lab.store, 's');
      const empty = emptySession('s', '/workspace', 1);
      assert.deepEqual(
        reduceAll(empty, kept?.events ?? []),
        reduceAll(
          empty,
          events.map((one) => JSON.parse(JSON.stringify(one))),
        ),
      );
    });
  }

  it('in a long turn, a journal grows more slowly the more was replaced', async (t) => {
    let now = 0;
    t.mock.method(performance, 'now', () => now);
    const lab = await openLab(t, { limits: { perSessionBytes: 1e9 } });
    const journal = lab.open('s', true);
    journal.append([started('t1')]);
    for (let second = 0; second < 3_600; second++) {
      journal.append([floods['plan']?.(second) ?? assert.fail()]);
      now += 1_000;
    }
    journal.append([ended('t1')]);
    await journal.close();
    const [file = ''] = await lab.files();
    const { size } = await stat(file);
    assert.ok(size < 5_000_000, `${size} bytes`);
  });
});

it('what was combined is read back to the state that was seen, whenever it was written', async (t) => {
  let now = 0;
  t.mock.method(performance, 'now', () => now);
  const lab = await openLab(t);
  let sessions = 0;
  const plans = fc.array(
    fc.record({
      content: fc.string(),
      priority: fc.constant('low' as const),
      status: fc.constantFrom('pending' as const, 'completed' as const),
    }),
    { maxLength: 1 },
  );
  const anyPlan = fc.oneof(
    plans.map((entries): SessionEvent => ({ type: 'plan', at: 2, entries })),
    fc.tuple(plans, fc.constantFrom('p1', 'p2')).map(([entries, planId]): SessionEvent => ({ type: 'plan', at: 2, planId, entries })),
    fc
      .tuple(fc.string(), fc.constantFrom('p1', 'p2'))
      .map(([markdown, planId]): SessionEvent => ({ type: 'plan', at: 2, planId, entries: [], text: { markdown } })),
  );
  const steps = fc.array(fc.tuple(fc.oneof(anyTypedEvent, anyPlan), fc.constantFrom(0, 0, 500, 90_000)), { maxLength: 30 });
  const asJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
  await fc.assert(
    fc.asyncProperty(steps, async (timed) => {
      const sessionId = `s${++sessions}`;
      const journal = lab.open(sessionId, true);
      const events = [started('t0'), ...timed.map(([event]) => event)];
      journal.append([started('t0')]);
      for (const [event, ms] of timed) {
        journal.append([event]);
        now += ms;
      }
      await journal.close();
      const last: SessionEvent = { type: 'opened', at: 1, cwd: '/workspace', by: 'loaded' };
      const expected = reduceAll(emptySession(sessionId, '/workspace', 1, header(sessionId).id), [...events, last]);
      assert.deepEqual(asJson(await lastState(lab.store, sessionId)), asJson(expected));
    }),
    { numRuns: 100 },
  );
});

it('for any events at once, also if the clock is set back, what is written has the state that was shown', () => {
  const empty = emptySession('s', '/workspace', 1);
  const has = (events: readonly SessionEvent[]): void => {
    const written: SessionEvent[] = [];
    const write = (event: SessionEvent): { readonly text: string; readonly isCut: boolean } => {
      written.push(event);
      return { text: JSON.stringify(event), isCut: false };
    };
    const pacer = new Pacer({ now: () => 0, write });
    for (const event of events) pacer.push(event);
    pacer.flush();
    assert.deepEqual(reduceAll(empty, written), reduceAll(empty, events));
  };
  const update = (at: number, status?: 'completed'): SessionEvent => ({
    type: 'tool',
    at,
    id: 'x',
    toolCallId: 'x',
    patch: status === undefined ? {} : { status },
  });
  has([started('t1'), update(1), update(2), update(1)]);
  has([started('t1'), update(1), update(3), update(2, 'completed')]);
  fc.assert(
    fc.property(fc.array(anyEvent, { maxLength: 20 }), (events) => has([started('t1'), ...events])),
    { numRuns: 2_000 },
  );
});
