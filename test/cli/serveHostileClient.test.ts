/**
 * Clients of `acp-host serve` that violate the protocol: nothing is approved that they did not approve, and stderr reports the violation.
 */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, test, type TestContext } from 'node:test';
import * as z from 'zod/mini';
import { type Collected, collect } from '../backends/seam.js';
import { CliProcess, type CliResult, makePlace, type Place } from './cliProcess.js';
import { demoAgentProgram } from './programs.js';

const messageSchema = z.looseObject({
  id: z.optional(z.nullable(z.union([z.string(), z.number()]))),
  method: z.optional(z.string()),
  result: z.optional(z.looseObject({ sessionId: z.optional(z.string()), stopReason: z.optional(z.string()) })),
});
type Message = z.output<typeof messageSchema>;

let place: Place;
beforeEach(async () => {
  place = await makePlace({ 'a.txt': 'one\n' });
});
afterEach(() => place.remove());

interface Client {
  readonly said: Collected<Message>;
  send(message: object): void;
  write(text: string): void;
  answered(id: number): Promise<Message>;
  /** Closes its side. */
  leave(): Promise<CliResult>;
  readonly ended: Promise<CliResult>;
}

/** A client with a session that sends what a test tells it to. */
async function connect(t: TestContext): Promise<Client & { readonly sessionId: string }> {
  const cli = new CliProcess(place, ['serve', '--command', `"${process.execPath}" "${demoAgentProgram}"`]);
  t.after(() => cli.child.kill('SIGKILL'));
  // Some of these tests are about a program that stops reading.
  cli.child.stdin.on('error', () => {});
  const said = collect<Message>();
  createInterface({ input: cli.child.stdout }).on('line', (line) => said.add(messageSchema.parse(JSON.parse(line))));
  const write = (text: string): void => void cli.child.stdin.write(text);
  const send = (message: object): void => write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const answered = (id: number): Promise<Message> => said.until(`answer to ${id}`, (one) => one.id === id && one.method === undefined);
  const ended = cli.ended();
  send({ id: 1_000, method: 'initialize', params: { protocolVersion: 1, clientCapabilities: {} } });
  await answered(1_000);
  send({ id: 1_001, method: 'session/new', params: { cwd: place.workspace, mcpServers: [] } });
  const sessionId = (await answered(1_001)).result?.sessionId ?? assert.fail('no session');
  const leave = (): Promise<CliResult> => {
    cli.child.stdin.end();
    return ended;
  };
  return { said, send, write, answered, leave, ended, sessionId };
}

const content = (): Promise<string> => readFile(path.join(place.workspace, 'a.txt'), 'utf8');
const prompt = (id: number, sessionId: string, text: string): object => ({
  id,
  method: 'session/prompt',
  params: { sessionId, prompt: [{ type: 'text', text }] },
});
const edit = 'edit a.txt one => two';
const selected = (optionId: unknown): object => ({ result: { outcome: { outcome: 'selected', optionId } } });
const shape = /^acp-host: The client's response to session\/request_permission has the wrong shape/m;
const at = (member: string): RegExp => new RegExp(`${shape.source} at "${member}"`, 'm');

for (const [name, answer, told] of [
  ['a number', { result: 7 }, shape],
  ['null', { result: null }, shape],
  ['nothing in it', { result: {} }, at('outcome')],
  ['the outcome as a text', { result: { outcome: 'selected', optionId: 'allow_once' } }, at('outcome')],
  ['an outcome that ACP does not have', { result: { outcome: { outcome: 'allowed', optionId: 'allow_once' } } }, at('outcome.outcome')],
  ['an option in a list', selected(['allow_once']), at('outcome.optionId')],
  ['an option that was not offered', selected('allow_everything'), at('outcome.optionId')],
  ['a result and an error', { ...selected('allow_once'), error: { code: 1, message: 'no' } }, /^acp-host: .*Invalid request/m],
] as const)
  test(`a permission answered with ${name} is refused, reported, and the turn ends`, async (t) => {
    const { said, send, answered, leave, sessionId } = await connect(t);
    send(prompt(1, sessionId, edit));
    const { id } = await said.until('permission', ({ method }) => method === 'session/request_permission');
    send({ id, ...answer });
    assert.equal((await answered(1)).result?.stopReason, 'end_turn');
    const { code, stderr } = await leave();
    assert.equal(code, 0);
    assert.match(stderr, told);
    assert.equal(await content(), 'one\n');
  });

for (const [name, answers] of [
  ['twice, first with no', (id: unknown) => ['reject_once', 'allow_once'].map((option) => ({ id, ...selected(option) }))],
  [
    'after the cancel',
    (id: unknown, sessionId: string) => [
      { method: 'session/cancel', params: { sessionId } },
      { id, ...selected('allow_once') },
    ],
  ],
  [
    'under other ids, and then with no',
    (id: unknown) => [
      { id: 999, ...selected('allow_once') },
      { id: String(id), ...selected('allow_once') },
      { id, ...selected('reject_once') },
    ],
  ],
] as const)
  test(`a permission answered with ${name} is refused, and the turn ends`, async (t) => {
    const { said, send, answered, leave, sessionId } = await connect(t);
    send(prompt(1, sessionId, edit));
    const { id } = await said.until('permission', ({ method }) => method === 'session/request_permission');
    for (const answer of answers(id, sessionId)) send(answer);
    await answered(1);
    send(prompt(2, sessionId, 'hello'));
    assert.equal((await answered(2)).result?.stopReason, 'end_turn');
    assert.equal((await leave()).code, 0);
    assert.equal(await content(), 'one\n');
  });

for (const [name, message, told] of [
  ['an answer to a request that nobody made', { id: 'nobody', result: {} }, /^acp-host: The client answered a request that was not sent/],
  ['an answer without an id', { result: {} }, /^acp-host: The client answered a request that was not sent/],
  [
    'a cancel of nothing',
    { method: 'session/cancel', params: 7 },
    /^acp-host: The client sent session\/cancel without the ID of a session$/,
  ],
  ['a cancel of an unknown session', { method: 'session/cancel', params: { sessionId: 'nobody' } }, undefined],
  ['a cancel of a request by no id', { method: '$/cancel_request', params: { requestId: {} } }, undefined],
  ['a notification that is unknown', { method: 'session/hologram', params: [] }, undefined],
] as const)
  test(`${name}: stderr has only ACP Host's own lines, and the next turn continues`, async (t) => {
    const { send, answered, leave, sessionId } = await connect(t);
    send(message);
    send(prompt(1, sessionId, 'hello'));
    assert.equal((await answered(1)).result?.stopReason, 'end_turn');
    const { code, stderr } = await leave();
    assert.equal(code, 0);
    if (told === undefined) assert.equal(stderr, '');
    else assert.match(stderr.trimEnd(), told);
    assert.ok(!stderr.trimEnd().includes('\n'), stderr);
  });

test('a message that is too large ends the connection with a report, and the program exits with 1', async (t) => {
  const { write, ended } = await connect(t);
  write('x'.repeat(33 * 1024 * 1024));
  const { code, stderr } = await ended;
  assert.match(stderr, /^acp-host: The client sent a message larger than 32 MB, so the connection was closed$/m);
  assert.equal(code, 1);
});
