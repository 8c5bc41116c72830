/** A client that closes stdin can still read: it gets every answer to what it sent before `acp-host serve` ends. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { after, test } from 'node:test';
import { piStandIn } from '../backends/piPeers.js';
import { within } from '../real/deadline.js';
import { connectSdkClient, wordsOf } from './sdkClient.js';
import { here, served } from './served.js';

const sessions = mkdtempSync(path.join(tmpdir(), 'acp-host-end-of-input-'));
after(() => rmSync(sessions, { recursive: true, force: true }));

const standIn = piStandIn('pi087', sessions);
const { command, args } = served('pi', 'pi', [standIn.command, ...standIn.args]).agent;

test('what was asked last is answered, although none of it was when stdin was closed', async (t) => {
  const child = spawn(command, args, { cwd: sessions });
  t.after(() => void child.kill('SIGKILL'));
  const ended = once(child, 'close');
  const lines = createInterface({ input: child.stdout });
  const greeted = once(lines, 'line');
  const answers: { readonly id?: string; readonly result?: object; readonly error?: object }[] = [];
  lines.on('line', (line) => answers.push(JSON.parse(line) as object));
  const toLine = (request: object): string => `${JSON.stringify({ jsonrpc: '2.0', ...request })}\n`;
  child.stdin.write(toLine({ id: 'hello', method: 'initialize', params: { protocolVersion: 1 } }));
  await within(greeted, 'greeting');
  const open = { method: 'session/new', params: { cwd: sessions, mcpServers: [] } };
  const unknown = { method: 'session/prompt', params: { sessionId: 'unknown', prompt: [] } };
  child.stdin.end(
    [
      { id: 'one', ...open },
      { id: 'two', ...open },
      { id: 'none', ...unknown },
    ]
      .map(toLine)
      .join(''),
  );
  assert.deepEqual(await within(ended, 'end'), [0, null]);
  const answered = (id: string): object => answers.find((one) => one.id === id) ?? {};
  for (const id of ['hello', 'one', 'two']) assert.ok('result' in answered(id), `${id}: ${JSON.stringify(answers)}`);
  assert.ok('error' in answered('none'));
});

test('a turn that runs is stopped, told to its end and answered', async (t) => {
  const client = connectSdkClient(t, { command, args, cwd: sessions, env: process.env });
  await client.initialize();
  const { sessionId } = await client.open();
  const turn = client.prompt(sessionId, 'wait');
  await client.updates.until('beginning', (update) => wordsOf([update]) !== '');
  client.leave();
  assert.equal((await turn).stopReason, 'cancelled');
  assert.equal((await client.ended()).code, 0);
});

test('an agent that does not stop its turn keeps no request without an answer, and not this program running', async (t) => {
  const agent = served('deaf', 'acp', [process.execPath, here('../agents/ignoresCancel.mjs')]).agent;
  const client = connectSdkClient(t, { command: agent.command, args: agent.args, cwd: sessions, env: process.env });
  await client.initialize();
  const { sessionId } = await client.open();
  const turn = client.prompt(sessionId, 'wait');
  await client.updates.until('beginning', (update) => wordsOf([update]) !== '');
  const unstopped = { code: -32603, data: { code: 'request_timeout' } };
  await assert.rejects(client.request('session/close', { sessionId }), unstopped);
  const closing = assert.rejects(client.request('session/close', { sessionId }), unstopped);
  await assert.rejects(client.prompt(sessionId, 'again'), { code: -32600 }, 'it is still open');
  client.leave();
  await closing;
  await assert.rejects(turn, { code: -32603 });
  assert.equal((await client.ended()).code, 0);
});
