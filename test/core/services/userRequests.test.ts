import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { WakeWatch } from '../../../src/core/base/wake.js';
import { type RequestDeadlines, UserRequestRegistry } from '../../../src/core/services/userRequests.js';
import type { NewRequest } from '../../../src/core/services/hostServices.js';
import {
  closeReasonOf,
  type FormField,
  selectOption,
  selectedOption,
  type UserAnswer,
  type UserRequest,
} from '../../../src/core/session/userRequest.js';
import { type FakeTime, fakeTime } from '../base/fakeTime.js';

const never = new AbortController().signal;
const permission = (sessionId = 's', optionIds = ['yes', 'no']): NewRequest => ({
  kind: 'permission',
  sessionId,
  subject: { itemId: undefined, toolCallId: 'c', title: 'Run', toolKind: 'execute', rawInput: {}, content: [], locations: [] },
  options: optionIds.map((optionId) => ({ optionId, name: optionId, kind: optionId === 'yes' ? 'allow_once' : 'reject_once' })),
});
const question = (...choices: string[]): NewRequest => ({
  kind: 'form',
  sessionId: 's',
  message: 'Which?',
  fields: [
    { type: 'select', name: 'answer', required: true, choices: choices.map((value) => ({ value, label: value })), allowCustom: false },
  ],
});
const answering = (value: string): UserAnswer => ({ type: 'accept', values: { answer: value } });

function registry(): { requests: UserRequestRegistry; opened: UserRequest[]; closed: [string, UserAnswer][] } {
  const opened: UserRequest[] = [];
  const closed: [string, UserAnswer][] = [];
  const requests = new UserRequestRegistry(
    { opened: (request) => opened.push(request), closed: (request, answer) => closed.push([request.id, answer]) },
    { now: () => 0 },
  );
  return { requests, opened, closed };
}

describe('requests', () => {
  it('accept one answer, which must be an offered option', async () => {
    const { requests, opened, closed } = registry();
    const answer = requests.requestUser(permission(), never);
    const id = opened[0]?.id ?? '';
    assert.equal(requests.answer(id, selectOption('not offered')), false);
    assert.equal(requests.answer(id, answering('yes')), false);
    assert.equal(requests.answer(id, selectOption('no')), true);
    assert.equal(requests.answer(id, selectOption('yes')), false);
    assert.deepEqual(await answer, selectOption('no'));
    assert.equal(closed.length, 1);
  });

  it('without options are canceled immediately, and reported', async () => {
    const { requests, opened, closed } = registry();
    const answer = { type: 'cancel', why: 'no_options' };
    assert.deepEqual(await requests.requestUser(permission('s', []), never), answer);
    assert.deepEqual(closed, [[opened[0]?.id, answer]]);
    assert.deepEqual(await requests.requestUser(question(), never), answer);
  });

  it('leave out optional fields without choices, and default values that their fields do not allow', () => {
    const { requests, opened } = registry();
    const choices = [{ value: 'a', label: 'A' }];
    const base = { name: 'f', required: false } as const;
    const fields: readonly FormField[] = [
      { ...base, type: 'select', choices, allowCustom: false },
      { ...base, type: 'multiselect', choices, allowCustom: false },
      { ...base, type: 'integer', max: 10 },
      { ...base, type: 'text', format: 'date' },
    ];
    const withDefaults: readonly FormField[] = [
      { ...base, type: 'select', choices, allowCustom: false, defaultValue: 'gone' },
      { ...base, type: 'multiselect', choices, allowCustom: false, defaultValue: ['a', 'gone'] },
      { ...base, type: 'integer', max: 10, defaultValue: 99 },
      { ...base, type: 'text', format: 'date', defaultValue: 'today' },
      { ...base, type: 'select', choices: [], allowCustom: false },
    ];
    const kept: FormField = { ...base, type: 'select', choices, allowCustom: false, defaultValue: 'a' };
    void requests.requestUser({ kind: 'form', sessionId: 's', message: 'Which?', fields: [...withDefaults, kept] }, never);
    assert.deepEqual(opened[0]?.kind === 'form' && opened[0].fields, [...fields, kept]);
  });

  it('that nobody decides are answered with the reject option during a turn, or canceled if there is none', async () => {
    const { requests, opened, closed } = registry();
    const dismissed = requests.requestUser(permission(), never);
    assert.ok(requests.answer(opened[0]?.id ?? '', { type: 'cancel' }));
    assert.deepEqual(await dismissed, { ...selectOption('no'), why: 'dismissed' });
    const unasked = requests.requestUser(permission(), never);
    requests.answer(opened[1]?.id ?? '', { type: 'cancel', why: 'not_interactive' });
    assert.deepEqual(await unasked, { ...selectOption('no'), why: 'not_interactive' });
    assert.deepEqual(closed.at(-1), [opened[1]?.id, { ...selectOption('no'), why: 'not_interactive' }]);
    for (const request of [permission('s', ['yes']), question('a')]) {
      const answer = requests.requestUser(request, never);
      requests.answer(opened.at(-1)?.id ?? '', { type: 'cancel' });
      assert.deepEqual(await answer, { type: 'cancel' });
    }
  });

  it('are never answered with an option of an unknown kind by the host itself', async () => {
    const { requests, opened } = registry();
    const answer = requests.requestUser(
      { ...permission(), options: [{ optionId: 'x', name: 'Reject', kind: 'other' }] } as NewRequest,
      never,
    );
    requests.answer(opened[0]?.id ?? '', { type: 'cancel' });
    assert.deepEqual(await answer, { type: 'cancel' });
  });

  it('leave out options with an empty or ambiguous ID, and report them', async () => {
    const refused: unknown[] = [];
    const opened: UserRequest[] = [];
    const requests = new UserRequestRegistry(
      {
        opened: (request) => opened.push(request),
        closed: () => {},
        refused: (_, options) => refused.push(options.map(({ name }) => name)),
      },
      { now: () => 0 },
    );
    const option = (optionId: string, name: string, kind: 'allow_once' | 'allow_always' | 'reject_once') => ({ optionId, name, kind });
    const asking = { ...permission(), kind: 'permission' } as Extract<NewRequest, { kind: 'permission' }>;
    void requests.requestUser(
      {
        ...asking,
        options: [
          option('a', 'No', 'reject_once'),
          option('a', 'Yes, always', 'allow_always'),
          option('b', 'Yes', 'allow_once'),
          option('', 'What?', 'allow_once'),
          option('b', 'Yes', 'allow_once'),
          option('c', 'In the sandbox', 'allow_once'),
          option('c', 'Outside of the sandbox', 'allow_once'),
        ],
      },
      never,
    );
    const [request] = opened;
    assert.deepEqual(request?.kind === 'permission' && request.options.map(({ name }) => name), ['Yes']);
    assert.deepEqual(refused, [['No', 'Yes, always', 'What?', 'Yes', 'In the sandbox', 'Outside of the sandbox']]);
    const none = requests.requestUser({ ...asking, options: [option('', 'Yes', 'allow_once')] }, never);
    assert.deepEqual(await none, { type: 'cancel', why: 'no_options' });
  });

  it('of a canceled turn are canceled, and so are later ones until the next turn', async () => {
    const { requests, opened } = registry();
    const first = requests.requestUser(permission(), never);
    requests.cancelSession('s', 'turn_cancelled', { later: true });
    assert.deepEqual(await first, { type: 'cancel', why: 'turn_cancelled' });
    assert.deepEqual(await requests.requestUser(permission(), never), { type: 'cancel', why: 'turn_cancelled' });
    requests.allow('s');
    void requests.requestUser(permission(), never);
    assert.equal(opened.length, 2);
  });

  it('of another session stay open when a session is canceled', () => {
    const { requests, opened, closed } = registry();
    void requests.requestUser(permission('s'), never);
    void requests.requestUser(permission('other'), never);
    requests.cancelSession('s', 'turn_cancelled');
    assert.deepEqual(closed, [[opened[0]?.id, { type: 'cancel', why: 'turn_cancelled' }]]);
  });

  it('cannot be answered with the ID of a request of another host', () => {
    const [one, other] = [registry(), registry()];
    void one.requests.requestUser(permission(), never);
    void other.requests.requestUser(permission(), never);
    const [late] = one.opened;
    one.requests.dispose();
    assert.equal(other.requests.answer(late?.id ?? '', selectOption('yes')), false);
    assert.deepEqual(other.closed, []);
  });

  it('are canceled when the agent withdraws them', async () => {
    const { requests } = registry();
    const withdrawn = new AbortController();
    const answer = requests.requestUser(permission(), withdrawn.signal);
    withdrawn.abort();
    assert.deepEqual(await answer, { type: 'cancel', why: 'withdrawn' });
  });

  it('settle exactly once whatever happens, and never with an option that nobody chose', async () => {
    type Step = { do: 'ask' | 'answer' | 'cancel' | 'cancelLater' | 'allow' | 'dispose'; pick: number };
    const step: fc.Arbitrary<Step> = fc.record({
      do: fc.constantFrom('ask', 'answer', 'cancel', 'cancelLater', 'allow', 'dispose'),
      pick: fc.nat(5),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        const { requests, opened, closed } = registry();
        const promises: Promise<UserAnswer>[] = [];
        const chosen = new Set<string>();
        for (const { do: what, pick } of steps) {
          if (what === 'ask') promises.push(requests.requestUser(permission(), never));
          else if (what === 'answer') {
            const id = opened[pick]?.id ?? '';
            if (requests.answer(id, selectOption('yes'))) chosen.add(id);
          } else if (what === 'allow') requests.allow('s');
          else if (what === 'dispose') requests.dispose();
          else requests.cancelSession('s', 'turn_cancelled', { later: what === 'cancelLater' });
        }
        requests.dispose();
        const answers = await Promise.all(promises);
        assert.equal(answers.filter((answer) => selectedOption(answer) !== undefined).length, chosen.size);
        assert.equal(closed.length, opened.length);
        assert.deepEqual(
          closed
            .filter(([, answer]) => selectedOption(answer) !== undefined)
            .map(([id]) => id)
            .sort(),
          [...chosen].sort(),
        );
      }),
    );
  });
});

describe('requests with a deadline', () => {
  function registryWith(
    time: FakeTime,
    deadlines: RequestDeadlines,
  ): { requests: UserRequestRegistry; opened: UserRequest[]; closed: string[] } {
    const opened: UserRequest[] = [];
    const closed: string[] = [];
    const requests = new UserRequestRegistry(
      {
        opened: (request) => opened.push(request),
        closed: (request, answer) => closed.push(`${request.id} ${answer.type} ${closeReasonOf(answer)}`),
      },
      time.clock,
      deadlines,
      { wake: new WakeWatch(time.clock) },
    );
    return { requests, opened, closed };
  }

  it('report the deadline of their kind, and end undecided when it passes', async (t) => {
    const time = fakeTime(t);
    const { requests, opened, closed } = registryWith(time, { permissionMs: 60_000, questionMs: 10_000 });
    const [first, second] = [requests.requestUser(permission(), never), requests.requestUser(question('A'), never)];
    const now = time.clock.now();
    assert.deepEqual(
      opened.map(({ deadlineAt }) => deadlineAt),
      [now + 60_000, now + 10_000],
    );
    time.pass(9_999);
    assert.deepEqual(closed, []);
    time.pass(1);
    assert.deepEqual(await second, { type: 'cancel', why: 'deadline' });
    assert.equal(requests.answer(opened[1]?.id ?? '', answering('A')), false);
    time.pass(50_000);
    assert.deepEqual(await first, { ...selectOption('no'), why: 'deadline' });
    assert.deepEqual(closed, [`${opened[1]?.id} cancel deadline`, `${opened[0]?.id} accept deadline`]);
  });

  it('end at the timeout of the agent if that is earlier', async (t) => {
    const time = fakeTime(t);
    const { requests, opened } = registryWith(time, { permissionMs: 60_000 });
    const shorter = requests.requestUser({ ...permission(), timeoutMs: 1_000 }, never);
    void requests.requestUser({ ...permission(), timeoutMs: 90_000 }, never);
    void requests.requestUser({ ...question('A'), timeoutMs: 2_000 }, never);
    const now = time.clock.now();
    assert.deepEqual(
      opened.map(({ deadlineAt }) => deadlineAt),
      [now + 1_000, now + 60_000, now + 2_000],
    );
    assert.ok(opened.every((request) => !('timeoutMs' in request)));
    time.pass(1_000);
    assert.deepEqual(await shorter, { ...selectOption('no'), why: 'deadline' });
    requests.dispose();
  });

  it('accept an answer in time, and stay open if they have none', async (t) => {
    const time = fakeTime(t);
    const { requests, opened, closed } = registryWith(time, { permissionMs: 0, questionMs: 10_000 });
    const [first, second] = [requests.requestUser(permission(), never), requests.requestUser(question('A'), never)];
    assert.equal(opened[0]?.deadlineAt, undefined);
    assert.equal(requests.answer(opened[1]?.id ?? '', answering('A')), true);
    assert.deepEqual(await second, answering('A'));
    time.pass(24 * 60 * 60_000);
    assert.deepEqual(closed, [`${opened[1]?.id} accept undefined`]);
    requests.dispose();
    assert.deepEqual(await first, { type: 'cancel', why: 'session_closed' });
  });

  it('end on wake-up if the machine slept past it, and otherwise keep it', async (t) => {
    const time = fakeTime(t);
    const { requests, opened, closed } = registryWith(time, { permissionMs: 60_000, questionMs: 3_600_000 });
    const first = requests.requestUser(permission(), never);
    void requests.requestUser(question('A'), never);
    time.sleep(600_000);
    time.pass(5_000);
    assert.deepEqual(await first, { ...selectOption('no'), why: 'deadline' });
    assert.deepEqual(closed, [`${opened[0]?.id} accept deadline`]);
    time.pass(2_995_000);
    assert.deepEqual(closed, [`${opened[0]?.id} accept deadline`, `${opened[1]?.id} cancel deadline`]);
  });

  it('can have one that is beyond the longest timer of Node', (t) => {
    const time = fakeTime(t);
    const { requests, closed } = registryWith(time, { permissionMs: 2 ** 40 });
    void requests.requestUser(permission(), never);
    time.pass(10_000);
    assert.deepEqual(closed, []);
    requests.dispose();
  });
});
