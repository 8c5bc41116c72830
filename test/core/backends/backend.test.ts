/** The ACP backend with agents that stretch the protocol. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isEvent, launch, rejects } from './launch.js';
import { HostError, toHostError } from '../../../src/core/base/errors.js';
import { MODE_OPTION_ID, selectOf } from '../../../src/core/session/sessionOption.js';
import { selectOption } from '../../../src/core/session/userRequest.js';

describe('session/load', () => {
  test('the replay is complete before load resolves, and open items in it are closed', async (t) => {
    const agent = await launch(t, 'replaysThenAnswers');
    await agent.start();
    const opened = await agent.resume('load', 'old');
    assert.deepEqual([opened.id, opened.options], ['old', []]);
    const events = agent.sessionEvents();
    assert.ok(
      agent.events.every((told) => told.type !== 'event' || told.isHistory),
      'all of it was said before',
    );
    assert.equal(events.filter((event) => event.type === 'message' && event.role === 'agent').length, 50);
    const cards = new Set(events.flatMap((event) => (event.type === 'tool' ? [event.id] : [])));
    assert.equal(cards.size, 51, 'one toolCallId in fifty turns is fifty cards');
    assert.deepEqual(events.at(-1)?.type === 'tool' && events.at(-1), {
      ...events.at(-1),
      toolCallId: 'open',
      patch: { status: 'unreported' },
    });
  });

  test('if the agent cannot load sessions, the host says so without sending anything', async (t) => {
    const agent = await launch(t, 'speaksBeforeSession');
    await agent.start();
    await rejects(agent.resume('load', 'old'), 'unsupported');
    assert.ok(!agent.traffic.some((entry) => JSON.stringify(entry).includes('session/load')));
  });
});

describe('session/new', () => {
  test('messages before the answer that names the session are delivered in order, including requests', async (t) => {
    const agent = await launch(t, 'speaksBeforeSession');
    await agent.start();
    assert.equal((await agent.newSession()).id, 'early');
    const ask = await agent.nextRequest();
    assert.equal(ask.request.sessionId, 'early');
    ask.answer(selectOption('yes'));
    await agent.until(
      'answer',
      isEvent('message', ({ content }) => content.type === 'text' && content.text.startsWith('answer')),
    );
    assert.equal(agent.text(), 'one two three answer yes');
    assert.ok(agent.events.every((event) => event.type === 'closed' || event.sessionId === 'early'));
    assert.ok(agent.warnings.some((warning) => warning.includes('never opened')));
  });
});

describe('a session that opens too late', () => {
  for (const method of ['fork', 'new'] as const)
    test(`${method}: what belongs to it is nobody's, and it is closed`, async (t) => {
      const deadlines = { initializeMs: 20_000, sessionMs: 1_000, queryMs: 20_000 };
      const agent = await launch(t, 'opensTooLate', [], { deadlines });
      await agent.start();
      const session = await agent.newSession();
      await rejects(method === 'fork' ? agent.fork(session.id) : agent.newSession(), 'request_timeout');
      await agent.prompt(session, 'hello');
      assert.equal(agent.text(), 'yours');
      await agent.untilSent('close', ({ method: sent, params }) => {
        return sent === 'session/close' && JSON.stringify(params) === '{"sessionId":"late"}';
      });
      assert.deepEqual(
        agent.events.flatMap((told) => (told.type === 'begin' ? [told.sessionId] : [])),
        ['s1'],
      );
    });

  test('a fork that is the open session itself is refused', async (t) => {
    const agent = await launch(t, 'opensTooLate');
    await agent.start();
    const session = await agent.newSession();
    await rejects(agent.fork(session.id, 'same'), 'invalid_response');
    await agent.prompt(session, 'hello');
    assert.equal(agent.text(), 'yours');
  });
});

describe('values unknown to the protocol', () => {
  test('unknown updates, blocks, kinds and statuses are logged, and the turn continues to its end, which is no success if its reason is unknown', async (t) => {
    const agent = await launch(t, 'speaksTomorrow');
    await agent.start();
    const opened = await agent.newSession();
    assert.deepEqual(
      opened.options.map(({ id, currentValue }) => [id, currentValue]),
      [
        [MODE_OPTION_ID, 'https://agent.example/mode#1'],
        ['model', 'a'],
      ],
      'an option of an unknown type is no option',
    );
    const turn = agent.prompt(opened, 'go').catch(toHostError);
    const ask = await agent.nextRequest();
    assert.ok(ask.request.kind === 'permission');
    assert.deepEqual(
      ask.request.options.map(({ optionId, name, kind }) => [optionId, name, kind]),
      [
        ['a', 'Allow for a day', 'other'],
        ['b', 'b', 'reject_once'],
      ],
    );
    assert.equal(ask.request.subject.title, 'Deploy');
    ask.answer(selectOption('a'));
    const end = await turn;
    assert.ok(end instanceof HostError);
    assert.deepEqual([end.code, end.params.reason, end.params['stopReason']], ['request_failed', 'stop_reason', 'bored']);
    assert.equal(agent.text(), '[content of type "hologram" that cannot be shown]-32601 a');
    const events = agent.sessionEvents();
    assert.deepEqual(events.find((event) => event.type === 'plan')?.entries, [{ content: 'step', priority: 'medium', status: 'pending' }]);
    const first = events.find((event) => event.type === 'tool');
    assert.deepEqual(first?.patch, {
      title: 'Deploy',
      status: 'pending',
      content: [
        { type: 'content', content: { type: 'text', text: '[content of type "hologram" that cannot be shown]' } },
        { type: 'content', content: { type: 'text', text: 'bare' } },
      ],
    });
    assert.deepEqual(events.find((event) => event.type === 'notice')?.severity, 'info');
    assert.deepEqual(events.find((event) => event.type === 'commands')?.commands, [{ name: 'go', description: '' }]);
    for (const left of [
      'unknown update "hologram"',
      'no `sessionUpdate`',
      '_agent.example/pulse',
      '_agent.example/teleport',
      'session/update without',
    ]) {
      assert.ok(
        agent.warnings.some((warning) => warning.includes(left)),
        left,
      );
    }
  });

  test('an unknown update is passed on unchanged', async (t) => {
    const agent = await launch(t, 'speaksTomorrow');
    await agent.start();
    const turn = agent.prompt(await agent.newSession(), 'go').catch(toHostError);
    (await agent.nextRequest()).answer({ type: 'cancel' });
    await turn;
    const unknown = agent.sessionEvents().flatMap((event) => (event.type === 'extension' ? [event] : []));
    assert.deepEqual(
      unknown.filter(({ kind }) => kind === 'hologram').map(({ payload }) => payload),
      [{ sessionUpdate: 'hologram', of: 'something' }],
    );
  });
});

describe('races with cancel', () => {
  for (const [word, stopReason] of [
    ['endsAnyway', 'cancelled'],
    ['fails', 'cancelled'],
    ['refusesAsCancelled', 'cancelled'],
  ] as const) {
    test(`${word}: the turn ends as ${stopReason}`, async (t) => {
      const agent = await launch(t, 'racesWithCancel');
      await agent.start();
      const session = await agent.newSession();
      const turn = agent.prompt(session, word);
      await agent.until('begun', isEvent('message'));
      session.cancel();
      assert.deepEqual(await turn, { stopReason });
    });
  }

  test('an error without a cancel fails the turn', async (t) => {
    const agent = await launch(t, 'racesWithCancel');
    await agent.start();
    const error = await rejects(agent.prompt(await agent.newSession(), 'no such word'), 'request_failed');
    assert.equal(error.params['code'], -32603);
  });

  test('after the cancel, an open request and all later ones of the turn are answered with cancelled, without asking the user', async (t) => {
    const agent = await launch(t, 'racesWithCancel');
    await agent.start();
    const session = await agent.newSession();
    const turn = agent.prompt(session, 'asksLater');
    const ask = await agent.nextRequest();
    session.cancel();
    assert.equal(ask.signal.aborted, true);
    assert.deepEqual(await turn, { stopReason: 'cancelled' });
    assert.equal(agent.text(), 'begun cancelled cancelled cancelled');
    const sent = agent.traffic.filter((entry) => entry.direction === 'sent').map((entry) => JSON.stringify(entry));
    assert.ok(
      sent.findIndex((line) => line.includes('session/cancel')) < sent.findIndex((line) => line.includes('"outcome":"cancelled"')),
      'first the cancel',
    );
  });

  test('a question after the cancel is answered with cancelled', async (t) => {
    const agent = await launch(t, 'racesWithCancel');
    await agent.start();
    const session = await agent.newSession();
    const turn = agent.prompt(session, 'questionsLater');
    await agent.until('begun', isEvent('message'));
    session.cancel();
    await turn;
    assert.equal(agent.text(), 'begun cancelled');
  });

  test('a cancel is sent once, however often it is requested', async (t) => {
    const agent = await launch(t, 'racesWithCancel');
    await agent.start();
    const session = await agent.newSession();
    const turn = agent.prompt(session, 'answersLate');
    await agent.until('begun', isEvent('message'));
    session.cancel();
    session.cancel();
    await new Promise((resolve) => setTimeout(resolve, 0));
    session.cancel();
    assert.deepEqual(await turn, { stopReason: 'cancelled' });
    const cancels = agent.traffic.filter((entry) => JSON.stringify(entry).includes('session/cancel'));
    assert.equal(cancels.length, 1);
  });

  test('for an agent that is known to lose a cancel which overtakes its prompt, it is repeated while the turn is running', async (t) => {
    const agent = await launch(t, 'racesWithCancel', ['agentao']);
    await agent.start();
    const session = await agent.newSession();
    const turn = agent.prompt(session, 'needsThree');
    await agent.until('begun', isEvent('message'));
    session.cancel();
    assert.deepEqual(await turn, { stopReason: 'cancelled' });
    const cancels = agent.traffic.filter((entry) => JSON.stringify(entry).includes('session/cancel'));
    assert.equal(cancels.length, 3);
  });

  test('open tool calls are cancelled at the end of their turn; a late result still counts, and finished calls do not change', async (t) => {
    const agent = await launch(t, 'racesWithCancel');
    await agent.start();
    const session = await agent.newSession();
    const turn = agent.prompt(session, 'leavesOpen');
    await agent.until(
      'card',
      isEvent('tool', ({ toolCallId }) => toolCallId === 'c2'),
    );
    session.cancel();
    await turn;
    const tools = (): readonly unknown[] =>
      agent.sessionEvents().flatMap((event) => (event.type === 'tool' ? [[event.id, event.patch.status]] : []));
    assert.deepEqual(tools(), [
      ['t1/c1', 'in_progress'],
      ['t1/c2', 'completed'],
      ['t1/c1', 'cancelled'],
    ]);
    await agent.prompt(session, 'late');
    assert.deepEqual(tools().at(-1), ['t1/c1', 'failed']);
  });

  test('a cancel without a turn sends nothing', async (t) => {
    const agent = await launch(t, 'racesWithCancel');
    await agent.start();
    (await agent.newSession()).cancel();
    await agent.backend.close();
    assert.ok(!agent.traffic.some((entry) => JSON.stringify(entry).includes('session/cancel')));
  });

  test('of two prompts at once, the host refuses the second, and the agent never gets it', async (t) => {
    const agent = await launch(t, 'racesWithCancel');
    await agent.start();
    const session = await agent.newSession();
    const turn = agent.prompt(session, 'endsAnyway');
    await rejects(agent.prompt(session, 'endsAnyway'), 'session_busy');
    session.cancel();
    await turn;
  });
});

test('null or missing params and results are accepted', async (t) => {
  const agent = await launch(t, 'answersNull');
  const info = await agent.start();
  assert.deepEqual([info.name, info.version, info.capabilities, info.authMethods], ['answersNull', undefined, {}, []]);
  const session = await agent.newSession();
  await session.setOption(MODE_OPTION_ID, 'm');
  await session.setOption('c', true);
  assert.deepEqual(session.options, [], 'what is not offered is not there');
  assert.deepEqual(await agent.prompt(session, 'go'), { stopReason: 'end_turn' });
  await agent.untilSent('answer to the bare request', (message) => message['id'] === 'bare' && message['error'] !== undefined);
});

test('an option change answered with null takes effect as requested', async (t) => {
  const agent = await launch(t, 'answersNull', ['offers']);
  await agent.start();
  const session = await agent.newSession();
  await session.setOption(MODE_OPTION_ID, 'm');
  await session.setOption('c', true);
  assert.deepEqual(
    agent.sessionEvents().map((event) => event.type === 'options' && event.options.map(({ id, currentValue }) => [id, currentValue])),
    [
      [
        [MODE_OPTION_ID, 'm'],
        ['c', false],
      ],
      [
        [MODE_OPTION_ID, 'm'],
        ['c', true],
      ],
    ],
  );
});

describe('authentication', () => {
  test('-32000 in any answer becomes auth_required with the sign-in methods; after signing in, the same call succeeds', async (t) => {
    const agent = await launch(t, 'isSignedOut');
    const info = await agent.start();
    const ids = ['browser', 'key', 'wizard'];
    assert.deepEqual(
      info.authMethods.map(({ id }) => id),
      ids,
      'a terminal method that cannot be read is none',
    );
    const error = await rejects(agent.newSession(), 'auth_required');
    assert.deepEqual(
      (error.params['authMethods'] as { id: string }[]).map(({ id }) => id),
      ids,
    );
    await rejects(agent.resume('load', 'old'), 'auth_required');
    await agent.backend.authenticate?.('key');
    const session = await agent.newSession();
    await agent.prompt(session, 'hello');
    assert.equal(agent.text(), 'in');
    await rejects(agent.prompt(session, 'expire'), 'auth_required');
  });

  test('a terminal sign-in method is never passed to `authenticate`', async (t) => {
    const agent = await launch(t, 'isSignedOut');
    await agent.start();
    await rejects(Promise.resolve(agent.backend.authenticate?.('wizard')), 'usage');
    await rejects(Promise.resolve(agent.backend.authenticate?.('nobody')), 'usage');
    assert.ok(!agent.traffic.some((entry) => entry.direction === 'sent' && JSON.stringify(entry).includes('"authenticate"')));
  });

  test('terminal sign-in is only declared if the front end supports it', async (t) => {
    const agent = await launch(t, 'isSignedOut', [], { terminalAuth: false });
    assert.deepEqual(
      (await agent.start()).authMethods.map(({ id }) => id),
      ['browser', 'key'],
    );
  });
});

describe('legacy forms', () => {
  test('`models` become an option that is set with session/set_model', async (t) => {
    const agent = await launch(t, 'speaksYesterday');
    await agent.start();
    const opened = await agent.newSession();
    const option = selectOf(opened.options, 'model') ?? assert.fail('no model');
    assert.deepEqual(
      [option.currentValue, option.choices],
      [
        'vendor/a',
        [
          { value: 'vendor/a', name: 'A' },
          { value: 'vendor/$(b)', name: 'B', description: 'bigger' },
        ],
      ],
    );
    await opened.setOption(option.id, 'vendor/$(b)');
    await agent.prompt(opened, 'which?');
    assert.equal(agent.text(), 'vendor/$(b)');
    const changed = agent.sessionEvents().find((event) => event.type === 'options');
    assert.equal(selectOf(changed?.options ?? [], 'model')?.currentValue, 'vendor/$(b)');
  });

  test('`modeId` in a mode update is accepted, and the change is reported once', async (t) => {
    const agent = await launch(t, 'speaksYesterday');
    await agent.start();
    await (await agent.newSession()).setOption(MODE_OPTION_ID, 'code');
    assert.deepEqual(
      agent.sessionEvents().map((event) => event.type === 'options' && selectOf(event.options, 'mode')?.currentValue),
      ['code'],
    );
  });
});
