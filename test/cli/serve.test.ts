/** `acp-host serve` as a process: what an editor sees of it. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { Readable, Writable } from 'node:stream';
import { afterEach, beforeEach, test, type TestContext } from 'node:test';
import { client, methods, ndJsonStream, type SessionUpdate } from '@agentclientprotocol/sdk';
import { zSessionNotification } from '../../node_modules/@agentclientprotocol/sdk/dist/v1/schema/zod.gen.js';
import { makePlace, type Place, runCli, testAgent } from './cliProcess.js';
import { cliProgram, demoAgentProgram } from './programs.js';

let place: Place;
beforeEach(async () => {
  place = await makePlace({ 'a.txt': 'one\n' });
});
afterEach(() => place.remove());

const demo = ['--command', `"${process.execPath}" "${demoAgentProgram}"`];

/** A client by the SDK; each update is checked by the official schema. */
async function connect(t: TestContext, args: readonly string[], choose = 'allow_once') {
  const child = spawn(process.execPath, [cliProgram, 'serve', ...args], { cwd: place.workspace, env: place.env });
  const exited = once(child, 'exit');
  let stderr = '';
  let stdout = '';
  child.stderr.on('data', (chunk) => (stderr += String(chunk)));
  const updates: SessionUpdate[] = [];
  const asked: string[] = [];
  const [seen, wire] = Readable.toWeb(child.stdout).tee() as [ReadableStream<Uint8Array>, ReadableStream<Uint8Array>];
  void (async () => {
    for await (const chunk of seen) stdout += Buffer.from(chunk).toString();
  })();
  const connection = client({ name: 'test' })
    .onNotification(methods.client.session.update, ({ params }) => {
      zSessionNotification.parse(params);
      updates.push(params.update);
    })
    .onRequest(methods.client.session.requestPermission, ({ params }) => {
      asked.push(params.toolCall.title ?? '');
      const optionId = params.options.find(({ kind }) => kind === choose)?.optionId;
      return { outcome: optionId === undefined ? { outcome: 'cancelled' } : { outcome: 'selected', optionId } };
    })
    .connect(ndJsonStream(Writable.toWeb(child.stdin), wire));
  t.after(() => void child.kill('SIGKILL'));
  const request = (method: string, params: object): Promise<never> => connection.agent.request(method, params);
  return {
    updates,
    asked,
    request,
    child,
    initialize: () => request('initialize', { protocolVersion: 1, clientCapabilities: {} }),
    open: async (): Promise<string> =>
      ((await request('session/new', { cwd: place.workspace, mcpServers: [] })) as { sessionId: string }).sessionId,
    prompt: (sessionId: string, text: string): Promise<never> => request('session/prompt', { sessionId, prompt: [{ type: 'text', text }] }),
    async end(): Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }> {
      const [code] = await exited;
      return { code, stdout, stderr };
    },
  };
}

const said = (updates: readonly SessionUpdate[]): string =>
  updates
    .map((update) => (update.sessionUpdate === 'agent_message_chunk' && update.content.type === 'text' ? update.content.text : ''))
    .join('');

test('a turn with a permission, a session that is loaded again, and a client that leaves: nothing but messages on stdout', async (t) => {
  const first = await connect(t, demo);
  assert.deepEqual(((await first.initialize()) as { agentInfo: object }).agentInfo, {
    name: 'acp-host',
    title: 'Demo agent',
    version: '0.1.0',
  });
  const sessionId = await first.open();
  assert.deepEqual(await first.prompt(sessionId, 'edit a.txt one => two'), { stopReason: 'end_turn' });
  assert.equal(first.asked.length, 1);
  assert.ok(first.updates.some((update) => update.sessionUpdate === 'available_commands_update'));
  assert.ok(
    first.updates.some((update) => update.sessionUpdate === 'tool_call_update' && update.content?.some(({ type }) => type === 'diff')),
  );
  first.child.stdin.end();
  const { code, stdout, stderr } = await first.end();
  assert.deepEqual([code, stderr], [0, '']);
  for (const line of stdout.trimEnd().split('\n')) assert.equal(JSON.parse(line).jsonrpc, '2.0');
  const second = await connect(t, demo);
  await second.initialize();
  await second.request('session/load', { sessionId, cwd: place.workspace, mcpServers: [] });
  assert.equal(said(second.updates), said(first.updates));
  assert.ok(second.updates.some((update) => update.sessionUpdate === 'user_message_chunk'));
});

test('an agent that dies in the middle of a turn: the client is told, and the program ends with 6', async (t) => {
  const { initialize, open, prompt, end } = await connect(t, testAgent('diesWhileItAsks'));
  await initialize();
  const sessionId = await open();
  await assert.rejects(prompt(sessionId, 'go'), (error: { code: number; data: { code: string } }) => {
    assert.deepEqual([error.code, error.data.code], [-32603, 'agent_exited']);
    return true;
  });
  const { code, stderr } = await end();
  assert.equal(code, 6);
  assert.match(stderr, /^acp-host: .+/m);
});

test('an agent that is not there: the first request is answered why, and the program ends with 3', async (t) => {
  const { initialize, end } = await connect(t, ['--command', 'not-there --acp']);
  await assert.rejects(initialize(), { message: 'There is no program "not-there" on the PATH' });
  const { code, stderr } = await end();
  assert.equal(code, 3);
  assert.match(stderr, /There is no program "not-there" on the PATH/);
});

test('what does not fit together is said before anything is started', async () => {
  for (const args of [['--agent', 'demo', '--command', 'x'], ['a prompt'], ['--format', 'json']]) {
    const { code, stdout, stderr } = await runCli(place, ['serve', ...args]);
    assert.deepEqual([code, stdout], [2, '']);
    assert.match(stderr, /^acp-host: .+/);
  }
});

test('a loop: this program, ACP, `serve`, and the agent', async () => {
  const inner = [process.execPath, demoAgentProgram].map((word) => `\\"${word}\\"`).join(' ');
  const loop = ['--command', `"${process.execPath}" "${cliProgram}" serve --command "${inner}"`];
  const { code, stdout, stderr } = await runCli(place, [
    'run',
    ...loop,
    '--cwd',
    place.workspace,
    '--permission',
    'allow',
    '--answer',
    'blue',
    'ask',
  ]);
  assert.deepEqual([code, /You answered: \*\*blue\*\*/.test(stdout)], [0, true], stderr);
  const rejected = await runCli(place, ['run', ...loop, '--cwd', place.workspace, '--permission', 'reject', 'edit a.txt one => two']);
  assert.match(rejected.stderr, /Edit|a\.txt/);
  assert.equal(await readFile(path.join(place.workspace, 'a.txt'), 'utf8'), 'one\n');
  const doctor = await runCli(place, ['doctor', ...loop, '--cwd', place.workspace, '--session']);
  assert.equal(doctor.code, 0, doctor.stdout);
});
