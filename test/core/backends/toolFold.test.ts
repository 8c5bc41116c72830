/** Tool calls of any agent: what v1 reports in pieces, out of order and with reused ids, becomes one card per call. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { standardQuirks } from '../../../src/core/agents/standardQuirks.js';
import { foldDecision } from '../../../src/core/backends/acp/toolFold.js';
import { diff, feed, output } from './feed.js';

describe('tool calls of a standard agent', () => {
  test('an update before its tool_call, or without one, creates the card', () => {
    const fed = feed(standardQuirks);
    fed.turn('t1');
    fed.tool('tool_call_update', 'a', { status: 'in_progress' });
    fed.tool('tool_call', 'a', { title: 'A', kind: 'read' });
    fed.tool('tool_call_update', 'b', { status: 'completed', title: 'B' });
    assert.deepEqual(
      fed.tools().map(({ id, title, status }) => [id, title, status]),
      [
        ['t1/a', 'A', 'in_progress'],
        ['t1/b', 'B', 'completed'],
      ],
    );
  });

  test('a tool_call sent twice, first with an empty and then with the full input, is one card', () => {
    const fed = feed(standardQuirks);
    fed.turn('t1');
    fed.tool('tool_call', 'a', { title: 'A', rawInput: {}, status: 'pending' });
    fed.tool('tool_call', 'a', { title: 'A', rawInput: { path: 'x' }, status: 'pending' });
    assert.deepEqual(
      fed.tools().map(({ id, rawInput }) => [id, rawInput]),
      [['t1/a', { path: 'x' }]],
    );
  });

  test('an id reused in the same turn after its call ended is another card', () => {
    const fed = feed(standardQuirks);
    fed.turn('t1');
    fed.tool('tool_call', 'a', { title: 'first', status: 'completed' });
    fed.tool('tool_call', 'a', { title: 'second' });
    fed.tool('tool_call_update', 'a', { status: 'failed' });
    assert.deepEqual(
      fed.tools().map(({ id, title, status }) => [id, title, status]),
      [
        ['t1/a', 'first', 'completed'],
        ['t1/a#2', 'second', 'failed'],
      ],
    );
  });

  test('an id reused in a later turn never reopens the finished card', async () => {
    const fed = feed(standardQuirks);
    fed.turn('t1');
    fed.tool('tool_call', 'a', { title: 'A', status: 'completed' });
    await fed.endTurn();
    fed.turn('t2');
    fed.tool('tool_call_update', 'a', { status: 'in_progress', title: 'A again' });
    assert.deepEqual(
      fed.tools().map(({ id, status, turnId }) => [id, status, turnId]),
      [
        ['t1/a', 'completed', 't1'],
        ['t2/a', 'in_progress', 't2'],
      ],
    );
  });

  test('a finished call is not reported as running again, but may still get output', () => {
    const fed = feed(standardQuirks);
    fed.turn('t1');
    fed.tool('tool_call', 'a', { title: 'A', status: 'failed' });
    fed.tool('tool_call_update', 'a', { status: 'in_progress', ...output('late') });
    const [tool] = fed.tools();
    assert.equal(tool?.status, 'failed');
    assert.deepEqual(tool?.content, output('late')['content']);
  });

  test('null and absent members change nothing, [] clears', () => {
    const fed = feed(standardQuirks);
    fed.turn('t1');
    fed.tool('tool_call', 'a', { title: 'A', kind: 'edit', ...output('x'), locations: [{ path: '/a' }], rawInput: { a: 1 } });
    fed.tool('tool_call_update', 'a', {
      title: null,
      kind: null,
      status: null,
      content: null,
      locations: null,
      rawInput: null,
      rawOutput: null,
    });
    const [before] = fed.tools();
    assert.deepEqual(
      [before?.title, before?.toolKind, before?.content.length, before?.locations.length, before?.rawInput],
      ['A', 'edit', 1, 1, { a: 1 }],
    );
    fed.tool('tool_call_update', 'a', { content: [], locations: [] });
    assert.deepEqual([fed.tools()[0]?.content, fed.tools()[0]?.locations], [[], []]);
  });

  test('an update without content produces no event', () => {
    const fed = feed(standardQuirks);
    fed.turn('t1');
    fed.tool('tool_call', 'a', { title: 'A' });
    const count = fed.events.length;
    fed.tool('tool_call_update', 'a', {});
    assert.equal(fed.events.length, count);
  });

  test('ids are opaque', () => {
    const fed = feed(standardQuirks);
    fed.turn('t1');
    for (const id of ['__proto__', 'a/b#2', '', 'constructor']) fed.tool('tool_call', id, { title: id === '' ? 'empty' : id });
    assert.equal(new Set(fed.tools().map(({ id }) => id)).size, 4);
  });

  test('a request adds to its card, and the content of the request is kept', () => {
    const fed = feed(standardQuirks);
    fed.turn('t1');
    fed.tool('tool_call', 'a', { title: 'A', kind: 'edit' });
    const { request } = fed.ask({ toolCallId: 'a', content: [diff('/a', 'x', 'y')], locations: [{ path: '/a', line: 3 }] });
    assert.deepEqual(
      [request.subject.itemId, request.subject.title, request.subject.toolKind, request.alwaysScope],
      ['t1/a', 'A', 'edit', undefined],
    );
    assert.deepEqual([fed.tools()[0]?.content, request.subject.content], [[diff('/a', 'x', 'y')], [diff('/a', 'x', 'y')]]);
  });

  test('a request has the input that only its call said, whatever the members are called', () => {
    const fed = feed(standardQuirks);
    fed.turn('t1');
    fed.tool('tool_call', 'a', { title: 'A', kind: 'edit', rawInput: { path: '/secret' } });
    const { request } = fed.ask({ toolCallId: 'a', rawInput: { constructor: 'x' } });
    assert.deepEqual(request.subject.rawInput, { path: '/secret', constructor: 'x' });
  });
});

describe('messages', () => {
  const say = (fed: ReturnType<typeof feed>, kind: string, value: string, messageId?: string): void =>
    fed.update(kind, { content: { type: 'text', text: value }, ...(messageId === undefined ? {} : { messageId }) });

  test('a prompt that the agent echoes in one or several pieces is not shown twice', () => {
    const fed = feed(standardQuirks);
    fed.turn('t1', 'do this');
    say(fed, 'user_message_chunk', 'do ');
    say(fed, 'user_message_chunk', 'this');
    say(fed, 'agent_message_chunk', 'done');
    assert.deepEqual(fed.messages(), [
      ['user', 'do this'],
      ['agent', 'done'],
    ]);
  });

  for (const [kind, answer] of [
    ['agent_message_chunk', { content: { type: 'text', text: 'ok' } }],
    ['agent_thought_chunk', { content: { type: 'text', text: 'hm' } }],
    ['tool_call', { toolCallId: 'a', title: 'A' }],
  ] as const)
    test(`a text that begins like the prompt, after ${kind}, is another message of the user`, () => {
      const fed = feed(standardQuirks);
      fed.turn('t1', 'yes, go on');
      fed.update(kind, answer);
      say(fed, 'user_message_chunk', 'yes');
      assert.deepEqual(fed.messages().at(-1), ['user', 'yes']);
    });

  test('another user text in a turn is shown and does not separate the tool calls of the turn', () => {
    const fed = feed(standardQuirks);
    fed.turn('t1', 'do this');
    fed.tool('tool_call', 'a', { title: 'A' });
    say(fed, 'user_message_chunk', 'steer');
    fed.tool('tool_call_update', 'a', { status: 'completed' });
    assert.deepEqual(fed.messages(), [
      ['user', 'do this'],
      ['user', 'steer'],
    ]);
    assert.deepEqual(
      fed.tools().map(({ status }) => status),
      ['completed'],
    );
  });

  test('a changed messageId starts another message', () => {
    const fed = feed(standardQuirks);
    fed.turn('t1');
    say(fed, 'agent_message_chunk', 'one', 'm1');
    say(fed, 'agent_message_chunk', ' more', 'm1');
    say(fed, 'agent_message_chunk', 'two', 'm2');
    assert.deepEqual(fed.messages().slice(1), [
      ['agent', 'one more'],
      ['agent', 'two'],
    ]);
  });
});

test('tool calls outside of turns have ids that are unique among processes', () => {
  const fed = feed(standardQuirks);
  fed.tool('tool_call', 'a', { title: 'A' });
  fed.turn('t1');
  fed.tool('tool_call', 'a', { title: 'A' });
  const [outside, inside] = fed.tools();
  assert.notEqual(outside?.id, inside?.id);
  // It begins at the same time, by the clock.
  const later = feed(standardQuirks);
  later.tool('tool_call', 'a', { title: 'A' });
  assert.notEqual(later.tools()[0]?.id, outside?.id);
  assert.equal(inside?.id, 't1/a');
});

test('compaction: an absent summary keeps the old one, null clears it', () => {
  const fed = feed(standardQuirks);
  fed.update('compaction_update', { compactionId: 'c', status: 'in_progress' });
  fed.update('compaction_summary_chunk', { compactionId: 'c', content: { type: 'text', text: 'sum' } });
  fed.update('compaction_update', { compactionId: 'c', status: 'completed' });
  const item = (): unknown => fed.state().items[0];
  assert.deepEqual(item(), {
    kind: 'compaction',
    id: 'c:c',
    status: 'completed',
    summary: [{ type: 'text', text: 'sum' }],
    error: undefined,
    at: 2,
  });
  fed.update('compaction_update', { compactionId: 'c', status: 'failed', summary: null, error: 'why' });
  assert.deepEqual(item(), { kind: 'compaction', id: 'c:c', status: 'failed', summary: [], error: 'why', at: 2 });
});

describe('the result of a tool in its raw output only', () => {
  const results: Readonly<Record<string, readonly [rawOutput: unknown, text: string | undefined, status: string]>> = {
    'a list with a failure': [[{ query: 'make', result: 'oops', error: 'Exited with 7', success: false }], 'oops\nExited with 7', 'failed'],
    'a list with a success': [[{ query: 'make', result: 'made it\n', success: true }], 'made it\n', 'completed'],
    'a failure that repeats its error': [
      { result: 'oops: exited with 7', error: 'exited with 7', success: false },
      'oops: exited with 7',
      'failed',
    ],
    'a failure without output': [{ error: 'no make', success: false }, 'no make', 'failed'],
    'an error of MCP': [{ content: [{ type: 'text', text: 'oops' }], isError: true }, 'oops', 'failed'],
    'a result of MCP': [
      {
        content: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
      },
      'a\nb',
      'completed',
    ],
    'a list of texts': [[{ type: 'text', text: 'made it' }], 'made it', 'completed'],
    'a plain text': ['made it', 'made it', 'completed'],
    'an exit code': [{ output: 'oops', exitCode: 7 }, 'oops', 'completed'],
    'nothing readable': [[1, null, { a: {} }], undefined, 'completed'],
  };
  for (const [what, [rawOutput, text, status]] of Object.entries(results)) {
    test(what, () => {
      const fed = feed(standardQuirks);
      fed.turn('t1');
      fed.tool('tool_call', 'a', { title: 'make', kind: 'execute', status: 'pending' });
      fed.tool('tool_call_update', 'a', { status: 'completed', rawOutput });
      const [card] = fed.tools();
      assert.deepEqual(
        [card?.content, card?.status],
        [text === undefined ? [] : [{ type: 'content', content: { type: 'text', text } }], status],
      );
    });
  }
});

describe('an agent that only asks', () => {
  const file = '/w/new.txt';
  test('an allowed call without any report has the state of its answer', async () => {
    const fed = feed(standardQuirks);
    fed.turn('t1');
    const { card } = fed.ask({ toolCallId: 'p', title: 'Edit new.txt', kind: 'edit', status: 'pending' });
    assert.ok(card);
    foldDecision(card, 'allowed', 2);
    await fed.endTurn();
    assert.deepEqual(
      fed.tools().map(({ status }) => status),
      ['completed'],
    );
  });

  test('a request under another id about the same file belongs to the call', async () => {
    const fed = feed(standardQuirks);
    fed.turn('t1');
    fed.tool('tool_call', 'a', { title: `write: ${file}`, kind: 'edit', content: [], locations: [{ path: file }] });
    fed.ask({ toolCallId: 'p', title: `Approve edit: ${file}`, kind: 'edit', status: 'pending', locations: [{ path: file }] });
    assert.equal(fed.tools().length, 1);
  });
});
