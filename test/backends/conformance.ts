/**
 * What every backend promises to the rooms above the seam, whatever its protocol. An absent capability is tested too: using it must be
 * refused. Tests are left out if an agent cannot be made to do what they need.
 */
import assert from 'node:assert/strict';
import { after, describe, test, type TestContext } from 'node:test';
import type { ConnectAgent, ConnectOptions, ResumeMethod } from '../../src/core/backends/agentBackend.js';
import { within } from '../real/deadline.js';
import { capabilities, type Capability, columnOf, readPage, writePage } from './capabilities.js';
import { testEnd } from './conformanceOfEnd.js';
import { testRequests } from './conformanceOfRequests.js';
import { testFailedStart, testStart } from './conformanceOfStart.js';
import { testTurn } from './conformanceOfTurns.js';
import { type Connected, messages, type Note, type Open, type Peer } from './peer.js';
import { collect, connectSeam, eventsIn, rejects, type Told, wordsIn } from './seam.js';

/**
 * Runs the suite over each of them, prints which can do what, and compares that with docs/protocols.md, which `npm run protocols` writes.
 */
export function conformance(peers: readonly Peer[]): void {
  const tested = peers.map((peer) => ({ ...peer, found: new Map<Capability, boolean>(), remarks: peer.remarks ?? {} }));
  const connects = new Set<ConnectAgent>();
  for (const peer of tested) {
    const { found, connect } = peer;
    describe(peer.name, () => {
      testPeer(peer, (capability, works) => found.set(capability, works || found.get(capability) === true));
      if (peer.isServer === true || connects.has(connect)) return;
      // What does not speak the protocol is the same for all of its agents.
      connects.add(connect);
      testFailedStart(peer);
    });
  }
  for (const column of new Set(tested.flatMap((peer) => peer.column ?? []))) {
    test(`docs/protocols.md lists what works with ${column}, and why the rest is refused`, () => {
      const ofColumn = tested.filter((peer) => peer.column === column);
      for (const { name, found, remarks } of ofColumn) {
        for (const capability of Object.keys(capabilities) as Capability[]) {
          assert.ok(found.has(capability), `${name}: ${capability} was not tested; run the whole file`);
          assert.ok(found.get(capability) === true || remarks[capability] !== undefined, `${name}: say why ${capability} is refused`);
        }
      }
      const cells = columnOf(ofColumn);
      if (process.env['ACP_HOST_WRITE_DOCS'] !== undefined) writePage(column, cells);
      assert.deepEqual(readPage()[column], cells, 'docs/protocols.md is not up to date: `npm run protocols` writes it');
    });
  }
  after(() => console.log(tableOf(tested)));
}

function testPeer(peer: Peer, note: Note): void {
  const open = async (t: TestContext, o: Partial<ConnectOptions> = {}): Promise<Connected> => {
    const seam = await connectSeam(t, peer.connect, { agent: peer.agent, ...o });
    if (peer.signIn !== undefined) await seam.backend.authenticate?.(peer.signIn);
    return { ...seam, ...(await seam.open()) };
  };
  if (peer.isServer !== true) testStart(peer);
  describe('signing in', () => testSigningIn(peer, note));
  describe('a session', () => testSession(peer, open, note));
  describe('a turn', () => testTurn(peer, open, note));
  const { ask, form } = peer.prompts;
  note('permissions', ask !== undefined);
  note('forms', form !== undefined);
  if (ask !== undefined) describe('a request to the user', () => testRequests({ ...peer.prompts, ask }, open));
  describe('the end', () => testEnd(peer, open));
}

function testSigningIn({ connect, agent, signIn }: Peer, note: Note): void {
  test('`authenticate` is present exactly if there is a method to sign in with it', async (t) => {
    const seam = await connectSeam(t, connect, { agent });
    const { authenticate, info } = seam.backend;
    note('signIn', authenticate !== undefined);
    assert.equal(authenticate === undefined, !info.authMethods.some(({ type }) => type === 'agent'));
    if (authenticate === undefined) return;
    await rejects(seam.backend.authenticate?.('no-such-way') ?? Promise.resolve(), 'usage');
    if (signIn === undefined) return;
    const told = collect<Told>();
    await rejects(seam.open(undefined, told), 'auth_required');
    assert.deepEqual(told.all, []);
    await within(seam.backend.authenticate?.(signIn) ?? Promise.resolve(), 'answer');
    await seam.open();
  });
}

function testSession(peer: Peer, open: Open, note: Note): void {
  const { prompts, option, earlier } = peer;

  test('it begins once, before any other event, and before `open` resolves', async (t) => {
    const { session, told } = await open(t);
    const { echo } = prompts;
    if (echo !== undefined) await session.prompt('t1', [{ type: 'text', text: echo('one two').prompt }], 'turn');
    const [first] = told.all;
    assert.ok(first?.type === 'begin');
    assert.equal(first.session, session);
    assert.equal(told.all.filter(({ type }) => type === 'begin').length, 1);
    assert.ok(session.id !== '');
  });

  for (const method of ['load', 'resume'] as const satisfies readonly ResumeMethod[]) {
    test(`an earlier one is opened with \`${method}\` if that is listed; otherwise it is unsupported`, async (t) => {
      const seam = await open(t);
      const isListed = seam.backend.sessions.resumeMethods.includes(method);
      note('resume', isListed);
      if (method === 'load') note('history', isListed);
      const told = collect<Told>();
      if (!isListed) {
        const sent = messages(seam, 'sent');
        await rejects(seam.open({ method, sessionId: 'earlier' }, told), 'unsupported');
        assert.deepEqual([told.all, messages(seam, 'sent')], [[], sent]);
        return;
      }
      if (earlier === undefined) return;
      await rejects(seam.open({ method, sessionId: 'nobody-knows-it' }), 'session_unknown');
      const { session } = await seam.open({ method, sessionId: earlier.sessionId }, told);
      assert.equal(session.id, earlier.sessionId);
      assert.equal(told.all[0]?.type, 'begin');
      const history = told.all.filter(({ type }) => type === 'history');
      if (method === 'load') assert.ok(wordsIn(history).includes(earlier.said));
      else assert.equal(wordsIn(told.all), '');
      // No event arrived late or in the wrong place.
      assert.ok(told.all.slice(told.all.findIndex(({ type }) => type === 'opened')).every(({ type }) => type !== 'history'));
    });
  }

  test('an earlier one is forked if the agent does that, and knows its history; otherwise it is unsupported', async (t) => {
    const seam = await open(t);
    const { forks } = seam.backend.sessions;
    note('fork', forks !== undefined);
    const told = collect<Told>();
    const request = { method: 'fork', sessionId: earlier?.sessionId ?? 'earlier' } as const;
    const sent = messages(seam, 'sent');
    if (forks !== 'at_message') await rejects(seam.open({ ...request, messageId: 'm' }, told), 'unsupported');
    if (forks === undefined) await rejects(seam.open(request, told), 'unsupported');
    assert.deepEqual([told.all, messages(seam, 'sent')], [[], sent]);
    if (forks === undefined || earlier === undefined) return;
    await rejects(seam.open({ method: 'fork', sessionId: 'nobody-knows-it' }), 'session_unknown');
    const { session } = await seam.open(request, told);
    assert.notEqual(session.id, earlier.sessionId);
    assert.equal(told.all[0]?.type, 'begin');
    assert.ok(wordsIn(told.all.filter(({ type }) => type === 'history')).includes(earlier.said));
  });

  test('its options can be set, and the change is reported before the call resolves', async (t) => {
    const { session, told } = await open(t);
    note('options', session.options.length > 0);
    if (option === undefined) return;
    const before = session.options.find(({ id }) => id === option.id);
    assert.notEqual(before?.currentValue ?? option.value, option.value);
    await within(session.setOption(option.id, option.value), 'answer');
    const last = eventsIn(told.all).findLast(({ type }) => type === 'options');
    assert.deepEqual(last?.type === 'options' ? last.options : undefined, session.options);
    assert.equal(session.options.find(({ id }) => id === option.id)?.currentValue, option.value);
    assert.ok(!session.unstated.has(option.id));
  });

  test('it reports which options have an unknown value, and all possible values of others', async (t) => {
    const { session } = await open(t);
    for (const id of session.unstated)
      assert.ok(
        session.options.some((one) => one.id === id),
        id,
      );
    if (session.moreOptions !== undefined) await within(session.moreOptions, 'end of the wait for more options');
  });

  test('if `close` is present, it closes the session: a running turn ends with `disposed`, and the agent continues', async (t) => {
    const seam = await open(t);
    const { close } = seam.session;
    note('close', close !== undefined);
    if (close === undefined || prompts.hang === undefined) return;
    const turn = rejects(seam.prompt(prompts.hang), 'disposed');
    await within(close(), 'answer');
    await turn;
    assert.deepEqual(seam.ends.all, []);
    await seam.open();
  });
}

function tableOf(peers: readonly (Pick<Peer, 'name' | 'remarks'> & { readonly found: ReadonlyMap<Capability, boolean> })[]): string {
  const state = ({ found, remarks }: (typeof peers)[number], capability: Capability): string =>
    found.get(capability) === true ? 'works' : `refused${remarks?.[capability] === undefined ? '' : `: ${remarks[capability]}`}`;
  const lines = [
    ['', ...peers.map(({ name }) => name)],
    ...(Object.keys(capabilities) as Capability[]).map((capability) => [capability, ...peers.map((peer) => state(peer, capability))]),
  ];
  const widths = lines[0]?.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0))) ?? [];
  return lines.map((line) => line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')).join('\n');
}
