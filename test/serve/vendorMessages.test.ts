/** What an agent and its client have agreed on beyond ACP passes through `serve` as it is: vendor messages, `_meta`, forks, the data of errors. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { test, type TestContext } from 'node:test';
import { cliProgram } from '../cli/programs.js';
import { agentScript } from '../core/backends/launch.js';
import { within } from '../real/deadline.js';

interface Message {
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** A client that writes and reads lines, because the SDK's own checks what it sends. */
class Client {
  /** Notifications and requests of the agent, in order. */
  readonly told: Message[] = [];
  readonly #child;
  readonly #answers = new Map<string | number, (message: Message) => void>();
  readonly #waiting = new Set<() => void>();
  #ids = 0;

  constructor(t: TestContext, agent: string) {
    const command = [process.execPath, agentScript(agent)].map((word) => `"${word}"`).join(' ');
    this.#child = spawn(process.execPath, [cliProgram, 'serve', '--command', command], { stdio: ['pipe', 'pipe', 'ignore'] });
    t.after(() => void this.#child.kill('SIGKILL'));
    createInterface({ input: this.#child.stdout }).on('line', (line) => {
      const message = JSON.parse(line) as Message;
      if (message.method !== undefined) this.told.push(message);
      else if (message.id !== undefined) this.#answers.get(message.id)?.(message);
      for (const look of this.#waiting) look();
    });
  }

  send(message: object): void {
    this.#child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }

  ask(method: string, params: object = {}, id: string | number = ++this.#ids): Promise<Message> {
    const answer = new Promise<Message>((resolve) => this.#answers.set(id, resolve));
    this.send({ id, method, params });
    return within(answer, `answer to ${method}`, () => JSON.stringify(this.told).slice(0, 500));
  }

  /** Resolves with the first message of the agent with this method. */
  hears(method: string): Promise<Message> {
    const find = (): Message | undefined => this.told.find((message) => message.method === method);
    const heard = new Promise<Message>((resolve) => {
      const look = (): void => {
        const message = find();
        if (message !== undefined) resolve(message);
      };
      this.#waiting.add(look);
      look();
    });
    return within(heard, method);
  }

  /** Closes stdin. @returns the exit code */
  leave(): Promise<number | null> {
    this.#child.stdin.end();
    return within(new Promise((resolve) => this.#child.once('close', resolve)), 'end');
  }

  initialize(): Promise<Message> {
    return this.ask('initialize', { protocolVersion: 1, clientCapabilities: {} });
  }

  open(meta?: object): Promise<Message> {
    return this.ask('session/new', { cwd: process.cwd(), mcpServers: [], ...(meta && { _meta: meta }) });
  }

  prompt(text: string, meta?: object): Promise<Message> {
    return this.ask('session/prompt', { sessionId: 's1', prompt: [{ type: 'text', text }], ...(meta && { _meta: meta }) });
  }
}

test('requests and notifications of a vendor pass in both directions, in order and with their errors', async (t) => {
  const client = new Client(t, 'speaksOfItself');
  const { result = {} } = await client.initialize();
  assert.deepEqual((result['agentCapabilities'] as Record<string, unknown>)['_meta'], { own: { echo: true } });
  assert.deepEqual((await client.hears('_own/early')).params, { early: true }, 'sent before anybody had initialized');

  const params = { deep: [{ a: null }], text: 'ü' };
  assert.deepEqual((await client.ask('_own/echo', params)).result, params);
  client.send({ method: '_own/note', params: { n: 1 } });
  client.send({ method: 'unknown/note', params: {} });
  assert.deepEqual((await client.ask('_own/seen')).result, { seen: [['_own/note', { n: 1 }]] });
  assert.deepEqual((await client.ask('_own/fail')).error, { code: -31000, message: 'own', data: { why: ['x'] } });
  assert.equal((await client.ask('_own/nobody')).error?.code, -32601);
  assert.equal((await client.ask('nobody/knows')).error?.code, -32601);

  await client.open();
  await client.hears('_own/opened');
  const turn = client.prompt('ask name');
  const asked = await client.hears('_client/name');
  assert.deepEqual(asked.params, { sessionId: 's1', text: 'x' });
  client.send({ id: asked.id, error: { code: -31001, message: 'no', data: { at: 1 } } });
  const told = (await turn).result?.['_meta'];
  assert.deepEqual(told, { got: null, told: { code: -31001, message: 'no', data: { at: 1 } } });
});

test('a request of a vendor that is never answered holds nothing up, and can be withdrawn by each side', async (t) => {
  const client = new Client(t, 'speaksOfItself');
  await client.initialize();
  await client.open();
  const never = client.ask('_own/never', {}, 'n1');
  assert.equal((await client.prompt('hello')).result?.['stopReason'], 'end_turn');
  client.send({ method: '$/cancel_request', params: { requestId: 'n1' } });
  assert.equal((await never).error?.code, -32800);
  const { seen } = (await client.ask('_own/seen')).result as { readonly seen: readonly (readonly [string])[] };
  assert.ok(seen.some(([method]) => method === '$/cancel_request'));

  const { result = {} } = await client.prompt('withdraw it');
  assert.deepEqual(((result['_meta'] as Record<string, unknown>)['told'] as Record<string, unknown>)['code'], -32800);

  void client.ask('_own/never', {}, 'n2').catch(() => {});
  assert.equal(await client.leave(), 0);
});

test('an enormous one passes; one before the client has initialized is refused', async (t) => {
  const client = new Client(t, 'speaksOfItself');
  assert.equal((await client.ask('_own/echo', { early: true })).error?.code, -32600);
  await client.initialize();
  const text = 'y'.repeat(5_000_000);
  assert.equal((await client.ask('_own/echo', { text })).result?.['text'], text);
  await client.open();
  const turn = client.prompt('ask much');
  const { id, params } = await client.hears('_client/much');
  assert.equal(String(params?.['text']).length, 2_000_000);
  client.send({ id, result: { text } });
  const { result = {} } = await turn;
  assert.equal(((result['_meta'] as Record<string, unknown>)['told'] as { readonly text: string }).text.length, text.length);
});

test('an agent of a protocol without vendor messages refuses them', async (t) => {
  const client = new Client(t, 'conforms');
  await client.initialize();
  assert.equal((await client.ask('_own/echo')).error?.code, -32601);
});

test('`_meta` of a session, of a prompt and of their answers, a fork at a message, and the data of an error', async (t) => {
  const client = new Client(t, 'speaksOfItself');
  const { result = {} } = await client.initialize();
  const { sessionCapabilities } = result['agentCapabilities'] as { readonly sessionCapabilities: Readonly<Record<string, unknown>> };
  assert.deepEqual(sessionCapabilities['fork'], {});
  assert.deepEqual((await client.open({ own: 1 })).result?.['_meta'], { got: { own: 1 } });
  assert.deepEqual((await client.prompt('hello', { own: 2 })).result?.['_meta'], { got: { own: 2 }, told: null });

  const mcpServers = [{ name: 'a', command: '/b', args: [], env: [] }];
  const fork = { sessionId: 's1', cwd: process.cwd(), mcpServers, _meta: { own: 3 } };
  const forked = await client.ask('session/fork', fork);
  const { sessionId, _meta } = forked.result ?? {};
  assert.deepEqual({ sessionId, _meta }, { sessionId: 'f1', _meta: { of: 's1', mcpServers, got: { own: 3 } } });
  for (const bad of [{ sessionId: 's1' }, { ...fork, mcpServers: [{ name: 'a' }] }, { ...fork, cwd: 'relative' }])
    assert.equal((await client.ask('session/fork', bad)).error?.code, -32602);

  const { error } = await client.prompt('fail');
  assert.deepEqual([error?.code, error?.data], [-32050, { code: 'own', retry: 3 }]);
});
