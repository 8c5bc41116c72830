/** A client that closes stdin can still read: it gets the answers to all its requests before `acp-host serve` exits. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { after, test, type TestContext } from 'node:test';
import { piStandIn } from '../backends/piPeers.js';
import { within } from '../real/deadline.js';
import { connectSdkClient, wordsOf } from './sdkClient.js';
import { here, served } from './served.js';

const sessions = mkdtempSync(path.join(tmpdir(), 'acp-host-end-of-input-'));
after(() => rmSync(sessions, { recursive: true, force: true }));

const standIn = piStandIn('pi087', sessions);
const { command, args } = served('pi', 'pi', [standIn.command, ...standIn.args]).agent;

interface Answer {
  readonly id?: string;
  readonly result?: object;
  readonly error?: { readonly code: number };
}

/** Initializes, then sends the requests and closes stdin at once. @returns the answer for an id, after the program has exited */
async function askAndClose(
  t: TestContext,
  program: Pick<typeof standIn, 'command' | 'args'>,
  requests: readonly object[],
): Promise<(id: string) => Answer> {
  const child = spawn(program.command, program.args, { cwd: sessions });
  t.after(() => void child.kill('SIGKILL'));
  const ended = once(child, 'close');
  const lines = createInterface({ input: child.stdout });
  const greeted = once(lines, 'line');
  const answers: Answer[] = [];
  lines.on('line', (line) => answers.push(JSON.parse(line) as Answer));
  const toLine = (request: object): string => `${JSON.stringify({ jsonrpc: '2.0', ...request })}\n`;
  child.stdin.write(toLine({ id: 'hello', method: 'initialize', params: { protocolVersion: 1 } }));
  await within(greeted, 'greeting');
  child.stdin.end(requests.map(toLine).join(''));
  assert.deepEqual(await within(ended, 'end'), [0, null]);
  return (id) => answers.find((one) => one.id === id) ?? {};
}

const open = { method: 'session/new', params: { cwd: sessions, mcpServers: [] } };

test('requests that are still open when stdin is closed are answered', async (t) => {
  const unknown = { method: 'session/prompt', params: { sessionId: 'unknown', prompt: [] } };
  const answer = await askAndClose(t, { command, args }, [
    { id: 'one', ...open },
    { id: 'two', ...open },
    { id: 'none', ...unknown },
  ]);
  for (const id of ['hello', 'one', 'two']) assert.ok('result' in answer(id), `${id}: ${JSON.stringify(answer(id))}`);
  assert.ok('error' in answer('none'));
});

test('closing stdin cancels a running turn, whose prompt is still answered', async (t) => {
  const client = connectSdkClient(t, { command, args, cwd: sessions, env: process.env });
  await client.initialize();
  const { sessionId } = await client.open();
  const turn = client.prompt(sessionId, 'wait');
  await client.updates.until('beginning', (update) => wordsOf([update]) !== '');
  client.leave();
  assert.equal((await turn).stopReason, 'cancelled');
  assert.equal((await client.ended()).code, 0);
});

test('an agent that never opens its session does not keep the program running, and the request fails', async (t) => {
  const agent = served('neverOpens', 'acp', [process.execPath, here('../agents/neverOpens.mjs')]).agent;
  const answer = await askAndClose(t, agent, [{ id: 'one', ...open }]);
  assert.ok('error' in answer('one'));
});

test('a sign-in that the client cancels is answered as cancelled, although the agent keeps waiting', async (t) => {
  const agent = served('waits', 'acp', [process.execPath, here('../agents/waitsForSignIn.mjs')]).agent;
  const answer = await askAndClose(t, agent, [
    { id: 'in', method: 'authenticate', params: { methodId: 'browser' } },
    { method: '$/cancel_request', params: { requestId: 'in' } },
  ]);
  assert.equal(answer('in').error?.code, -32800);
});

test('an agent that does not stop its turn leaves no request unanswered and does not keep the program running', async (t) => {
  const agent = served('deaf', 'acp', [process.execPath, here('../agents/ignoresCancel.mjs')]).agent;
  const client = connectSdkClient(t, { command: agent.command, args: agent.args, cwd: sessions, env: process.env });
  await client.initialize();
  const { sessionId } = await client.open();
  const turn = client.prompt(sessionId, 'wait');
  await client.updates.until('beginning', (update) => wordsOf([update]) !== '');
  const unstopped = { code: -32603, data: { code: 'request_timeout' } };
  await assert.rejects(client.request('session/close', { sessionId }), unstopped);
  const closing = assert.rejects(client.request('session/close', { sessionId }), unstopped);
  await assert.rejects(client.prompt(sessionId, 'again'), { code: -32600 }, 'the session is still open');
  client.leave();
  await closing;
  await assert.rejects(turn, { code: -32603 });
  assert.equal((await client.ended()).code, 0);
});
