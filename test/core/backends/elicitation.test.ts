/** Forms and pages that an agent asks for, and questions in the form of permission requests. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, test } from 'node:test';
import { isFilledIn } from '../../../src/core/services/isAcceptable.js';
import type { FormField, UserRequest } from '../../../src/core/session/userRequest.js';
import { asked, type Fields, withAnswer } from './asked.js';
import { launch, type Told } from './launch.js';

describe('elicitation/create', () => {
  const form = (properties: Fields, required: readonly string[] = []): Fields => ({
    mode: 'form',
    message: 'How?',
    requestedSchema: { type: 'object', title: 'Setup', description: 'Once only.', properties, required },
  });

  test('a form has each type of field, with limits and default', async (t) => {
    const properties = {
      name: { type: 'string', title: 'Name', minLength: 1, maxLength: 9, pattern: '^a', default: 'a' },
      mail: { type: 'string', format: 'email' },
      color: { type: 'string', oneOf: [{ const: '#f00', title: 'Red', description: 'like fire' }, { const: '#00f' }], default: '#00f' },
      size: { type: 'string', enum: ['S', 'L'], enumNames: ['Small'] },
      port: { type: 'integer', minimum: 1, maximum: 9, default: 7 },
      ratio: { type: 'number', description: 'How much' },
      open: { type: 'boolean', default: true },
      parts: { type: 'array', minItems: 1, maxItems: 2, items: { anyOf: [{ const: 'x', title: 'X' }] }, default: ['x'] },
      later: { type: 'hologram' },
      broken: 7,
    };
    let request: UserRequest | undefined;
    const { told } = await asked(t, 'elicitation/create', form(properties, ['name', 'open']), (one) => {
      request = one.request;
      one.answer({ type: 'accept', values: { name: 'ab', open: false, parts: ['x'] } });
    });
    assert.ok(request?.kind === 'form');
    assert.deepEqual([request.title, request.message, request.canDecline], ['Setup', 'How?\n\nOnce only.', true]);
    const fields: readonly FormField[] = [
      { type: 'text', name: 'name', required: true, label: 'Name', defaultValue: 'a', minLength: 1, maxLength: 9, pattern: '^a' },
      { type: 'text', name: 'mail', required: false, format: 'email' },
      {
        type: 'select',
        name: 'color',
        required: false,
        choices: [
          { value: '#f00', label: 'Red', description: 'like fire' },
          { value: '#00f', label: '#00f' },
        ],
        allowCustom: false,
        defaultValue: '#00f',
      },
      {
        type: 'select',
        name: 'size',
        required: false,
        choices: [
          { value: 'S', label: 'Small' },
          { value: 'L', label: 'L' },
        ],
        allowCustom: false,
      },
      { type: 'integer', name: 'port', required: false, min: 1, max: 9, defaultValue: 7 },
      { type: 'number', name: 'ratio', required: false, description: 'How much' },
      { type: 'boolean', name: 'open', required: true, defaultValue: true },
      {
        type: 'multiselect',
        name: 'parts',
        required: false,
        choices: [{ value: 'x', label: 'X' }],
        allowCustom: false,
        minItems: 1,
        maxItems: 2,
        defaultValue: ['x'],
      },
    ];
    assert.deepEqual(request.fields, fields);
    assert.deepEqual(told, { action: 'accept', content: { name: 'ab', open: false, parts: ['x'] } });
  });

  test('declining and dismissing get different answers', async (t) => {
    assert.deepEqual((await asked(t, 'elicitation/create', form({}), withAnswer({ type: 'decline' }))).told, { action: 'decline' });
    assert.deepEqual((await asked(t, 'elicitation/create', form({}), withAnswer({ type: 'cancel' }))).told, { action: 'cancel' });
  });

  test('a request that cannot be shown as intended is refused instead of shown differently', async (t) => {
    for (const params of [
      { mode: 'hologram', message: 'x' },
      { message: 'x' },
      form({ one: { type: 'hologram' } }, ['one']),
      ...[
        'no address',
        '',
        '//example.com',
        'javascript:alert(1)',
        'file:///etc/passwd',
        'command:quit',
        'vscode://x',
        'data:text/html,x',
      ].map((url) => ({ mode: 'url', message: 'x', elicitationId: 'e', url })),
    ])
      assert.deepEqual((await asked(t, 'elicitation/create', params)).told, { code: -32602 });
    assert.deepEqual((await asked(t, 'elicitation/create', { ...form({}), sessionId: 'nobody' })).told, { action: 'cancel' });
  });

  const unscoped = { ...form({}), sessionId: null };
  test("a request with the id of a prompt belongs to that prompt's turn", async (t) => {
    const params = { ...unscoped, requestOf: 's1' };
    assert.deepEqual((await asked(t, 'elicitation/create', params, withAnswer({ type: 'decline' }))).told, { action: 'decline' });
  });

  test('a request with the id of a call that is over does not belong to the running turn', async (t) => {
    assert.deepEqual((await asked(t, 'elicitation/create', { ...unscoped, requestOf: 'new' })).told, { action: 'cancel' });
  });

  test('a request without a scope belongs to the only running turn', async (t) => {
    assert.deepEqual((await asked(t, 'elicitation/create', unscoped, withAnswer({ type: 'decline' }))).told, { action: 'decline' });
  });

  for (const [requestOf, where] of [
    ['s1', 'the conversation that waits'],
    ['s2', 'the conversation that asks'],
  ] as const)
    test(`with two running conversations, the id of a prompt determines the conversation: ${where}`, async (t) => {
      const agent = await launch(t, 'elicits');
      await agent.start();
      const [one, two] = [await agent.newSession(), await agent.newSession()];
      const waits = agent.prompt(one, 'wait');
      await agent.until('the first turn', (event): event is Told => event.type === 'event' && event.sessionId === one.id);
      const asks = agent.prompt(two, JSON.stringify(['elicitation/create', { ...unscoped, requestOf }]));
      const { request, answer } = await agent.nextRequest();
      assert.equal(request.sessionId, requestOf);
      assert.ok(answer({ type: 'decline' }));
      await asks;
      assert.ok(agent.text().endsWith('{"action":"decline"}'));
      one.cancel();
      await waits;
    });

  const page = { mode: 'url', message: 'Sign in', elicitationId: 'e1', url: 'https://example.com/?a=b' };
  test('a page: consent is sent as accept without values', async (t) => {
    const { told } = await asked(t, 'elicitation/create', page, (one) => {
      assert.ok(one.request.kind === 'url' && one.request.url === page.url);
      one.answer({ type: 'accept', values: {} });
    });
    assert.deepEqual(told, { action: 'accept' });
  });

  test('an opened page stays as a request until the agent reports that it is done; unknown and repeated ids change nothing', async (t) => {
    const agent = await launch(t, 'elicits');
    await agent.start();
    const session = await agent.newSession();
    const asking = { ...page, completes: ['e0', 'e1', 'e1'] };
    const turn = agent.prompt(session, JSON.stringify(['elicitation/create', asking]));
    const first = await agent.nextRequest();
    assert.ok(first.answer({ type: 'accept', values: {} }));
    const { request, signal } = await agent.nextRequest();
    assert.ok(request.kind === 'url' && request.isOpened === true && request.pageId === 'e1' && request.url === page.url);
    if (!signal.aborted) await once(signal, 'abort');
    assert.ok(session.deliveries.includes('turn') && agent.text() === '{"action":"accept"}', 'the turn still runs');
    session.cancel();
    await turn;
  });

  test('an opened page is no longer waited for when its turn ends, and after it was declined it never was', async (t) => {
    const agent = await launch(t, 'elicits');
    await agent.start();
    const session = await agent.newSession();
    const turn = agent.prompt(session, JSON.stringify(['elicitation/create', page]));
    (await agent.nextRequest()).answer({ type: 'accept', values: {} });
    const { signal } = await agent.nextRequest();
    await turn;
    assert.ok(signal.aborted);
    const again = agent.prompt(session, JSON.stringify(['elicitation/create', page]));
    (await agent.nextRequest()).answer({ type: 'decline' });
    await again;
    assert.ok(agent.text().endsWith('{"action":"decline"}'));
  });

  for (const [what, die] of [
    ['the user stops its turn', false],
    ['the agent dies', true],
  ] as const)
    test(`an opened page that is never completed is no longer waited for when ${what}`, async (t) => {
      const agent = await launch(t, 'elicits');
      await agent.start();
      const session = await agent.newSession();
      const turn = agent.prompt(session, JSON.stringify(['elicitation/create', { ...page, completes: [] }])).then(
        () => 'ended',
        () => 'failed',
      );
      (await agent.nextRequest()).answer({ type: 'accept', values: {} });
      const { signal } = await agent.nextRequest();
      await agent.until('the answer', (event): event is Told => event.type === 'event' && event.event.type === 'message');
      const isOver = signal.aborted ? undefined : once(signal, 'abort');
      if (die) await agent.prompt(await agent.newSession(), 'die').catch(() => {});
      else session.cancel();
      await isOver;
      assert.ok(signal.aborted);
      assert.equal(await turn, die ? 'failed' : 'ended');
    });

  test('what ends the open page of one session does not answer for the user about a page of another one with the same id', async (t) => {
    const agent = await launch(t, 'elicits');
    await agent.start();
    const [one, two] = [await agent.newSession(), await agent.newSession()];
    const waits = agent.prompt(one, JSON.stringify(['elicitation/create', { ...page, completes: [] }]));
    (await agent.nextRequest()).answer({ type: 'accept', values: {} });
    const opened = await agent.nextRequest();
    const asks = agent.prompt(two, JSON.stringify(['elicitation/create', page, ['elicitation/complete', { elicitationId: 'e1' }]]));
    const other = await agent.nextRequest();
    if (!opened.signal.aborted) await once(opened.signal, 'abort');
    assert.equal(other.signal.aborted, false);
    other.answer({ type: 'decline' });
    await asks;
    assert.ok(agent.text().endsWith('{"action":"decline"}'));
    one.cancel();
    await waits;
  });

  test('a page that was completed elsewhere is no longer requested; other pages are not affected', async (t) => {
    const complete = (elicitationId: unknown): unknown => ['elicitation/complete', { elicitationId }];
    const { told } = await asked(t, 'elicitation/create', page, () => {}, complete('e0'), complete(7), complete('e1'));
    assert.deepEqual(told, { action: 'cancel' });
  });
});

describe('the text of a field', () => {
  const fits = (limits: Fields, value: string): boolean => isFilledIn({ type: 'text', name: 'f', required: true, ...limits }, value);
  for (const [limits, good, bad] of [
    [{ minLength: 2, maxLength: 3 }, ['ab', '😀😀😀'], ['a', 'abcd', '']],
    [{ format: 'email' }, ['a@b'], ['a', 'a b@c', '@']],
    [{ format: 'uri' }, ['https://a.b', 'urn:x'], ['a', '/a']],
    [{ format: 'date' }, ['2026-01-31'], ['2026-13-01', 'today', '2026-1-1']],
    [{ format: 'date-time' }, ['2026-01-31T18:05:00Z'], ['2026-01-31', '2026-01-31T99:00']],
    [{ pattern: '(a+)+$' }, ['aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab'], []],
  ] as const)
    test(JSON.stringify(limits), () => {
      for (const value of good) assert.ok(fits(limits, value), value);
      for (const value of bad) assert.ok(!fits(limits, value), value);
    });
});

describe('a question that comes as a request for permission', () => {
  const options = ['Red', 'Blue'].map((name) => ({ optionId: name.toLowerCase(), name, kind: 'allow_once' }));
  const no = { optionId: 'no', name: 'Skip', kind: 'reject_once' };
  const ask = (toolCall: Fields, offered: readonly unknown[] = [...options, no]): Fields => ({
    toolCall: { toolCallId: 'q', title: 'Which color?', ...toolCall },
    options: offered,
  });

  test('a permission with several ways to allow once and no tool call to allow becomes a choice', async (t) => {
    const rawInput = { question: 'Which color?', options: [{ label: 'Red', description: 'like fire' }, { label: 'Blue' }] };
    const { told, cards } = await asked(t, 'session/request_permission', ask({ kind: 'think', rawInput }), (one) => {
      assert.ok(one.request.kind === 'form');
      assert.equal(one.request.message, 'Which color?');
      assert.deepEqual(one.request.fields, [
        {
          type: 'select',
          name: 'choice',
          required: true,
          choices: [
            { value: 'red', label: 'Red', description: 'like fire' },
            { value: 'blue', label: 'Blue' },
          ],
          allowCustom: false,
        },
      ]);
      assert.equal(one.answer({ type: 'accept', values: { choice: 'no' } }), false, 'what is no answer is not one of them');
      one.answer({ type: 'accept', values: { choice: 'blue' } });
    });
    assert.deepEqual(told, { outcome: { outcome: 'selected', optionId: 'blue' } });
    assert.deepEqual(cards, ['completed']);
  });

  test('declining selects the option that refuses', async (t) => {
    const declined = await asked(t, 'session/request_permission', ask({}), withAnswer({ type: 'decline' }));
    assert.deepEqual(declined.told, { outcome: { outcome: 'selected', optionId: 'no' } });
    assert.deepEqual(declined.cards, ['rejected']);
    const dismissed = await asked(t, 'session/request_permission', ask({}), withAnswer({ type: 'cancel' }));
    assert.deepEqual(dismissed, declined, 'the turn goes on');
    const without = await asked(t, 'session/request_permission', ask({}, options), withAnswer({ type: 'decline' }));
    assert.deepEqual(without.told, { outcome: { outcome: 'cancelled' } });
  });

  test('it stays a permission if it could have an effect, or if a part of it would not be visible', async (t) => {
    for (const toolCall of [
      { kind: 'execute' },
      { rawInput: { command: 'true' } },
      { rawInput: { question: 'Which?', path: '/etc' } },
      { rawInput: { options: [{ label: 'Red', runs: 'true' }] } },
      { rawInput: 'Which?' },
      { locations: [{ path: '/a' }] },
      { content: [{ type: 'diff', path: '/a', newText: 'b' }] },
    ])
      await asked(t, 'session/request_permission', ask(toolCall), (one) => {
        assert.equal(one.request.kind, 'permission', JSON.stringify(toolCall));
        one.answer({ type: 'cancel' });
      });
    for (const offered of [
      [options[0], no],
      [...options, { optionId: 'all', name: 'Always', kind: 'allow_always' }],
    ])
      await asked(t, 'session/request_permission', ask({}, offered), (one) => {
        assert.equal(one.request.kind, 'permission');
        one.answer({ type: 'cancel' });
      });
  });

  test('it stays a permission if only the preceding tool call shows an effect, which the permission then shows', async (t) => {
    const command = { kind: 'execute', rawInput: { command: 'rm -rf build' } };
    for (const said of [command, { kind: 'other', rawInput: command.rawInput }, { kind: 'read', locations: [{ path: '/etc/passwd' }] }])
      await asked(
        t,
        'session/request_permission',
        { ...ask({}), announced: { toolCallId: 'q', title: 'Which color?', status: 'pending', ...said } },
        ({ request, answer }) => {
          assert.ok(request.kind === 'permission', JSON.stringify(said));
          assert.ok(JSON.stringify(request.subject).includes('rawInput' in said ? 'rm -rf build' : '/etc/passwd'));
          answer({ type: 'cancel' });
        },
      );
  });

  test('it has the question as its text instead of the id of the tool call; without a question it stays a permission', async (t) => {
    for (const [rawInput, message] of [
      [{ question: 'Which color?' }, 'Which color?'],
      [{}, undefined],
    ] as const)
      await asked(t, 'session/request_permission', ask({ title: null, rawInput }), ({ request, answer }) => {
        assert.deepEqual(request.kind === 'form' ? request.message : undefined, message);
        answer({ type: 'cancel' });
      });
  });

  test('options with the same id make it a permission without these options', async (t) => {
    const twice = [...options, { optionId: 'red', name: 'Skip', kind: 'reject_once' }];
    await asked(t, 'session/request_permission', ask({}, twice), ({ request, answer }) => {
      assert.equal(request.kind, 'permission');
      answer({ type: 'cancel' });
    });
  });

  const questions = [
    { question: 'Which color?', header: 'Color', options: [{ label: 'Red', description: 'like fire' }, { label: 'Blue' }] },
    { question: 'Which parts?', header: 'Parts', multiSelect: true, options: [{ label: 'Roof' }, { label: 'Door' }] },
  ];
  const submit = [
    { optionId: 'go', name: 'Submit', kind: 'allow_once' },
    { optionId: 'no', name: 'Cancel', kind: 'reject_once' },
  ];
  const marked = (meta: Fields, rawInput?: unknown): Fields =>
    ask(
      { kind: 'think', _meta: { qwenInteractionKind: 'user_question', ...meta }, ...(rawInput === undefined ? {} : { rawInput }) },
      submit,
    );

  for (const [where, params] of [
    ['_meta', marked({ qwenQuestions: questions })],
    ['the input', marked({ qwenQuestions: [] }, { questions })],
  ] as const)
    test(`marked as a question, with its questions in ${where}, it becomes a form whose answers are sent beside the outcome`, async (t) => {
      const { told } = await asked(t, 'session/request_permission', params, (one) => {
        assert.ok(one.request.kind === 'form');
        assert.deepEqual(
          one.request.fields.map(({ type, name, label, description }) => [type, name, label, description]),
          [
            ['select', '0', 'Which color?', 'Color'],
            ['multiselect', '1', 'Which parts?', 'Parts'],
          ],
        );
        one.answer({ type: 'accept', values: { 0: 'Green', 1: ['Roof', 'Door'] } });
      });
      assert.deepEqual(told, { outcome: { outcome: 'selected', optionId: 'go' }, answers: { 0: 'Green', 1: 'Roof, Door' } });
    });

  test('marked as a question but with a tool call that has an effect, it stays a permission', async (t) => {
    const silent = ask({ _meta: { qwenInteractionKind: 'user_question', qwenQuestions: questions } }, submit);
    const announced = { toolCallId: 'q', title: 'Run', kind: 'execute' };
    await asked(t, 'session/request_permission', { ...silent, announced }, ({ request, answer }) => {
      assert.equal(request.kind, 'permission');
      answer({ type: 'cancel' });
    });
  });

  test('marked as a question with questions that cannot all be parsed, it stays a permission', async (t) => {
    for (const qwenQuestions of [undefined, [], [questions[0], { header: 'x' }]])
      await asked(t, 'session/request_permission', marked({ qwenQuestions }), (one) => {
        assert.equal(one.request.kind, 'permission');
        one.answer({ type: 'cancel' });
      });
  });
});
