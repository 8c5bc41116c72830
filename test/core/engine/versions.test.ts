/** Front ends and engines of other versions. The fixture is what an engine and a front end of 2026-11-26 said to each other, without the greeting. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { it, type TestContext } from 'node:test';
import {
  type ConversationClient,
  type ConversationState,
  emptyConversation,
  Engine,
  EngineClient,
  nullLogger,
} from '../../../src/core/index.js';
import { reduceConversation } from '../../../src/core/conversation/events.js';
import { RemoteReplica } from '../../../src/core/engine/replica.js';
import { emptySession } from '../../../src/core/session/reducer.js';
import { createSocketWire } from '../../../src/core/link/socketWire.js';
import { createWirePair } from '../../../src/core/link/wire.js';
import { reached, said } from '../conversation/frontEnd.js';

interface Frame {
  readonly id?: number;
  readonly method?: string;
  readonly params?: { readonly method?: string; readonly channel?: string; readonly message?: unknown };
  readonly result?: { readonly value?: unknown };
  readonly error?: unknown;
}
interface Recorded {
  readonly from: 'front' | 'engine';
  readonly frame: Frame;
}

const fixture = readFileSync(path.resolve(import.meta.dirname, '../../fixtures/link/2026-11-26.jsonl'), 'utf8');
const readRecorded = (text: string): readonly Recorded[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Recorded);
const isCall = ({ frame }: Recorded): boolean => frame.method === 'call';
/** Ids of a connection are numbers that each end gives its calls. */
const resultOf = (recorded: readonly Recorded[], call: Recorded): Frame['result'] =>
  recorded.find(({ from, frame }) => from !== call.from && frame.method === undefined && frame.id === call.frame.id)?.frame.result;
const eventsOf = ({ frame }: Recorded, type: string): number => JSON.stringify(frame).split(`"type":"${type}","at"`).length - 1;

const whole = ['user: say one', 'agent: one', 'end ended', 'user: wait', 'tool', 'end ended'];

it("an older engine's words lead this front end to the same conversation", async (t) => {
  const recorded = readRecorded(fixture);
  const [own, wire] = createWirePair();
  const attached = recorded.findIndex(({ from, frame }) => from === 'engine' && frame.id === 0 && frame.result !== undefined);
  const tell = (some: readonly Recorded[]): void => {
    for (const { frame } of some)
      if (frame.method === 'tell') void own.tell(frame.params?.channel ?? '', structuredClone(frame.params?.message));
  };
  own.serve(async (method) => {
    if (method === 'attach') tell(recorded.slice(0, attached));
    if (method === 'open') setImmediate(() => tell(recorded.slice(attached)));
    const call = recorded.find((one) => one.from === 'front' && isCall(one) && one.frame.params?.method === method);
    assert.ok(call, method);
    return resultOf(recorded, call)?.value;
  });
  const client = new EngineClient({ connect: async () => wire, attaching: { program: 'editor', use: 'share' }, services: {} });
  t.after(() => client.dispose());
  await client.connected();
  const conversation = client.open({ id: 'recorded', cwd: '/workspace' });
  await reached(conversation, (state) => said(state).length === whole.length);
  assert.deepEqual(said(conversation.state), whole);
  assert.deepEqual([conversation.state.live, conversation.state.draft.text, conversation.state.outbox], [true, 'half a thought', []]);
  // That engine knew no changes.
  assert.deepEqual(conversation.state.changes, []);
  assert.deepEqual(
    client.list.state.conversations.map(({ title }) => title),
    ['As it was'],
  );
  assert.equal(client.facts.state.folders['/workspace']?.shown, 'recorded');
});

it("an older front end's words lead this engine to the same conversation", async (t) => {
  const root = await realpath(await mkdtemp(path.join(tmpdir(), 'acp-host-versions-')));
  const workspace = path.join(root, 'workspace');
  await mkdir(workspace);
  const agents = path.resolve(import.meta.dirname, '../../agents');
  const places = { '/workspace': workspace, '/agents': agents, '/node': process.execPath };
  const recorded = readRecorded(
    Object.entries(places).reduce((text, [from, to]) => text.replaceAll(`"${from}`, JSON.stringify(to).slice(0, -1)), fixture),
  );
  const engine = new Engine({ stateFolder: path.join(root, 'state'), version: '0', location: 'process', onIdle() {} });
  t.after(async () => {
    await engine.close();
    await rm(root, { recursive: true });
  });
  await engine.load();
  const [own, front] = await openSockets(t, root);
  engine.accept(createSocketWire(own));
  const seen: Recorded[] = [];
  let wake = (): void => {};
  readFrames(front, (frame) => {
    const told: Recorded = { from: 'engine', frame };
    seen.push(told);
    if (isCall(told)) write(front, { jsonrpc: '2.0', id: frame.id, ...answerTo(recorded, frame) });
    wake();
  });
  const until = async (holds: () => boolean): Promise<void> => {
    while (!holds()) await new Promise<void>((resolve) => (wake = resolve));
  };
  for (const [index, one] of recorded.entries()) {
    if (one.from === 'engine' || !isCall(one)) continue;
    // It had seen this much when it went on.
    for (const [type, most] of [
      ['tool', 1],
      ['turn_ended', 2],
    ] as const) {
      const count = (all: readonly Recorded[]): number => all.reduce((sum, frame) => sum + eventsOf(frame, type), 0);
      await until(() => count(seen) >= Math.min(most, count(recorded.slice(0, index))));
    }
    write(front, one.frame);
    const answer = (): Frame | undefined => seen.find(({ frame }) => frame.method === undefined && frame.id === one.frame.id)?.frame;
    await until(() => answer() !== undefined);
    assert.equal(answer()?.error, undefined, JSON.stringify(answer()));
    assert.notEqual((answer()?.result?.value as { ok?: boolean } | undefined)?.ok, false, JSON.stringify(answer()));
  }
  const state = engine.conversations.get('recorded')?.state ?? assert.fail('no conversation');
  assert.deepEqual(said(state), whole);
  assert.equal(engine.conversations.state.conversations[0]?.title, 'As it was');
});

it('what a newer engine tells beyond that is left out, and a batch that makes no sense is replaced by a snapshot', () => {
  let asked = 0;
  const replica: ConversationClient & { receive(message: unknown): void } = new RemoteReplica({
    initial: emptyConversation('c', '/'),
    reduce: reduceConversation,
    execute: () => Promise.resolve({ ok: true }),
    resync: () => asked++,
  });
  const state: ConversationState = { ...emptyConversation('c', '/'), revision: 1, session: emptySession('s', '/', 1) };
  replica.receive({ type: 'snapshot', state, signed: 'yes' });
  const batch = (revision: number, events: unknown): unknown => ({
    type: 'batch',
    after: revision - 1,
    batch: { revision, events },
  });
  const later = { type: 'weather', at: 5, is: 'fine' };
  const message = { type: 'message', at: 6, role: 'agent', content: { type: 'text', text: 'hi' }, mood: 1 };
  replica.receive(
    batch(2, [
      { type: 'session', events: [later, message, later] },
      { type: 'mascot', mascot: 'cat' },
    ]),
  );
  assert.deepEqual(said(replica.state), ['agent: hi']);
  assert.equal(asked, 0);
  for (const [index, events] of [null, [null], [{ type: 'session', events: 7 }]].entries()) {
    const before = replica.state;
    replica.receive(batch(3 + index, events));
    assert.equal(replica.state, before);
    assert.equal(asked, index + 1);
    replica.receive({ type: 'snapshot', state: { ...state, revision: 3 + index } });
    assert.equal(replica.state.revision, 3 + index);
  }
});

it('what cannot be read is said once, costs a snapshot, and nothing else', async (t) => {
  const [own, wire] = createWirePair();
  const asked: string[] = [];
  const state = { ...emptyConversation('c', '/'), revision: 1, mascot: 'cat' };
  own.serve(async (method, params) => {
    if (method === 'resync') asked.push((params as { channel: string }).channel);
    return method === 'attach' ? {} : { ok: true };
  });
  const warnings: string[] = [];
  const log = { ...nullLogger, warn: (message: string) => void warnings.push(message) };
  const client = new EngineClient({ connect: async () => wire, attaching: { program: 'editor', use: 'share' }, services: {}, log });
  t.after(() => client.dispose());
  await client.connected();
  const conversation = client.open({ id: 'c', cwd: '/' });
  const tell = (message: unknown): void => void own.tell('conversation c', message);
  tell({ type: 'snapshot', state });
  tell({ type: 'batch', after: 1, batch: { revision: 2, events: [{ type: 'mascot', mascot: 'dog' }] } });
  assert.deepEqual([conversation.state.revision, 'mascot' in conversation.state], [2, false]);
  for (const nonsense of [null, 7, { type: 'batch', after: 2, batch: { revision: 3, events: 'all' } }, { type: 'weather' }]) {
    tell(nonsense);
    tell({ type: 'snapshot', state: { ...state, revision: 2 } });
  }
  tell({ type: 'snapshot', state: 'gone' });
  await own.tell('log', { level: 'whisper', text: 'psst' });
  await own.tell('notice', { type: 'party' });
  assert.deepEqual(
    asked,
    Array.from({ length: 4 }, () => 'conversation c'),
  );
  assert.equal(warnings.length, 2);
  assert.equal(conversation.state.revision, 2);
});

function answerTo(recorded: readonly Recorded[], { params }: Frame): Pick<Frame, 'result' | 'error'> {
  const call = recorded.find((one) => one.from === 'engine' && isCall(one) && one.frame.params?.method === params?.method);
  const result = call && resultOf(recorded, call);
  return result === undefined
    ? { error: { code: -32_603, message: 'unsupported', data: { code: 'unsupported', params: {} } } }
    : { result };
}

async function openSockets(t: TestContext, folder: string): Promise<readonly [Socket, Socket]> {
  const server = createServer({ pauseOnConnect: true }).listen(path.join(folder, 's'));
  await once(server, 'listening');
  const accepted = once(server, 'connection') as Promise<[Socket]>;
  const socket = connect(path.join(folder, 's'));
  const [[other]] = await Promise.all([accepted, once(socket, 'connect')]);
  server.close();
  t.after(() => socket.destroy());
  return [other, socket];
}

function write(socket: Socket, frame: unknown): void {
  const text = JSON.stringify(frame);
  socket.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
}

function readFrames(socket: Socket, onFrame: (frame: Frame) => void): void {
  let received = Buffer.alloc(0);
  socket.on('data', (bytes) => {
    received = Buffer.concat([received, bytes]);
    for (;;) {
      const [head, length] = /^Content-Length: (\d+)\r\n\r\n/.exec(received.toString('latin1', 0, 64)) ?? [];
      const end = (head?.length ?? 0) + Number(length);
      if (head === undefined || received.length < end) return;
      const text = received.toString('utf8', head.length, end);
      received = received.subarray(end);
      onFrame(JSON.parse(text) as Frame);
    }
  });
}
