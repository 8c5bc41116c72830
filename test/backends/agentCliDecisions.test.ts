/** A server with Agent-CLI's protocol that asks for a second decision while the first is open, which the program itself never does. */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import type { ConnectAgent } from '../../src/core/backends/agentBackend.js';
import { connectAgentCli } from '../../src/core/backends/agentCli/agentCliBackend.js';
import { selectOption, type UserRequest } from '../../src/core/session/userRequest.js';
import { accept, serveWire } from '../core/transport/wireServer.js';
import { within } from '../real/deadline.js';
import { serverAt } from '../standIns/startStandIn.js';
import { type Collected, collect, connectSeam, eventsIn, type OpenSession, rejects, type Seam } from './seam.js';

/** Longer than the host waits before it repeats or continues something automatically. */
const longMs = 3_000;

interface Connected extends Seam, OpenSession {
  /** Names of the inputs that the server received, in order. */
  readonly inputs: Collected<string>;
  /** Resolves with both requests. */
  both(): Promise<readonly [UserRequest, UserRequest]>;
}

/** Sends two requests for `ask`. Answers any other prompt slowly, with what it received in the meantime. */
async function connect(t: TestContext): Promise<Connected> {
  const inputs = collect<string>();
  const { url } = await serveWire(t, {
    answer: (...request) => {
      const peer = accept(...request);
      let turn = '';
      let open = 0;
      const say = (response: object, request_id = turn): void => peer?.sendText(JSON.stringify({ request_id, response, error: null }));
      peer?.on('text', (text: string) => {
        const { request_id, input } = JSON.parse(text);
        const name = typeof input === 'string' ? input : (Object.keys(input)[0] ?? '');
        inputs.add(name);
        if (name === 'GetCommands' || name === 'Text') turn = request_id;
        if (name === 'GetCommands') say({ Text: '{"commands":[]}' });
        else if (input.Text === 'ask') {
          open = 2;
          for (const command of ['make', 'make install']) say({ ToolConfirmationRequest: { name: 'shell', arguments: { command } } });
        } else if (name === 'ToolConfirmationResponse') {
          if (--open === 0) say({ Complete: { interrupted: false } });
          else setTimeout(() => say({ Stream: 'waiting' }, request_id), longMs);
        } else if (name === 'Text') {
          const before = inputs.all.length;
          setTimeout(() => say({ Text: `then ${inputs.all.slice(before).join()}` }), longMs);
        }
      });
      return peer;
    },
  });
  const dial: ConnectAgent = (options) => connectAgentCli({ ...options, ...serverAt(url.href) });
  const seam = await connectSeam(t, dial, { agent: { label: 'Stand-in', command: '', args: [], env: {} } });
  const both = async (): Promise<readonly [UserRequest, UserRequest]> => {
    const first = await seam.asked.until('first request', () => true);
    return [first, await seam.asked.until('second request', (one) => one !== first)];
  };
  return { ...seam, ...(await seam.open()), inputs, both };
}

test('canceling a turn with two open decisions does not affect the next one', async (t) => {
  const { prompt, both, session, words } = await connect(t);
  const turn = prompt('ask');
  await both();
  session.cancel();
  assert.equal((await within(turn, 'end')).stopReason, 'cancelled');
  assert.equal((await within(prompt('next'), 'end')).stopReason, 'end_turn');
  assert.equal(words(), 'then ');
});

test('nothing is regenerated while a second decision is open', async (t) => {
  const { prompt, both, answer, inputs, told } = await connect(t);
  const turn = prompt('ask');
  const [first, second] = await both();
  assert.ok(answer(first, selectOption('approve')));
  await told.until('words', (one) => one.type === 'event' && one.event.type === 'message');
  assert.deepEqual(inputs.all, ['GetCommands', 'Text', 'ToolConfirmationResponse']);
  assert.ok(answer(second, selectOption('reject')));
  assert.equal((await within(turn, 'end')).stopReason, 'end_turn');
  assert.deepEqual(inputs.all.slice(3), ['ToolConfirmationResponse']);
});

interface SlowServer extends Seam, OpenSession {
  readonly inputs: Collected<string>;
  /** Sends a text with the id of the prompt. */
  say(response: object): void;
}

/** Runs an approved call at once, however long it takes. @param regenerate the answer to a request to regenerate */
async function connectSlow(t: TestContext, regenerate?: { readonly error: string }): Promise<SlowServer> {
  const inputs = collect<string>();
  let say = (_: object): void => {};
  const { url } = await serveWire(t, {
    answer: (...request) => {
      const peer = accept(...request);
      const tell = (request_id: string, response: object, error: string | null = null): void =>
        peer?.sendText(JSON.stringify({ request_id, response, error }));
      peer?.on('text', (text: string) => {
        const { request_id, input } = JSON.parse(text);
        const name = typeof input === 'string' ? input : (Object.keys(input)[0] ?? '');
        if (name === 'GetCommands') tell(request_id, { Text: '{"commands":[]}' });
        if (name === 'Text') say = (response) => tell(request_id, response);
        if (name === 'Text') tell(request_id, { ToolConfirmationRequest: { name: 'shell', arguments: {} } });
        if (name === 'Regenerate' && regenerate !== undefined) tell(request_id, { Text: '' }, regenerate.error);
        inputs.add(name);
      });
      return peer;
    },
  });
  const dial: ConnectAgent = (options) => connectAgentCli({ ...options, ...serverAt(url.href) });
  const seam = await connectSeam(t, dial, { agent: { label: 'Stand-in', command: '', args: [], env: {} } });
  return { ...seam, ...(await seam.open()), inputs, say: (response) => say(response) };
}

for (const [kind, regenerate] of [
  ['ignores', undefined],
  ['refuses', { error: 'Cannot do that now' }],
] as const)
  test(`with a server that runs the approved call for long and ${kind} the request to regenerate, the whole answer is shown`, async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const { prompt, asked, answer, inputs, say, told, words } = await connectSlow(t, regenerate);
    const turn = prompt('go');
    const request = await asked.until('request', () => true);
    assert.ok(answer(request, selectOption('approve')));
    await inputs.until('answer', (name) => name === 'ToolConfirmationResponse');
    t.mock.timers.tick(2_000);
    await inputs.until('request to generate again', (name) => name === 'Regenerate');
    for (const piece of ['It was ', 'made.']) {
      say({ Stream: piece });
      await Promise.race([turn, told.until(piece, () => words().endsWith(piece))]);
      t.mock.timers.tick(10_000);
    }
    say({ Complete: { interrupted: false } });
    assert.equal((await within(turn, 'end')).stopReason, 'end_turn');
    assert.equal(words(), 'It was made.');
  });

test('a report that an approved call does not run yet is not an answer, even if it is late', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { prompt, asked, answer, inputs, say, words } = await connectSlow(t);
  const turn = prompt('go');
  assert.ok(answer(await asked.until('request', () => true), selectOption('approve')));
  await inputs.until('answer', (name) => name === 'ToolConfirmationResponse');
  t.mock.timers.tick(2_000);
  await inputs.until('request to generate again', (name) => name === 'Regenerate');
  say({ Text: "Tool 'shell' execution was not approved by user" });
  say({ Text: 'made' });
  assert.equal((await within(turn, 'end')).stopReason, 'end_turn');
  assert.equal(words(), 'made');
  assert.equal(inputs.all.filter((name) => name === 'Regenerate').length, 1);
});

test('if a server refuses to continue after an approved call, its reason explains the wait, without a key that it quotes', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { prompt, asked, answer, inputs, say, told } = await connectSlow(t, { error: 'Incorrect API key provided: sk-secret_0123456789' });
  const turn = prompt('go');
  assert.ok(answer(await asked.until('request', () => true), selectOption('approve')));
  await inputs.until('answer', (name) => name === 'ToolConfirmationResponse');
  t.mock.timers.tick(2_000);
  await inputs.until('request to generate again', (name) => name === 'Regenerate');
  say({ Text: 'made' });
  await turn;
  const notices = eventsIn(told.all).flatMap((event) =>
    event.type === 'host_notice' && event.code === 'continue_refused' ? [event.params.detail] : [],
  );
  assert.deepEqual(notices, ['Incorrect API key provided: [redacted]']);
});

test('a request of the user to regenerate fails if the server refuses it, for whatever reason', async (t) => {
  const { prompt } = await connectSlow(t, { error: 'A turn is already running' });
  await rejects(within(prompt('/regenerate'), 'end'), 'request_failed');
});
