/** Clients that leave out what others send, or stop reading. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { describe, test, type TestContext } from 'node:test';
import { within } from '../real/deadline.js';
import { here, served } from './served.js';
import { everything, wire, type Wired } from './wired.js';

const notice = (title: string) => ({ type: 'notice', at: 0, severity: 'info', title }) as const;

describe('a status line', () => {
  const words = (updates: readonly object[]): string => JSON.stringify(updates);

  test('before the first prompt and between turns is part of the next answer of a client without notices', async (t) => {
    const client = await wire(t, {
      async turn(said, { sink }) {
        sink.event({ type: 'message', at: 0, role: 'agent', content: { type: 'text', text: `answer to ${said}` } });
        return { stopReason: 'end_turn' };
      },
    });
    client.scripted().sink().event(notice('3 tools'));
    await client.request('session/set_mode', { sessionId: 'one', modeId: 'x' });
    assert.deepEqual(client.updates, []);
    await client.prompt('one');
    assert.match(words(client.updates), /3 tools.*answer to one/);
    const before = client.updates.length;
    client.scripted().sink().event(notice('4 tools'));
    await client.request('session/set_mode', { sessionId: 'one', modeId: 'x' });
    assert.equal(client.updates.length, before);
    await client.prompt('two');
    assert.match(words(client.updates.slice(before)), /4 tools.*answer to two/);
  });

  test('is a notice at once for a client with notices', async (t) => {
    const client = await wire(t, { capabilities: everything });
    client.scripted().sink().event(notice('3 tools'));
    await client.prompt('one');
    assert.deepEqual(client.updates, [{ sessionUpdate: 'notice', severity: 'info', title: '3 tools' }]);
  });
});

test('a client that initializes once more in a way that nobody can read gets what it declared before', async (t) => {
  const client = await wire(t, {
    capabilities: everything,
    async turn(_, { sink }) {
      sink.event(notice('3 tools'));
      return { stopReason: 'end_turn' };
    },
  });
  await assert.rejects(client.request('initialize', { protocolVersion: 'one' }));
  await client.prompt('one');
  assert.deepEqual(client.updates, [{ sessionUpdate: 'notice', severity: 'info', title: '3 tools' }]);
});

test('a call whose end the agent did not report is not shown as running after the turn', async (t) => {
  const client = await wire(t, {
    async turn(_, { sink }) {
      const call = { type: 'tool', at: 0, id: 'c', toolCallId: 'c' } as const;
      sink.event({ ...call, patch: { title: 'make', status: 'in_progress' } });
      sink.event({ ...call, patch: { status: 'unreported' }, origin: 'host' });
      return { stopReason: 'end_turn' };
    },
  });
  await client.prompt('go');
  assert.deepEqual(client.updates.at(-1), {
    sessionUpdate: 'tool_call_update',
    toolCallId: 'c',
    status: 'failed',
    _meta: { 'acp-host': { status: 'unreported' } },
  });
});

/** A client without any library. */
function rawClient(t: TestContext) {
  const { command, args } = served('obedient', 'acp', [process.execPath, here('../agents/obedient.mjs')]).agent;
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  t.after(() => void child.kill('SIGKILL'));
  const lines = createInterface({ input: child.stdout });
  const say = (message: object): void => void child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  return {
    child,
    say,
    async ask(id: number, method: string, params: object): Promise<Record<string, unknown>> {
      say({ id, method, params });
      for (;;) {
        const [line] = (await within(once(lines, 'line'), method)) as [string];
        const answer = JSON.parse(line) as Record<string, unknown>;
        if (answer['id'] === id) return answer;
      }
    },
  };
}

for (const [how, more] of [
  ['without', {}],
  ['with null as', { mcpServers: null }],
] as const)
  test(`a client opens a session ${how} a list of MCP servers`, async (t) => {
    const { ask } = rawClient(t);
    await ask(1, 'initialize', { protocolVersion: 1 });
    const { error, result } = await ask(2, 'session/new', { cwd: process.cwd(), ...more });
    assert.equal(error, undefined);
    assert.ok(typeof result === 'object' && result !== null && 'sessionId' in result);
  });

/** Turns that end only some time after they were canceled. */
async function slowToStop(t: TestContext): Promise<Wired & { readonly begun: string[]; stopped(): void }> {
  const begun: string[] = [];
  let stopped = (): void => {};
  const wired = await wire(t, {
    turn: async (words, { cancelled }) => {
      begun.push(words);
      if (words !== 'long') return { stopReason: 'end_turn' };
      await once(cancelled, 'abort');
      await new Promise<void>((resolve) => (stopped = resolve));
      return { stopReason: 'cancelled' };
    },
  });
  return { ...wired, begun, stopped: () => stopped() };
}

describe('a prompt that a client sends before the turn has ended that it canceled', () => {
  test('is the next turn', async (t) => {
    const { prompt, cancel, request, begun, stopped } = await slowToStop(t);
    const first = prompt('long');
    cancel();
    const next = prompt('next');
    await request('session/list', {}).catch(() => {});
    stopped();
    assert.deepEqual(await within(Promise.all([first, next]), 'end'), [{ stopReason: 'cancelled' }, { stopReason: 'end_turn' }]);
    assert.deepEqual(begun, ['long', 'next']);
  });

  test('is not sent if the client cancels once more', async (t) => {
    const { prompt, cancel, request, begun, stopped } = await slowToStop(t);
    const first = prompt('long');
    cancel();
    const next = prompt('next');
    cancel();
    await request('session/list', {}).catch(() => {});
    stopped();
    assert.deepEqual(await within(Promise.all([first, next]), 'end'), [{ stopReason: 'cancelled' }, { stopReason: 'cancelled' }]);
    assert.deepEqual(begun, ['long']);
  });
});

test('after the client has closed its end of stdout, the program ends, although stdin is open', async (t) => {
  const { child, ask, say } = rawClient(t);
  const ended = once(child, 'exit');
  await ask(1, 'initialize', { protocolVersion: 1 });
  child.stdout.destroy();
  say({ id: 2, method: 'session/new', params: { cwd: process.cwd(), mcpServers: [] } });
  assert.deepEqual(await within(ended, 'end'), [0, null]);
});
