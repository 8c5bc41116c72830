/** Frames with members that are absent, unknown or of another type than the documents say. */
import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import fc from 'fast-check';
import type { ConnectAgent } from '../../src/core/backends/agentBackend.js';
import { connectAgentCli } from '../../src/core/backends/agentCli/agentCliBackend.js';
import { parseFrame as parseCliFrame } from '../../src/core/backends/agentCli/schema/messages.js';
import { connectAgentService } from '../../src/core/backends/agentService/agentServiceBackend.js';
import { parseReply } from '../../src/core/backends/agentService/schema/messages.js';
import { usableCommands } from '../../src/core/backends/agentInput.js';
import { resultOf } from '../../src/core/backends/pi/piSession.js';
import { stateSchema } from '../../src/core/backends/pi/schema/answers.js';
import { parseFrame as parsePiFrame } from '../../src/core/backends/pi/schema/frames.js';
import { accept, serveWire } from '../core/transport/wireServer.js';
import { within } from '../real/deadline.js';
import { serverAt } from '../standIns/startStandIn.js';
import { connectSeam, eventsIn, type OpenSession, rejects, type Seam } from './seam.js';

describe('the agent service', () => {
  for (const [name, reply, expected] of [
    ['a text', { msg: 'yes' }, { text: 'yes' }],
    ['nothing', {}, { text: '' }],
    ['null', { msg: null, stream_finish: false }, { text: '' }],
    ['a text with an unknown member', { msg: 'yes', model: 'm' }, { text: 'yes' }],
    ['data instead of a text', { msg: { a: 1 } }, { text: '{"a":1}' }],
    ['only an unknown member', { status: 'running' }, undefined],
    ['an unknown command', { cmd: 'progress', percent: 5 }, undefined],
    ['an error', { error: 'no' }, { error: 'no' }],
    ['an error as an object', { error: { code: 7, message: 'no' } }, { error: 'no' }],
    ['an error as a number', { error: 7 }, { error: '7' }],
    ['a failure with a message', { success: false, message: 'no' }, { error: 'no' }],
    ['a failure with a text', { success: false, msg: 'no' }, { error: 'no' }],
    ['a failure without a reason', { success: false }, { error: 'success: false' }],
    ['models, of which one is invalid', { models: ['a', 7, 'b'] }, { models: ['a', 'b'] }],
    ['no list of models', { models: null }, undefined],
  ] as const)
    test(`${name}: ${JSON.stringify(reply)}`, () => {
      assert.deepEqual(parseReply({ request_id: 5, ...reply }), expected && { id: '5', ...expected });
    });
});

describe('Agent-CLI', () => {
  const parse = (frame: object) => parseCliFrame({ request_id: 'r', ...frame });

  test('an error in any form is an error', () => {
    for (const [error, message] of [
      ['no', 'no'],
      [{ message: 'no' }, 'no'],
      [7, '7'],
    ] as const)
      assert.equal(parse({ response: { Text: '' }, error })?.error?.message, message);
    for (const error of [undefined, null, '', false]) assert.equal(parse({ response: { Text: 'a' }, error })?.error, undefined);
  });

  test('an answer without text ends the turn', () => {
    assert.deepEqual(parse({ response: { Text: null } })?.parts, [{ type: 'text', text: '' }]);
  });

  test('a result that says that the tool failed is a failure', () => {
    const failed = (result: unknown): unknown => parse({ response: { ToolResult: { name: 'shell', result } } })?.parts[0];
    for (const result of [{ success: false }, { isError: true, content: [] }, { error: 'no' }])
      assert.deepEqual(failed(result), { type: 'result', name: 'shell', result, isFailure: true });
    for (const result of ['error', { success: true }, { isError: false }, { error: null }, undefined, []])
      assert.deepEqual(failed(result), { type: 'result', name: 'shell', result, isFailure: false });
  });
});

describe('Pi', () => {
  const response = (fields: object) => {
    const frame = parsePiFrame({ type: 'response', id: 'h1', command: 'prompt', ...fields });
    return frame.kind === 'response' ? [frame.response.id, frame.response.success, frame.response.error] : frame.kind;
  };
  for (const [fields, success, error] of [
    [{ success: true }, true, ''],
    [{}, true, ''],
    [{ success: 'yes' }, true, ''],
    [{ success: false }, false, ''],
    [{ error: 'no' }, false, 'no'],
    [{ success: false, error: { message: 'no' } }, false, 'no'],
  ] as const)
    test(`a response ${JSON.stringify(fields)} settles its command`, () => {
      assert.deepEqual(response(fields), ['h1', success, error]);
    });

  test('a list that is absent or null changes neither the queue nor the plan', () => {
    for (const queue of [{}, { steering: ['a'] }, { steering: null, followUp: null }])
      assert.equal(parsePiFrame({ type: 'queue_update', ...queue }).kind, 'unknown');
    assert.equal(parsePiFrame({ type: 'queue_update', steering: [7, 'a'], followUp: [] }).kind, 'event');
    for (const todoPhases of [undefined, null, 'none'])
      assert.equal(stateSchema.parse({ sessionId: 's', todoPhases }).todoPhases, undefined);
  });

  test('an id may be a number, and a result a text', () => {
    const frame = parsePiFrame({ type: 'tool_execution_end', toolCallId: 5, toolName: 'bash', result: 'out' });
    assert.ok(frame.kind === 'event' && frame.event.type === 'tool_execution_end');
    assert.deepEqual([frame.event.toolCallId, frame.event.result.content], ['5', [{ type: 'text', text: 'out' }]]);
    for (const result of [undefined, null, 7, {}, { content: null }]) {
      const empty = parsePiFrame({ type: 'tool_execution_end', toolCallId: 'c', toolName: 'bash', result });
      assert.ok(empty.kind === 'event' && empty.event.type === 'tool_execution_end');
      assert.deepEqual(empty.event.result.content, []);
    }
  });

  test('only a known stop reason without an error is a success', () => {
    const result = (stopReason: string | undefined, errorMessage?: string) => {
      const end = resultOf({ usage: undefined, last: { stopReason, errorMessage } }, false);
      return 'failure' in end ? `failed: ${end.failure}` : end.stopReason;
    };
    assert.deepEqual(
      ['stop', 'toolUse', undefined, 'length', 'aborted'].map((reason) => result(reason)),
      ['end_turn', 'end_turn', 'end_turn', 'max_tokens', 'cancelled'],
    );
    for (const reason of ['error', 'failed', 'stop']) assert.equal(result(reason, 'overloaded'), 'failed: overloaded');
    assert.equal(result('content_filter'), 'failed: content_filter');
    assert.deepEqual(resultOf({ usage: undefined, last: { stopReason: 'failed', errorMessage: 'no' } }, true), { stopReason: 'cancelled' });
  });
});

describe('names of commands', () => {
  test('they have no slash, are not empty, and do not repeat', () => {
    const names = ['/init', ' spaced ', '', '/', '//twice', 'init', 'plain', 'plain', 'mcp:a:b', 'a/b'];
    assert.deepEqual(
      usableCommands(names.map((name) => ({ name }))).map(({ name }) => name),
      ['init', 'spaced', 'twice', 'plain', 'mcp:a:b', 'a/b'],
    );
  });

  test('cleaning them twice changes nothing', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: fc.constantFrom('/', ' ', 'a', 'b') })), (names) => {
        const once = usableCommands(names.map((name) => ({ name })));
        assert.deepEqual(usableCommands(once), once);
        assert.ok(once.every(({ name }) => /^[^\s/]/.test(name)));
      }),
    );
  });
});

/** Connects to a server that answers as `answer` says. */
async function connectTo(
  t: TestContext,
  connect: typeof connectAgentService,
  answer: (request: Readonly<Record<string, unknown>>, say: (frame: object) => void) => void,
): Promise<Seam & OpenSession> {
  const { url } = await serveWire(t, {
    answer: (...request) => {
      const peer = accept(...request);
      peer?.on('text', (text: string) => answer(JSON.parse(text), (frame) => void peer.sendText(JSON.stringify(frame))));
      return peer;
    },
  });
  const dial: ConnectAgent = (options) => connect({ ...options, ...serverAt(url.href) });
  const seam = await connectSeam(t, dial, { agent: { label: 'Stand-in', command: '', args: [], env: {} } });
  return { ...seam, ...(await seam.open()) };
}

test('a frame that the agent service adds before its answer does not end the turn', async (t) => {
  const { prompt, words } = await connectTo(t, connectAgentService, ({ request_id, cmd }, say) => {
    if (cmd === 'list_model') return say({ request_id, models: ['m'] });
    say({ request_id, status: 'queued', position: 2 });
    say({ request_id, msg: 'the answer' });
  });
  await within(prompt('hello'), 'end');
  assert.equal(words(), 'the answer');
});

test('a failure that the agent service tells without an error is a failure', async (t) => {
  const { prompt } = await connectTo(t, connectAgentService, ({ request_id, cmd }, say) =>
    say(cmd === 'list_model' ? { request_id, models: ['m'] } : { request_id, success: false, message: 'no such model' }),
  );
  assert.equal((await rejects(prompt('hello'), 'request_failed')).params.detail, 'no such model');
});

test('a call that Agent-CLI leaves open is ended by the host', async (t) => {
  const { prompt, told } = await connectTo(t, connectAgentCli, ({ request_id, input }, say) => {
    if (input === 'GetCommands') return say({ request_id, response: { Text: '{"commands":[{"name":"/help"},{"name":""}]}' } });
    say({ request_id, response: { ToolCall: { name: 'shell', arguments: {} } } });
    say({ request_id, response: { Complete: {} } });
  });
  await within(prompt('hello'), 'end');
  const tools = eventsIn(told.all).flatMap((event) => (event.type === 'tool' ? [[event.patch.status, event.origin]] : []));
  assert.deepEqual(tools, [
    ['in_progress', undefined],
    ['unreported', 'host'],
  ]);
  const [commands] = eventsIn(told.all).flatMap((event) => (event.type === 'commands' ? [event.commands.map(({ name }) => name)] : []));
  assert.ok(commands?.includes('help') && !commands.includes(''), String(commands));
});
