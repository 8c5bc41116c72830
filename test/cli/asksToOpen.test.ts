/** What an agent asks in order to open a session or to sign the user in, where a user sees it. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { connectSdkClient } from '../serve/sdkClient.js';
import { CliProcess, noTerminal, type Place, testAgent } from './cliProcess.js';
import { placesOfOneEngine } from './engineOf.js';
import { cliProgram } from './programs.js';
import { runHere } from './runHere.js';

const makePlace = placesOfOneEngine();

let place: Place;
beforeEach(async () => {
  place = await makePlace();
});
afterEach(() => place.remove());

const agent = testAgent('asksToOpen');
const told = '{"action":"accept","content":{"code":"42"}}';
const asks = (method: string, what = 'form'): NodeJS.ProcessEnv => ({ ASKS_AT: method, ASKS_FOR: what });

describe('as JSON', () => {
  for (const [command, args, end] of [
    ['run', ['hi'], undefined],
    ['chat', [], { prompt: 'hi' }],
  ] as const)
    test(`${command}: it is a question without a session, which is answered on stdin`, async () => {
      const cli = new CliProcess(
        place,
        [command, ...agent, '--format', 'json', ...(command === 'run' ? ['--permission', 'ask'] : []), ...args],
        asks('session/new'),
      );
      const asked = await cli.event('the question', ({ event }) => event === 'question');
      assert.ok(asked.event === 'question' && asked.phase === 'request');
      assert.deepEqual([asked.sessionId, asked.id, asked.question], ['', 'ask1', 'Before session/new']);
      cli.writeLine({ question: 'ask1', text: '42' });
      const answered = await cli.event('the answer', (line) => line.event === 'question' && line.phase === 'answer');
      assert.ok(answered.event === 'question' && answered.phase === 'answer' && answered.outcome === 'answered');
      if (end !== undefined) cli.writeLine(end);
      cli.child.stdin.end();
      const { code, stdout } = await cli.ended();
      assert.equal(code, 0);
      assert.ok(stdout.includes(JSON.stringify(told).slice(1, -1)), stdout);
    });

  test('nobody to ask: it is canceled, and the run says that it needs a sign-in', async () => {
    const { code, stdout } = await runHere(place, ['run', ...agent, '--format', 'json', 'hi'], { env: asks('session/new') });
    assert.equal(code, 4, stdout);
    assert.match(stdout, /"outcome":"cancelled","why":"not_interactive"/);
  });
});

describe('in a terminal', { skip: noTerminal() }, () => {
  const inTerminal = (args: readonly string[], env: NodeJS.ProcessEnv): CliProcess =>
    new CliProcess(place, args, { TERM: 'xterm', NO_COLOR: '1', ...env }, { terminal: true });

  for (const command of ['run', 'chat'] as const)
    test(`${command}: it is asked before the session is open`, async () => {
      const cli = inTerminal([command, ...agent, ...(command === 'run' ? ['hi'] : [])], asks('session/new'));
      await cli.until('the question', (stdout) => stdout.includes('Before session/new'));
      await cli.until('the line for the answer', (stdout) =>
        /(?:code|answer|Answer)[^\n]*: ?$|> ?$/i.test(stdout.replaceAll(/\x1b\[[\d;?]*[a-zA-Z]/g, '')),
      );
      cli.child.stdin.write('42\n');
      if (command === 'chat') {
        await cli.until('the chat', (stdout) => stdout.includes('42'));
        cli.child.stdin.write('hi\n');
      }
      await cli.until('the answer', (stdout) => stdout.includes(told));
      if (command === 'chat') cli.child.stdin.write('\x04');
      assert.equal((await cli.ended()).code, 0);
    });

  test('login: it is asked during the sign-in', async () => {
    const cli = inTerminal(['login', ...agent], asks('authenticate'));
    await cli.until('the question', (stdout) => stdout.includes('Before authenticate'));
    await cli.until('the line for the answer', (stdout) => /: ?$|> ?$/.test(stdout));
    cli.child.stdin.write('42\n');
    await cli.until('the end', (stdout) => stdout.includes('Signed in to Curious with Browser.'));
    assert.equal((await cli.ended()).code, 0);
  });
});

test('login without a terminal: nothing is answered, and the user learns why', async () => {
  const { code, stderr } = await runHere(place, ['login', ...agent], { env: asks('authenticate') });
  assert.equal(code, 4, stderr);
  assert.match(stderr, /Curious has a question: run acp-host login in a terminal to answer it\./);
});

describe('serve', () => {
  for (const [method, params] of [
    ['session/new', {}],
    ['session/load', { sessionId: 's1' }],
    ['session/fork', { sessionId: 's1' }],
    ['authenticate', { methodId: 'browser' }],
  ] as const)
    test(`${method}: it reaches the client because of the client's own request, with its answer`, async (t) => {
      const env = { ...place.env, ...asks(method) };
      const capabilities = { elicitation: { form: {}, url: {} } };
      const elicit = (): object => ({ action: 'accept', content: { code: '42' } });
      const client = connectSdkClient(t, {
        command: process.execPath,
        args: [cliProgram, 'serve', ...agent],
        cwd: place.workspace,
        env,
        capabilities,
        elicit,
      });
      await client.initialize();
      await client.request(method, { cwd: place.workspace, mcpServers: [], ...params });
      const [asked] = client.elicitations.all;
      assert.ok(asked !== undefined && 'requestId' in asked && !('sessionId' in asked));
      assert.equal(asked.requestId, 1);
      await client.request('session/load', { sessionId: 's1', cwd: place.workspace, mcpServers: [] });
    });

  test('a client without elicitations: it is canceled', async (t) => {
    const env = { ...place.env, ...asks('session/new') };
    const client = connectSdkClient(t, { command: process.execPath, args: [cliProgram, 'serve', ...agent], cwd: place.workspace, env });
    await client.initialize();
    await assert.rejects(client.open(), (error: { readonly code: number }) => error.code === -32000);
    assert.equal(client.permissions.all.length, 0);
  });
});
