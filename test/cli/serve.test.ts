/** `acp-host serve` as a process, from an editor's point of view. */
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, test, type TestContext } from 'node:test';
import { connectSdkClient, type SdkClient, wordsOf } from '../serve/sdkClient.js';
import { makePlace, type Place, runCli, testAgent } from './cliProcess.js';
import { cliProgram, demoAgentProgram } from './programs.js';

let place: Place;
beforeEach(async () => {
  place = await makePlace({ 'a.txt': 'one\n' });
});
afterEach(() => place.remove());

const demo = ['--command', `"${process.execPath}" "${demoAgentProgram}"`];

const connect = (t: TestContext, args: readonly string[]): SdkClient =>
  connectSdkClient(t, { command: process.execPath, args: [cliProgram, 'serve', ...args], cwd: place.workspace, env: place.env });

test('a turn with a permission, a reloaded session and a client that disconnects write only messages to stdout', async (t) => {
  const first = connect(t, demo);
  assert.deepEqual(((await first.initialize()) as { agentInfo: object }).agentInfo, {
    name: 'acp-host',
    title: 'Demo agent',
    version: '0.1.0',
  });
  const { sessionId } = await first.open();
  assert.deepEqual(await first.prompt(sessionId, 'edit a.txt one => two'), { stopReason: 'end_turn' });
  assert.equal(first.permissions.all.length, 1);
  assert.ok(first.updates.all.some((update) => update.sessionUpdate === 'available_commands_update'));
  assert.ok(
    first.updates.all.some((update) => update.sessionUpdate === 'tool_call_update' && update.content?.some(({ type }) => type === 'diff')),
  );
  first.leave();
  const { code, stdout, stderr } = await first.ended();
  assert.deepEqual([code, stderr], [0, '']);
  for (const line of stdout.trimEnd().split('\n')) assert.equal(JSON.parse(line).jsonrpc, '2.0');
  const second = connect(t, demo);
  await second.initialize();
  await second.load(sessionId);
  assert.equal(wordsOf(second.updates.all), wordsOf(first.updates.all));
  assert.ok(second.updates.all.some((update) => update.sessionUpdate === 'user_message_chunk'));
});

test('if the agent crashes during a turn, the client gets an error, and the program exits with 6', async (t) => {
  const { initialize, open, prompt, ended } = connect(t, testAgent('diesWhileItAsks'));
  await initialize();
  const { sessionId } = await open();
  await assert.rejects(prompt(sessionId, 'go'), (error: { code: number; data: { code: string } }) => {
    assert.deepEqual([error.code, error.data.code], [-32603, 'agent_exited']);
    return true;
  });
  const { code, stderr } = await ended();
  assert.equal(code, 6);
  assert.match(stderr, /^acp-host: .+/m);
});

for (const method of ['session/prompt', 'session/resume'])
  test(`if a sign-in expires at ${method}, the client gets ACP's error, and can repeat the request after it signed in`, async (t) => {
    const client = connectSdkClient(t, {
      command: process.execPath,
      args: [cliProgram, 'serve', ...testAgent('expiresInBetween')],
      cwd: place.workspace,
      env: { ...place.env, EXPIRES_AT: method },
    });
    await client.initialize();
    const { sessionId } = await client.open();
    const prompt = (): Promise<unknown> => client.prompt(sessionId, 'hi');
    const ask = method === 'session/prompt' ? prompt : () => client.request(method, { sessionId, cwd: place.workspace, mcpServers: [] });
    await assert.rejects(ask(), ({ code }: { readonly code: number }) => code === -32000);
    await client.request('authenticate', { methodId: 'browser' });
    await ask();
    assert.deepEqual(await client.prompt(sessionId, 'again'), { stopReason: 'end_turn' });
    assert.ok(wordsOf(client.updates.all).endsWith('again'));
  });

test('if the agent refuses a request, the client gets its code and message', async (t) => {
  const { initialize, open, prompt } = connect(t, testAgent('refusesParams'));
  await initialize();
  const { sessionId } = await open();
  for (const code of [-32602, -32601, -32600, -32603, -32042, 7])
    await assert.rejects(prompt(sessionId, String(code)), (error: { code: number; message: string; data: object }) => {
      assert.deepEqual([error.code, error.message, error.data], [code, 'prompt[0]: not supported', { code: 'request_failed' }]);
      return true;
    });
  // The agent could not parse a message of the host, not of the client.
  await assert.rejects(prompt(sessionId, '-32700'), { code: -32603 });
});

test('if the agent is missing, the first request gets the reason, and the program exits with 3', async (t) => {
  const { initialize, ended } = connect(t, ['--command', 'not-there --acp']);
  await assert.rejects(initialize(), { message: 'The program "not-there" is not on the PATH' });
  const { code, stderr } = await ended();
  assert.equal(code, 3);
  assert.match(stderr, /The program "not-there" is not on the PATH/);
});

test('the diff of a write is created from the folder of its session, and from no other', async (t) => {
  const shown = async (cwd: string): Promise<unknown> => {
    const { initialize, request, prompt, permissions } = connect(t, testAgent('namesItselfAgentao'));
    await initialize();
    const { sessionId }: { readonly sessionId: string } = await request('session/new', { cwd, mcpServers: [] });
    await prompt(sessionId, 'write');
    return permissions.all.flatMap(({ toolCall }) => toolCall.content?.filter(({ type }) => type === 'diff') ?? []);
  };
  const elsewhere = await mkdtemp(path.join(path.dirname(place.workspace), 'elsewhere-'));
  const file = path.join(elsewhere, 'a.txt');
  await writeFile(file, 'old\n');
  assert.deepEqual(await shown(elsewhere), [{ type: 'diff', path: file, oldText: 'old\n', newText: 'new\n' }]);
  if (process.platform === 'win32') return;
  // The agent runs in the folder that has the target, but the session does not.
  const inside = path.join(place.workspace, 'inside');
  await mkdir(inside);
  await symlink(path.join(place.workspace, 'a.txt'), path.join(inside, 'a.txt'));
  assert.deepEqual(await shown(inside), []);
});

test('conflicting options are reported before anything is started', async () => {
  for (const args of [['--agent', 'demo', '--command', 'x'], ['a prompt'], ['--format', 'json']]) {
    const { code, stdout, stderr } = await runCli(place, ['serve', ...args]);
    assert.deepEqual([code, stdout], [2, '']);
    assert.match(stderr, /^acp-host: .+/);
  }
});

test('this program can drive itself over ACP with `serve`', async () => {
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
