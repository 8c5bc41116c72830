import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { WakeWatch } from '../../../src/core/base/wake.js';
import { type AskDeadlines, UserRequestRegistry } from '../../../src/core/services/userRequests.js';
import type { AskRequest } from '../../../src/core/services/hostServices.js';
import type { Ask, AskAnswer } from '../../../src/core/session/model.js';
import { type FakeTime, fakeTime } from '../base/fakeTime.js';

const never = new AbortController().signal;
const permission = (sessionId = 's', optionIds = ['yes', 'no']): AskRequest => ({
  kind: 'permission',
  sessionId,
  alwaysScope: undefined,
  subject: { itemId: undefined, toolCallId: 'c', title: 'Run', toolKind: 'execute', rawInput: {}, content: [], locations: [] },
  options: optionIds.map((optionId) => ({ optionId, name: optionId, kind: optionId === 'yes' ? 'allow_once' : 'reject_once' })),
});
const question = (options: string[], multiple: boolean, allowCustom: boolean): AskRequest => ({
  kind: 'question',
  sessionId: 's',
  header: undefined,
  question: 'Which?',
  options,
  multiple,
  allowCustom,
});

function registry(): { asks: UserRequestRegistry; opened: Ask[]; closed: [string, AskAnswer][] } {
  const opened: Ask[] = [];
  const closed: [string, AskAnswer][] = [];
  const asks = new UserRequestRegistry(
    { opened: (ask) => opened.push(ask), closed: (ask, answer) => closed.push([ask.id, answer]) },
    { now: () => 0 },
  );
  return { asks, opened, closed };
}

describe('asks', () => {
  it('are answered by an offered option, once', async () => {
    const { asks, opened, closed } = registry();
    const answer = asks.ask(permission(), never);
    const id = opened[0]?.id ?? '';
    assert.equal(asks.answer(id, { type: 'selected', optionId: 'not offered' }), false);
    assert.equal(asks.answer(id, { type: 'answered', text: 'yes' }), false);
    assert.equal(asks.answer(id, { type: 'selected', optionId: 'no' }), true);
    assert.equal(asks.answer(id, { type: 'selected', optionId: 'yes' }), false);
    assert.deepEqual(await answer, { type: 'selected', optionId: 'no' });
    assert.equal(closed.length, 1);
  });

  it('without options are cancelled at once', async () => {
    const { asks, opened } = registry();
    assert.deepEqual(await asks.ask(permission('s', []), never), { type: 'cancelled', why: 'no_options' });
    assert.equal(opened.length, 0);
  });

  it('of a cancelled turn are cancelled, the later ones too, until the next turn', async () => {
    const { asks, opened } = registry();
    const first = asks.ask(permission(), never);
    asks.cancelSession('s', 'turn_cancelled', { later: true });
    assert.deepEqual(await first, { type: 'cancelled', why: 'turn_cancelled' });
    assert.deepEqual(await asks.ask(permission(), never), { type: 'cancelled', why: 'turn_cancelled' });
    asks.allow('s');
    void asks.ask(permission(), never);
    assert.equal(opened.length, 2);
  });

  it('of another session are left alone', () => {
    const { asks } = registry();
    void asks.ask(permission('s'), never);
    void asks.ask(permission('other'), never);
    asks.cancelSession('s', 'turn_cancelled');
    assert.deepEqual(
      asks.open.map((ask) => ask.sessionId),
      ['other'],
    );
  });

  it('go away when the agent withdraws them', async () => {
    const { asks } = registry();
    const withdrawn = new AbortController();
    const answer = asks.ask(permission(), withdrawn.signal);
    withdrawn.abort();
    assert.deepEqual(await answer, { type: 'cancelled', why: 'withdrawn' });
  });

  it('take only what a question allows', () => {
    const { asks, opened } = registry();
    void asks.ask(question(['A', 'B, C'], true, false), never);
    const id = opened[0]?.id ?? '';
    assert.equal(asks.answer(id, { type: 'answered', text: 'A, D' }), false);
    assert.equal(asks.answer(id, { type: 'answered', text: '' }), false);
    assert.equal(asks.answer(id, { type: 'answered', text: 'A, B, C' }), true);
  });

  it('whatever happens, each settles exactly once and never with an option that nobody chose', async () => {
    type Step = { do: 'ask' | 'answer' | 'cancel' | 'cancelLater' | 'allow' | 'dispose'; pick: number };
    const step: fc.Arbitrary<Step> = fc.record({
      do: fc.constantFrom('ask', 'answer', 'cancel', 'cancelLater', 'allow', 'dispose'),
      pick: fc.nat(5),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        const { asks, opened, closed } = registry();
        const promises: Promise<AskAnswer>[] = [];
        const chosen = new Set<string>();
        for (const { do: what, pick } of steps) {
          if (what === 'ask') promises.push(asks.ask(permission(), never));
          else if (what === 'answer') {
            const id = opened[pick]?.id ?? '';
            if (asks.answer(id, { type: 'selected', optionId: 'yes' })) chosen.add(id);
          } else if (what === 'allow') asks.allow('s');
          else if (what === 'dispose') asks.dispose();
          else asks.cancelSession('s', 'turn_cancelled', { later: what === 'cancelLater' });
        }
        asks.dispose();
        const answers = await Promise.all(promises);
        assert.equal(answers.filter((answer) => answer.type === 'selected').length, chosen.size);
        assert.equal(closed.length, opened.length);
        assert.deepEqual(
          closed
            .filter(([, answer]) => answer.type === 'selected')
            .map(([id]) => id)
            .sort(),
          [...chosen].sort(),
        );
      }),
    );
  });
});

describe('asks with a deadline', () => {
  function registryWith(time: FakeTime, deadlines: AskDeadlines): { asks: UserRequestRegistry; opened: Ask[]; closed: string[] } {
    const opened: Ask[] = [];
    const closed: string[] = [];
    const asks = new UserRequestRegistry(
      {
        opened: (ask) => opened.push(ask),
        closed: (ask, answer) => closed.push(`${ask.id} ${answer.type === 'cancelled' ? `cancelled ${answer.why}` : answer.type}`),
      },
      time.clock,
      deadlines,
      new WakeWatch(time.clock),
    );
    return { asks, opened, closed };
  }

  it('say when it is, and end as cancelled then, each kind at its own', async (t) => {
    const time = fakeTime(t);
    const { asks, opened, closed } = registryWith(time, { permissionMs: 60_000, questionMs: 10_000 });
    const [first, second] = [asks.ask(permission(), never), asks.ask(question(['A'], false, false), never)];
    const now = time.clock.now();
    assert.deepEqual(
      opened.map(({ deadlineAt }) => deadlineAt),
      [now + 60_000, now + 10_000],
    );
    time.pass(9_999);
    assert.deepEqual(closed, []);
    time.pass(1);
    assert.deepEqual(await second, { type: 'cancelled', why: 'deadline' });
    assert.equal(asks.answer('ask2', { type: 'answered', text: 'A' }), false);
    time.pass(50_000);
    assert.deepEqual(await first, { type: 'cancelled', why: 'deadline' });
    assert.deepEqual(closed, ['ask2 cancelled deadline', 'ask1 cancelled deadline']);
  });

  it('without one wait for ever, and an answer in time counts', async (t) => {
    const time = fakeTime(t);
    const { asks, opened } = registryWith(time, { permissionMs: 0, questionMs: 10_000 });
    const [first, second] = [asks.ask(permission(), never), asks.ask(question(['A'], false, false), never)];
    assert.equal(opened[0]?.deadlineAt, undefined);
    assert.equal(asks.answer('ask2', { type: 'answered', text: 'A' }), true);
    assert.deepEqual(await second, { type: 'answered', text: 'A' });
    time.pass(24 * 60 * 60_000);
    assert.deepEqual(
      asks.open.map(({ id }) => id),
      ['ask1'],
    );
    asks.dispose();
    assert.deepEqual(await first, { type: 'cancelled', why: 'session_closed' });
  });

  it('of a machine that slept past it end when it wakes; the others keep their time', async (t) => {
    const time = fakeTime(t);
    const { asks, closed } = registryWith(time, { permissionMs: 60_000, questionMs: 3_600_000 });
    const first = asks.ask(permission(), never);
    void asks.ask(question(['A'], false, false), never);
    time.sleep(600_000);
    time.pass(5_000);
    assert.deepEqual(await first, { type: 'cancelled', why: 'deadline' });
    assert.deepEqual(closed, ['ask1 cancelled deadline']);
    time.pass(2_995_000);
    assert.deepEqual(closed, ['ask1 cancelled deadline', 'ask2 cancelled deadline']);
  });

  it('may be further away than a timer of Node reaches', (t) => {
    const time = fakeTime(t);
    const { asks, closed } = registryWith(time, { permissionMs: 2 ** 40 });
    void asks.ask(permission(), never);
    time.pass(10_000);
    assert.deepEqual(closed, []);
    asks.dispose();
  });
});
