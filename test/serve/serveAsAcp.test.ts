/** An agent of any protocol, from the point of view of a client based on the SDK. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, test } from 'node:test';
import { client } from '@agentclientprotocol/sdk';
import fc from 'fast-check';
import { HostError, nullLogger, selectOption } from '../../src/core/index.js';
import { permissionOptionKinds } from '../../src/core/session/userRequest.js';
import { serveAsAcp } from '../../src/serve/serveAsAcp.js';
import { asking, everything, streams, wire, type Wired, type Wiring } from './wired.js';

const subject = {
  itemId: undefined,
  toolCallId: 'c1',
  title: 'Edit',
  toolKind: 'edit',
  rawInput: { a: 1 },
  content: [],
  locations: [],
} as const;

describe('a permission request', () => {
  const option = fc.record(
    { optionId: fc.string({ minLength: 1 }), name: fc.string({ minLength: 1 }), kind: fc.constantFrom(...permissionOptionKinds) },
    { noNullPrototype: true },
  );
  const options = fc.uniqueArray(option, { selector: ({ optionId }) => optionId, maxLength: 5 });

  test('is answered with the chosen option, and otherwise rejected once or cancelled', async (t) => {
    await fc.assert(
      fc.asyncProperty(options, fc.string(), fc.nat(), async (offered, other, index) => {
        const asked = asking({ kind: 'permission', subject, options: offered });
        const wired = await wire(t, {
          ...asked,
          choose: ({ options: shown }) => (index % 3 === 0 ? other : shown[index % (shown.length || 1)]?.optionId),
        });
        await wired.prompt('go');
        const shown = wired.permissions[0]?.options ?? [];
        assert.deepEqual(
          shown,
          offered.filter(({ kind }) => kind !== 'other'),
        );
        const chosen = index % 3 === 0 ? shown.find(({ optionId }) => optionId === other) : shown[index % (shown.length || 1)];
        const no = offered.find(({ kind }) => kind === 'reject_once');
        const [answer] = asked.answers;
        if (chosen !== undefined) assert.deepEqual(answer, selectOption(chosen.optionId));
        else if (answer?.type === 'accept') assert.deepEqual(answer, { ...selectOption(no?.optionId ?? ''), why: 'dismissed' });
        else assert.equal(answer?.type, 'cancel');
        wired.serving.stop();
        await wired.serving.ended;
      }),
      { numRuns: 60 },
    );
  });

  test('names the options of the host itself', async (t) => {
    const asked = asking({ kind: 'permission', subject, options: [{ optionId: 'allow', name: '', kind: 'allow_once' }] });
    const wired = await wire(t, { ...asked, choose: () => 'allow' });
    await wired.prompt('go');
    assert.equal(wired.permissions[0]?.options[0]?.name, 'Allow once');
  });

  test('is cancelled if the client answers with an error', async (t) => {
    const asked = asking({ kind: 'permission', subject, options: [{ optionId: 'yes', name: 'Yes', kind: 'allow_once' }] });
    const wired = await wire(t, {
      ...asked,
      choose: () => {
        throw new Error('broken');
      },
    });
    await wired.prompt('go');
    assert.deepEqual(asked.answers, [{ type: 'cancel' }]);
  });

  test('is cancelled for the agent when the client cancels the turn', async (t) => {
    const asked = asking({ kind: 'permission', subject, options: [{ optionId: 'yes', name: 'Yes', kind: 'allow_once' }] });
    const wired: Wired = await wire(t, {
      ...asked,
      choose: () => {
        wired.cancel();
        return undefined;
      },
    });
    await wired.prompt('go');
    assert.equal(asked.answers[0]?.type, 'cancel');
  });
});

test('a request from before the turn stays open when the turn is cancelled, and closes with the session', async (t) => {
  const wired = await wire(t, {
    turn: async (_, { cancelled }) => {
      if (!cancelled.aborted) await once(cancelled, 'abort');
      return { stopReason: 'cancelled' };
    },
    backend: { load: async () => {} },
    choose: () => new Promise(() => {}),
  });
  let isOpen = true;
  const asked = wired.scripted().ask({ kind: 'confirm', title: 'Sure?' });
  void asked.finally(() => (isOpen = false));
  const turn = wired.prompt('wait');
  wired.cancel();
  assert.equal((await turn).stopReason, 'cancelled');
  assert.ok(isOpen);
  await wired.request('session/close', { sessionId: 'one' });
  assert.equal((await asked).type, 'cancel');
});

describe('a dialog', () => {
  const select = {
    kind: 'form',
    message: 'Which color?',
    fields: [
      {
        type: 'select',
        name: 'color',
        required: true,
        allowCustom: false,
        choices: [
          { value: '#f00', label: 'Red' },
          { value: '#00f', label: 'Blue' },
        ],
      },
    ],
  } as const;
  const form = {
    kind: 'form',
    message: 'How?',
    fields: [
      { type: 'text', name: 'name', required: true, label: 'Name' },
      { type: 'integer', name: 'port', required: false, min: 1 },
      { type: 'multiselect', name: 'tags', required: false, allowCustom: true, choices: [{ value: 'a', label: 'A' }] },
    ],
  } as const;
  const suggesting = {
    kind: 'form',
    message: 'Who?',
    fields: [
      { type: 'text', name: 'name', required: true, defaultValue: 'Ada' },
      { type: 'integer', name: 'age', required: false },
    ],
  } as const;
  const onOff = { kind: 'form', message: 'Public?', fields: [{ type: 'boolean', name: 'public', required: true }] } as const;
  const optional = { kind: 'form', message: 'Anything else?', fields: [{ type: 'text', name: 'more', required: false }] } as const;
  const yes = { type: 'accept', values: {} } as const;

  for (const [title, request, content, answer] of [
    ['select', select, { color: '#00f' }, { type: 'accept', values: { color: '#00f' } }],
    ['select, with a value that is not a choice', select, { color: 'green' }, { type: 'cancel' }],
    ['confirm', { kind: 'confirm', title: 'Sure?' }, undefined, yes],
    ['editor', { kind: 'editor', title: 'Edit', prefill: 'a\nb' }, { text: 'a\nc' }, { type: 'accept', values: { text: 'a\nc' } }],
    ['editor, unchanged', { kind: 'editor', title: 'Edit', prefill: 'a\nb' }, undefined, { type: 'accept', values: { text: 'a\nb' } }],
    [
      'editor, shown in one line',
      { kind: 'editor', title: 'Edit', prefill: 'a\nb' },
      { text: 'ab' },
      { type: 'accept', values: { text: 'a\nb' } },
    ],
    ['editor, emptied', { kind: 'editor', title: 'Edit', prefill: 'a\nb' }, {}, { type: 'accept', values: { text: '' } }],
    [
      'form',
      form,
      { name: 'x', port: 2, tags: ['a'], 'tags.other': 'b' },
      { type: 'accept', values: { name: 'x', port: 2, tags: ['a', 'b'] } },
    ],
    ['form, without a required field', form, { port: 2 }, { type: 'cancel' }],
    ['page', { kind: 'url', message: 'Open', url: 'https://example.com/' }, undefined, yes],
  ] as const)
    test(`is an elicitation if the client supports them: ${title}`, async (t) => {
      const asked = asking(request);
      const wired = await wire(t, {
        ...asked,
        capabilities: everything,
        elicit: () => ({ action: 'accept', ...(content && { content }) }),
      });
      await wired.prompt('go');
      assert.deepEqual([asked.answers, wired.permissions], [[answer], []]);
    });

  test('is a page that the client opens: it hears that the page is done when the agent does not wait for it any more', async (t) => {
    const page = { kind: 'url', message: 'Open', url: 'https://example.com/', pageId: 'p1' } as const;
    let heard: readonly string[] = [];
    const wired: Wired = await wire(t, {
      capabilities: everything,
      backend: { load: async () => {} },
      elicit: () => ({ action: 'accept' }),
      turn: async (_, { ask }) => {
        await ask(page);
        heard = [...wired.completed];
        void ask({ ...page, isOpened: true });
        return { stopReason: 'end_turn' };
      },
    });
    await wired.prompt('go');
    assert.deepEqual(wired.completed, []);
    await wired.request('session/close', { sessionId: 'one' });
    const ids = wired.elicitations.map((one) => 'elicitationId' in one && one.elicitationId);
    assert.deepEqual([ids, heard, wired.completed, wired.permissions], [['p1'], [], ['p1'], []]);
  });

  test('is declined or cancelled as its elicitation is, and cancelled by an unknown action', async (t) => {
    for (const [action, type] of [
      ['decline', 'decline'],
      ['cancel', 'cancel'],
      ['_unheard_of', 'cancel'],
    ] as const) {
      const asked = asking({ kind: 'confirm', title: 'Sure?' });
      await (await wire(t, { ...asked, capabilities: everything, elicit: () => ({ action }) })).prompt('go');
      assert.equal(asked.answers[0]?.type, type);
    }
  });

  for (const [title, request, chosen, answer] of [
    ['select', select, 'Blue', { type: 'accept', values: { color: '#00f' } }],
    ['confirm, yes', { kind: 'confirm', title: 'Sure?' }, 'Yes', yes],
    ['confirm, no', { kind: 'confirm', title: 'Sure?' }, 'No', { type: 'decline' }],
    ['form', form, 'Dismiss', { type: 'cancel' }],
    ['form, with nothing to fill in', { kind: 'form', message: 'Go on?', fields: [] }, 'OK', yes],
    ['form, with nothing to fill in, dismissed', { kind: 'form', message: 'Go on?', fields: [] }, 'Dismiss', { type: 'cancel' }],
    ['switch, on', onOff, 'Yes', { type: 'accept', values: { public: true } }],
    ['switch, off', onOff, 'No', { type: 'accept', values: { public: false } }],
    [
      'select, and a suggested value',
      { ...suggesting, fields: [...select.fields, ...suggesting.fields] },
      'Red',
      { type: 'accept', values: { color: '#f00', name: 'Ada' } },
    ],
    ['page', { kind: 'url', message: 'Open', url: 'https://example.com/' }, 'I opened the page', yes],
  ] as const)
    test(`is a permission request if the client does not support elicitations: ${title}`, async (t) => {
      const asked = asking(request);
      const wired = await wire(t, { ...asked, choose: ({ options }) => options.find(({ name }) => name === chosen)?.optionId });
      await wired.prompt('go');
      assert.deepEqual([asked.answers, wired.elicitations], [[answer], []]);
      assert.ok(wired.permissions[0]?.options.every(({ kind }) => kind === 'allow_once' || kind === 'reject_once'));
    });

  test('that asks for text is cancelled if a rule of the client allows it', async (t) => {
    for (const request of [suggesting, optional, { kind: 'editor', title: 'Edit', prefill: 'one' } as const]) {
      const asked = asking(request);
      const allows: Wiring['choose'] = ({ options }) => options.find(({ kind }) => kind.startsWith('allow'))?.optionId;
      await (await wire(t, { ...asked, choose: allows })).prompt('go');
      assert.deepEqual(asked.answers, [{ type: 'cancel' }]);
    }
  });

  for (const [rule, kind] of [
    ['allows it', 'allow'],
    ['rejects it', 'reject'],
    ['takes the first option', ''],
  ] as const)
    test(`that asks for a choice or opens a page is cancelled if a rule of the client ${rule}`, async (t) => {
      for (const request of [select, onOff, { kind: 'url', message: 'Open', url: 'https://example.com/' } as const]) {
        const asked = asking(request);
        const ruling: Wiring['choose'] = ({ options }) => options.find((option) => option.kind.startsWith(kind))?.optionId;
        await (await wire(t, { ...asked, choose: ruling })).prompt('go');
        assert.deepEqual(asked.answers, [{ type: 'cancel' }]);
      }
    });
});

test('a client without forms gets a note that text cannot be entered, with the suggested value', async (t) => {
  const field = { type: 'text', name: 'name', label: 'Name', required: true, defaultValue: 'Ada' } as const;
  const wired = await wire(t, asking({ kind: 'form', message: 'Who?', fields: [field] }));
  await wired.prompt('go');
  const [part] = wired.permissions[0]?.toolCall.content ?? [];
  assert.match(JSON.stringify(part), /Name: Ada\\n.*can't enter your own answer here/);
});

describe('what the client sees', () => {
  const said = { type: 'message', at: 0, role: 'agent', content: { type: 'text', text: 'hi' } } as const;

  test('notices and compactions are part of the answer for clients that did not declare them, and extension events are not sent', async (t) => {
    const turn: Wiring['turn'] = async (_, { sink }) => {
      sink.event(said);
      sink.event({ type: 'notice', at: 0, severity: 'info', title: 'note' });
      sink.event({ type: 'compaction', at: 0, id: 'c', status: 'completed' });
      sink.event({ type: 'extension', at: 0, kind: 'plan', payload: { entries: 'none' } });
      sink.event({ type: 'extension', at: 0, kind: 'mood', payload: {} });
      return { stopReason: 'end_turn' };
    };
    for (const [capabilities, kinds] of [
      [{}, ['agent_message_chunk', 'agent_message_chunk', 'agent_message_chunk']],
      [everything, ['agent_message_chunk', 'notice', 'compaction_update']],
    ] as const) {
      const { prompt, updates } = await wire(t, { turn, capabilities });
      assert.deepEqual(await prompt('go'), { stopReason: 'end_turn' });
      assert.deepEqual(
        updates.map(({ sessionUpdate }) => sessionUpdate),
        kinds,
      );
    }
  });

  test('each plan is the one plan of ACP, which ends with the one that is shown, and Markdown is told once', async (t) => {
    const step = (content: string) => ({ content, priority: 'high', status: 'pending' }) as const;
    const steps = (planId: string, ...contents: readonly string[]) =>
      ({ type: 'plan', at: 0, planId, entries: contents.map(step) }) as const;
    const text = (markdown: string) => ({ type: 'plan', at: 0, planId: 't', entries: [], text: { markdown } }) as const;
    const turn: Wiring['turn'] = async (_, { sink }) => {
      const all = [steps('a', 'one'), steps('b', 'two'), steps('a'), text('# Pl'), text('# Plan'), text('# Plan'), said, said];
      for (const event of [...all, text('# New'), steps('t'), steps('b'), steps('b')]) sink.event(event);
      return { stopReason: 'end_turn' };
    };
    const { prompt, updates } = await wire(t, { turn });
    await prompt('go');
    assert.deepEqual(
      updates.map((update) =>
        update.sessionUpdate === 'plan'
          ? update.entries.map(({ content }) => content)
          : update.sessionUpdate === 'agent_message_chunk' && update.content.type === 'text' && update.content.text,
      ),
      [['one'], ['two'], '\n\n# Pl', 'an', '\n\n', 'hi', 'hi', '\n\n# New', []],
    );
  });

  test('what a sub-agent calls is shown, and what it says is no part of the answer', async (t) => {
    const turn: Wiring['turn'] = async (_, { sink }) => {
      sink.event({ type: 'subagent', at: 0, agentId: 'k', patch: { title: 'K', status: 'running' } });
      sink.event({ ...said, subagentId: 'k' });
      sink.event({ type: 'tool', at: 0, id: 'c', toolCallId: 'c', patch: { title: 'Read' }, subagentId: 'k' });
      return { stopReason: 'end_turn' };
    };
    const { prompt, updates } = await wire(t, { turn, capabilities: everything });
    await prompt('go');
    assert.deepEqual(
      updates.map(({ sessionUpdate }) => sessionUpdate),
      ['tool_call'],
    );
  });

  test("the host's warnings, provider retries and an agent that is not reading are notices, each sent once", async (t) => {
    const turn: Wiring['turn'] = async (_, { sink }) => {
      sink.event({ type: 'host_notice', at: 0, severity: 'warning', code: 'server_unauthenticated', params: {} });
      const reason = { code: 'other', params: { attempt: 2, attempts: 3 } } as const;
      sink.event({ type: 'wait', at: 0, wait: { kind: 'retry', reason, until: 4_000 } });
      sink.event({ type: 'wait', at: 0, wait: null });
      for (const queuedBytes of [9_000, 9_000]) sink.event({ type: 'wait', at: 0, wait: { kind: 'not_reading', queuedBytes } });
      return { stopReason: 'end_turn' };
    };
    const { prompt, updates } = await wire(t, { turn, capabilities: everything });
    await prompt('go');
    const told = updates.map((update) => (update.sessionUpdate === 'notice' ? `${update.severity}: ${update.title}` : assert.fail()));
    assert.equal(told.length, 3);
    assert.match(told[0] ?? '', /^warning: .*doesn't check who connects/);
    assert.match(told[1] ?? '', /^info: .*retrying its provider in 4 s \(.*attempt 2 of 3\)/);
    assert.match(told[2] ?? '', /^info: .*isn't reading input/);
    const old = await wire(t, { turn });
    await old.prompt('go');
    const words = old.updates.map((update) =>
      update.sessionUpdate === 'agent_message_chunk' && update.content.type === 'text' ? update.content.text : assert.fail(),
    );
    assert.equal(words.length, 3);
    // Separated from the agent's own text before and after.
    for (const text of words) assert.match(text, /^\n\n(?:>.*\n)+\n$/);
    assert.match(words[0] ?? '', /> \*\*Warning:\*\* .*doesn't check who connects/);
    assert.match(words[1] ?? '', /> .*attempt 2 of 3/);
    const ids = old.updates.map((update) => (update.sessionUpdate === 'agent_message_chunk' ? update.messageId : undefined));
    assert.equal(new Set(ids).size, 3);
  });

  test('a boolean option is a list of two values for clients without boolean options', async (t) => {
    const options = [{ type: 'boolean', id: 'fast', name: 'Fast', currentValue: false }] as const;
    const old = await wire(t, { backend: { options } });
    const set = (wired: Wired, value: string | boolean): Promise<{ configOptions: readonly { currentValue: unknown }[] }> =>
      wired.request('session/set_config_option', { sessionId: 'one', configId: 'fast', value, ...(value === true && { type: 'boolean' }) });
    assert.equal((await set(old, 'on')).configOptions[0]?.currentValue, 'on');
    const now = await wire(t, { backend: { options }, capabilities: everything });
    assert.equal((await set(now, true)).configOptions[0]?.currentValue, true);
  });

  test('initialize reports the capabilities and sign-in methods of the agent, and no others', async (t) => {
    const plain = await wire(t, {});
    const first = (await plain.request('initialize', { protocolVersion: 1 })) as { agentCapabilities: object; authMethods: unknown };
    assert.deepEqual(first.agentCapabilities, {
      loadSession: false,
      promptCapabilities: { image: false, audio: false, embeddedContext: false },
      mcpCapabilities: { http: false, sse: false },
      sessionCapabilities: { close: {} },
    });
    await assert.rejects(plain.request('authenticate', { methodId: 'x' }), { code: -32602 });
    await assert.rejects(plain.request('session/load', { sessionId: 'x', cwd: '/', mcpServers: [] }));
    const authMethods = [
      { id: 'key', name: 'Key', type: 'agent' },
      { id: 'shell', name: 'Shell', type: 'terminal', args: ['login'], env: { A: 'b' } },
    ] as const;
    const rich = await wire(t, { capabilities: everything, backend: { info: { authMethods, promptContent: ['image'] } } });
    const second = (await rich.request('initialize', { protocolVersion: 1, clientCapabilities: everything })) as typeof first;
    assert.deepEqual(second.authMethods, [
      { id: 'key', name: 'Key' },
      { id: 'shell', name: 'Shell', type: 'terminal', args: ['--sign-in', 'shell'] },
    ]);
  });
});

describe('every request settles', () => {
  test('when the agent is lost: with the reason, and a later answer is ignored', async (t) => {
    const asked = asking({ kind: 'permission', subject, options: [{ optionId: 'yes', name: 'Yes', kind: 'allow_once' }] });
    const wired: Wired = await wire(t, {
      ...asked,
      choose: () => {
        wired.scripted().lose();
        return 'yes';
      },
    });
    await assert.rejects(wired.prompt('go'), {
      code: -32603,
      message: 'scripted exited with code 9',
      data: { code: 'agent_exited', reason: 'process_ended' },
    });
    assert.equal((await wired.serving.ended).type, 'lost');
    assert.deepEqual(
      asked.answers.map(({ type }) => type),
      ['cancel'],
      'a later answer is ignored',
    );
  });

  test('when the agent cannot be started: the first request fails with the reason', async (t) => {
    const [ours, theirs] = streams();
    const serving = serveAsAcp({
      stream: ours,
      label: 'Nobody',
      cwd: '/',
      version: '1',
      log: nullLogger,
      connect: () => Promise.reject(new HostError('agent_not_found', { reason: 'not_on_path', command: 'nobody' })),
    });
    const connection = client({ name: 'test' }).connect(theirs);
    t.after(() => connection.close());
    await assert.rejects(connection.agent.request('initialize', { protocolVersion: 1 }), {
      message: 'The program "nobody" is not on the PATH',
    });
    assert.equal((await serving.ended).type, 'failed');
  });

  test('a second prompt is refused during a turn, and a cancel ends the first one', async (t) => {
    const { prompt, cancel } = await wire(t, {
      turn: (_, { cancelled }) => new Promise((resolve) => cancelled.addEventListener('abort', () => resolve({ stopReason: 'cancelled' }))),
    });
    const first = prompt('one');
    await assert.rejects(prompt('two'), { code: -32600 });
    cancel();
    assert.deepEqual(await first, { stopReason: 'cancelled' });
  });
});
