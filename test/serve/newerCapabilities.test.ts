/** What clients declare that is newer than the SDK: sub-agents, and plans with an id. They speak in lines, because the SDK drops both. */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import type { AnyMessage } from '@agentclientprotocol/sdk';
import * as z from 'zod/mini';
import { selectOption, type SessionEvent } from '../../src/core/index.js';
import { within } from '../real/deadline.js';
import type { Script } from './scriptedBackend.js';
import { serveScripted, streams } from './wired.js';

const idSchema = z.optional(z.union([z.number(), z.string()]));
const messageSchema = z.union([
  z.object({
    id: idSchema,
    method: z.string(),
    params: z.object({ sessionId: z.string(), update: z.optional(z.looseObject({ sessionUpdate: z.string() })) }),
  }),
  z.object({ id: idSchema, method: z.optional(z.undefined()) }),
]);

type Told = readonly [sessionId: string, what: string, update: Readonly<Record<string, unknown>>];

/** @returns what the client is told of the session `one`, and of its sub-agents, while the agent tells this */
async function toldOf(
  t: TestContext,
  declared: object,
  tell: (script: Script) => Promise<void> | void,
  onRequest: (sessionId: string, write: (message: object) => void) => object = () => ({ outcome: { outcome: 'cancelled' } }),
): Promise<{ readonly told: readonly Told[]; readonly stopped: readonly string[] }> {
  const [ours, theirs] = streams();
  const stopped: string[] = [];
  const serving = serveScripted(ours, {
    async turn(_, script) {
      await tell(script);
      return { stopReason: 'end_turn' };
    },
    backend: { stopSubagent: (id) => void stopped.push(id) },
  });
  t.after(() => serving.stop());
  const writer = theirs.writable.getWriter();
  const reader = theirs.readable.getReader();
  const write = (message: object): void => void writer.write({ jsonrpc: '2.0', ...message } as AnyMessage);
  const told: Told[] = [];
  const until = async (id: number): Promise<void> => {
    for (;;) {
      const { value } = await within(reader.read(), `answer ${id}`);
      const message = messageSchema.parse(value);
      if (message.method === undefined) {
        if (message.id === id) return;
        continue;
      }
      const { sessionId, update } = message.params;
      if (message.id !== undefined) write({ id: message.id, result: onRequest(sessionId, write) });
      told.push([sessionId, update === undefined ? message.method : update.sessionUpdate, update ?? {}]);
    }
  };
  const ask = async (id: number, method: string, params: object): Promise<void> => {
    write({ id, method, params });
    await until(id);
  };
  await ask(1, 'initialize', { protocolVersion: 1, clientCapabilities: declared });
  await ask(2, 'session/new', { cwd: '/', mcpServers: [] });
  await ask(3, 'session/prompt', { sessionId: 'one', prompt: [{ type: 'text', text: 'go' }] });
  return { told, stopped };
}

const lines = (told: readonly Told[]): readonly string[] => told.map(([sessionId, what]) => `${sessionId}: ${what}`);

const said = (text: string, subagentId?: string): SessionEvent => ({
  type: 'message',
  at: 0,
  role: 'agent',
  content: { type: 'text', text },
  ...(subagentId !== undefined && { subagentId }),
});

const subagents = ({ sink }: Pick<Script, 'sink'>): void => {
  sink.event({ type: 'subagent', at: 0, agentId: 'k', patch: { title: 'Explore', status: 'running', canStop: true } });
  sink.event(said('I look.', 'k'));
  sink.event({ type: 'tool', at: 0, id: 'c', toolCallId: 'c', patch: { title: 'Read' }, subagentId: 'k' });
  sink.event({ type: 'subagent', at: 0, agentId: 'kk', patch: { title: 'Deeper', status: 'running' }, subagentId: 'k' });
  sink.event(said('I dig.', 'kk'));
  sink.event({ type: 'plan', at: 0, entries: [{ content: 'dig', priority: 'medium', status: 'pending' }], subagentId: 'kk' });
  sink.event(said('They looked.'));
  sink.event({ type: 'subagent', at: 0, agentId: 'k', patch: { status: 'idle' } });
};

test('a sub-agent is a session of its own, which the client can tell of: below the one that started it', async (t) => {
  const { told } = await toldOf(t, { subagents: {} }, subagents);
  assert.deepEqual(lines(told), [
    'one: subagent_update',
    'k: agent_message_chunk',
    'k: tool_call',
    'k: subagent_update',
    'kk: agent_message_chunk',
    'kk: plan',
    'one: agent_message_chunk',
    'one: subagent_update',
  ]);
  const [first] = told;
  assert.deepEqual(first?.[2], {
    sessionUpdate: 'subagent_update',
    sessionId: 'k',
    title: 'Explore',
    capabilities: { cancel: {} },
    state: { state: 'running' },
  });
});

test('what a sub-agent is told is said to it in its session, once', async (t) => {
  const { told } = await toldOf(t, { subagents: {} }, ({ sink }) => {
    const event = { type: 'subagent', at: 0, agentId: 'k' } as const;
    sink.event({ ...event, patch: { title: 'Explore', status: 'running', task: 'Find ' } });
    sink.event({ ...event, patch: { task: 'Find it' } });
    sink.event(said('Here.', 'k'));
    sink.event({ ...event, patch: { task: 'Find it\n\nAgain' } });
  });
  const user = (text: string) => ['k', 'user_message_chunk', { sessionUpdate: 'user_message_chunk', content: { type: 'text', text } }];
  assert.deepEqual(told.slice(1, 3), [user('Find '), user('it')]);
  assert.deepEqual(told[4], user('\n\nAgain'));
  assert.deepEqual(lines(told), [
    'one: subagent_update',
    'k: user_message_chunk',
    'k: user_message_chunk',
    'k: agent_message_chunk',
    'k: user_message_chunk',
  ]);
});

for (const [how, declared] of [
  ['does not declare them', {}],
  ['declares null', { subagents: null }],
  ['declares something of a wrong type', { subagents: 'yes' }],
] as const)
  test(`a client that ${how} gets what sub-agents call as calls of the agent, and nothing else of them`, async (t) => {
    const { told } = await toldOf(t, declared, subagents);
    assert.deepEqual(lines(told), ['one: tool_call', 'one: agent_message_chunk']);
  });

const permission = {
  kind: 'permission',
  subject: { itemId: undefined, toolCallId: 'c', title: 'Read', toolKind: 'read', rawInput: undefined, content: [], locations: [] },
  options: [{ optionId: 'once', name: 'Once', kind: 'allow_once' }],
  subagent: { id: 'k', name: 'Explore' },
} as const;

test('a request of a sub-agent is one of its session, and of the agent for a client that knows none', async (t) => {
  const answers: unknown[] = [];
  const asks = async (script: Script): Promise<void> => {
    script.sink.event({ type: 'subagent', at: 0, agentId: 'k', patch: { title: 'Explore', status: 'running' } });
    answers.push(await script.ask(permission));
  };
  const allow = (): object => ({ outcome: { outcome: 'selected', optionId: 'once' } });
  const own = await toldOf(t, { subagents: {} }, asks, allow);
  assert.deepEqual(lines(own.told), ['one: subagent_update', 'k: session/request_permission']);
  const old = await toldOf(t, {}, asks, allow);
  assert.deepEqual(lines(old.told), ['one: session/request_permission']);
  assert.deepEqual(answers, Array(2).fill(selectOption('once')));
});

test('session/cancel of a sub-agent stops it alone, and only one that can be stopped', async (t) => {
  const { stopped } = await toldOf(
    t,
    { subagents: {} },
    async (script) => {
      subagents(script);
      await script.ask(permission);
      assert.equal(script.cancelled.aborted, false);
    },
    (_, write) => {
      for (const sessionId of ['kk', 'k', 'unknown']) write({ method: 'session/cancel', params: { sessionId } });
      return { outcome: { outcome: 'cancelled' } };
    },
  );
  assert.deepEqual(stopped, ['k']);
});

test('plans have their ids, their Markdown and their end for a client that knows them', async (t) => {
  const { told } = await toldOf(t, { plan: {} }, ({ sink }) => {
    const entries = [{ content: 'one', priority: 'medium', status: 'pending' }] as const;
    sink.event({ type: 'plan', at: 0, planId: 'a', entries });
    sink.event({ type: 'plan', at: 0, planId: 'b', entries: [], text: { markdown: '# Plan' } });
    sink.event({ type: 'plan', at: 0, planId: 'a', entries: [] });
    sink.event({ type: 'plan', at: 0, entries });
  });
  assert.deepEqual(
    told.map(([, , update]) => update),
    [
      {
        sessionUpdate: 'plan_update',
        plan: { type: 'items', planId: 'a', entries: [{ content: 'one', priority: 'medium', status: 'pending' }] },
      },
      { sessionUpdate: 'plan_update', plan: { type: 'markdown', planId: 'b', content: '# Plan' } },
      { sessionUpdate: 'plan_removed', planId: 'a' },
      { sessionUpdate: 'plan', entries: [{ content: 'one', priority: 'medium', status: 'pending' }] },
    ],
  );
});
