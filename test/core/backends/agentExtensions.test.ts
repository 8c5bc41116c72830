/** Extensions of ACP that several agents have: steering by a method, failures with their kind, and the end of a replay. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { HostError } from '../../../src/core/base/errors.js';
import type { SessionEvent } from '../../../src/core/session/event.js';
import { within } from '../../real/deadline.js';
import { launch, type Told } from './launch.js';

const words = (text: string) => [{ type: 'text', text }] as const;
const isEvent = (event: Told): event is Extract<Told, { type: 'event' }> => event.type === 'event';

describe('_session/steering', () => {
  test('a prompt reaches the running turn, and is shown in it', async (t) => {
    const agent = await launch(t, 'steersByMethod');
    await agent.start();
    const session = await agent.newSession();
    assert.deepEqual(session.deliveries, ['turn', 'steer']);
    const turn = agent.prompt(session, 'a');
    await agent.until('the turn', isEvent);
    await within(session.prompt('t', words('left'), 'steer'), 'steering');
    await turn;
    const said = agent.sessionEvents().flatMap((event) => (event.type === 'message' ? [[event.role, event.content]] : []));
    assert.deepEqual(said, [
      ['agent', ...words('begins a')],
      ['user', ...words('left')],
      ['agent', ...words('heard left')],
    ]);
  });

  for (const [refusal, code] of [
    ['ends', 'unsupported'],
    ['loses', 'request_failed'],
  ] as const)
    test(`a prompt that the agent does not take is not shown, and fails as ${code}`, async (t) => {
      const agent = await launch(t, 'steersByMethod');
      await agent.start();
      const session = await agent.newSession();
      const turn = agent.prompt(session, 'a');
      await agent.until('the turn', isEvent);
      await assert.rejects(session.prompt('t', words(refusal), 'steer'), { code });
      session.cancel();
      await turn;
      assert.ok(!agent.sessionEvents().some((event) => event.type === 'message' && event.role === 'user'));
    });

  test('a prompt that is not answered before its turn is over fails with it', async (t) => {
    const agent = await launch(t, 'steersByMethod');
    await agent.start();
    const session = await agent.newSession();
    const turn = agent.prompt(session, 'a');
    await agent.until('the turn', isEvent);
    await assert.rejects(within(session.prompt('t', words('ignored'), 'steer'), 'steering'), { code: 'cancelled' });
    await turn;
  });

  test('a prompt is not given to a turn that is being canceled, which would lose it', async (t) => {
    const agent = await launch(t, 'steersByMethod');
    await agent.start();
    const session = await agent.newSession();
    const turn = agent.prompt(session, 'a');
    await agent.until('the turn', isEvent);
    session.cancel();
    await assert.rejects(within(session.prompt('t', words('left'), 'steer'), 'steering'), { code: 'unsupported' });
    await turn;
    assert.ok(!agent.sessionEvents().some((event) => event.type === 'message' && event.role === 'user'));
  });

  test('an agent that does not offer it is never asked', async (t) => {
    const agent = await launch(t, 'elicits');
    await agent.start();
    const session = await agent.newSession();
    assert.deepEqual(session.deliveries, ['turn']);
    await assert.rejects(session.prompt('t', words('left'), 'steer'), { code: 'unsupported' });
  });
});

describe('a failure with its kind', () => {
  const failure = {
    id: 'f',
    revision: 1,
    category: 'service',
    severity: 'error',
    title: 'Overloaded.',
    details: 'Try later.',
    actions: ['retry'],
  };

  for (const [category, code] of [
    ['access', 'auth_required'],
    ['limit', 'provider_failed'],
    ['service', 'provider_failed'],
    ['connection', 'provider_failed'],
    ['request', 'request_failed'],
    ['unknown', 'request_failed'],
    ['constructor', 'request_failed'],
  ] as const)
    test(`of the category ${category} ends the turn as ${code}, with the words of the agent`, async (t) => {
      const agent = await launch(t, 'tellsItsFailures');
      await agent.start();
      const session = await agent.newSession();
      await assert.rejects(agent.prompt(session, JSON.stringify({ ...failure, category })), (error: unknown) => {
        assert.ok(error instanceof Error && 'code' in error && 'params' in error);
        assert.equal(error.code, code);
        assert.match(JSON.stringify(error.params), /Overloaded\.\\nTry later\./);
        return true;
      });
    });

  for (const [actions, code, remedies] of [
    [['login', 'retry'], 'auth_required', ['retry']],
    [['new_session', 'dance', 7], 'provider_failed', ['new_session']],
    ['no list', 'provider_failed', undefined],
  ] as const)
    test(`with the actions ${JSON.stringify(actions)} says what helps`, async (t) => {
      const agent = await launch(t, 'tellsItsFailures');
      await agent.start();
      const session = await agent.newSession();
      await assert.rejects(agent.prompt(session, JSON.stringify({ ...failure, actions })), (error: unknown) => {
        assert.ok(error instanceof HostError);
        assert.deepEqual([error.code, error.params['remedies']], [code, remedies]);
        return true;
      });
    });

  test('as a warning, or in a shape that is not known, does not fail the turn', async (t) => {
    const agent = await launch(t, 'tellsItsFailures');
    await agent.start();
    const session = await agent.newSession();
    for (const odd of [{ ...failure, severity: 'warning' }, { ...failure, title: '' }, { ...failure, revision: 'x' }, 7, null, 'no'])
      assert.equal((await agent.prompt(session, JSON.stringify(odd))).stopReason, 'end_turn');
  });

  test('outside of an answer is a notice, once for each revision', async (t) => {
    const agent = await launch(t, 'tellsItsFailures');
    await agent.start();
    const session = await agent.newSession();
    const next = { ...failure, revision: 2, title: 'Still overloaded.' };
    await agent.prompt(session, JSON.stringify([failure, failure, next, failure, { id: 'g' }, 'no']));
    const notices = agent
      .sessionEvents()
      .flatMap((event: SessionEvent) => (event.type === 'notice' ? [[event.severity, event.title, event.description]] : []));
    assert.deepEqual(notices, [
      ['error', 'Overloaded.', 'Try later.'],
      ['error', 'Still overloaded.', 'Try later.'],
    ]);
  });
});

test('what follows the mark for the end of a replay is new', async (t) => {
  const agent = await launch(t, 'tellsItsFailures');
  await agent.start();
  const session = await agent.resume('load', 's1');
  await session.replayed;
  const { event } = await agent.until('what is new', (told): told is Extract<Told, { type: 'event' }> => isEvent(told) && !told.isHistory);
  assert.ok(event.type === 'message' && event.content.type === 'text' && event.content.text === 'now');
});
