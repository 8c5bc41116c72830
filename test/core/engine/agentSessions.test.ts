/** The sessions that an agent has saved and that are no conversations: listed, opened, renamed and deleted through the engine. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it, type TestContext } from 'node:test';
import fc from 'fast-check';
import { type AgentSessionChange, type EngineClient, HostError } from '../../../src/core/index.js';
import { othersIn } from '../../../src/core/conversation/agentSessions.js';
import { run, said, say } from '../conversation/frontEnd.js';
import { openEngine } from '../store/engineLab.js';
import { openStoreLab } from '../store/storeLab.js';

async function start(t: TestContext, env: Readonly<Record<string, string>> = {}) {
  const lab = await openStoreLab(t);
  return { cwd: lab.workspace, ...(await openEngine(t, lab.state, env, undefined, 'listsSessions.mjs')) };
}

const listIn = (client: EngineClient, cwd: string, o: { scope?: 'folder' | 'everywhere' } = {}) =>
  client.call('agent_sessions', { cwd, scope: 'folder', ...o });

async function idsIn(client: EngineClient, cwd: string, scope?: 'everywhere'): Promise<readonly string[]> {
  return (await listIn(client, cwd, scope && { scope })).sessions.map(({ sessionId }) => sessionId);
}

const change = (client: EngineClient, cwd: string, sessionId: string, what: AgentSessionChange) =>
  client.call('change_agent_session', { cwd, sessionId, change: what });

describe('the sessions of an agent', () => {
  it('are listed page after page, by an agent that starts only for that', async (t) => {
    const { client, cwd } = await start(t);
    assert.deepEqual(client.facts.state.processes, []);
    const list = await listIn(client, cwd);
    assert.deepEqual(list, {
      sessions: [
        { sessionId: 's2', cwd, updatedAt: Date.parse('2026-11-02T10:00:00Z') },
        { sessionId: 's1', cwd, title: 'One', updatedAt: Date.parse('2026-11-01T10:00:00Z') },
        { sessionId: 's3', cwd, title: 'Three' },
      ],
      unreadable: 0,
      agent: { id: 'obedient', label: 'Obedient' },
      offers: ['delete', 'rename', 'fork'],
    });
    // It still runs, and is known to have a list.
    assert.equal(client.facts.state.processes.length, 1);
    await new Promise<void>((resolve) => {
      const look = (): void => {
        if (client.facts.state.agents['obedient']?.listsSessions === true) resolve();
      };
      client.facts.onChange(look);
      look();
    });
  });

  it('are opened with their history, once, and are conversations from then on', async (t) => {
    const { client, cwd, end } = await start(t);
    const session = { agentId: 'obedient', sessionId: 's1' };
    assert.equal((await client.call('find', session)).id, undefined);
    const conversation = client.open({ cwd, session });
    await run(conversation, { type: 'open' });
    assert.deepEqual(said(conversation.state), ['user: asked in s1', 'agent: answered in s1']);
    assert.deepEqual(await idsIn(client, cwd), ['s2', 's3']);
    assert.equal((await client.call('find', session)).id, conversation.state.id);
    await assert.rejects(change(client, cwd, 's1', { type: 'delete' }), { code: 'usage', params: { reason: 'session_open' } });
    assert.ok((await client.list.execute({ type: 'rename', id: conversation.state.id, title: 'Mine' })).ok);
    await say(conversation, 'go on');
    await end();
  });

  it('are opened without a history if the agent only resumes them', async (t) => {
    const { client, cwd } = await start(t, { OPENS: 'resume' });
    const conversation = client.open({ cwd, session: { agentId: 'obedient', sessionId: 's1' } });
    await run(conversation, { type: 'open' });
    assert.deepEqual([said(conversation.state), conversation.state.openedBy], [[], 'resumed']);
    await say(conversation, 'go on');
    assert.deepEqual(await idsIn(client, cwd), ['s2', 's3']);
  });

  it('are renamed and deleted in the agent; one that is gone counts as deleted', async (t) => {
    const { client, cwd } = await start(t);
    await change(client, cwd, 's2', { type: 'rename', title: 'Two' });
    assert.equal((await listIn(client, cwd))?.sessions[0]?.title, 'Two');
    await change(client, cwd, 's2', { type: 'delete' });
    await change(client, cwd, 's2', { type: 'delete' });
    assert.deepEqual(await idsIn(client, cwd), ['s1', 's3']);
    await assert.rejects(change(client, cwd, 's2', { type: 'rename', title: 'x' }), { code: 'session_unknown' });
  });

  for (const FORKS of ['closed', 'open'])
    it(`are forked in the agent, and the fork is opened with its history (it stays ${FORKS})`, async (t) => {
      const { client, cwd } = await start(t, { FORKS });
      const { forked = '' } = await change(client, cwd, 's1', { type: 'fork' });
      assert.equal(forked, 'fork of s1');
      assert.deepEqual(await idsIn(client, cwd), ['s2', 's1', 's3', 'fork of s1']);
      const conversation = client.open({ cwd, session: { agentId: 'obedient', sessionId: forked } });
      await run(conversation, { type: 'open' });
      assert.deepEqual(said(conversation.state), ['user: asked in fork of s1', 'agent: answered in fork of s1']);
      assert.deepEqual(await idsIn(client, cwd), ['s2', 's1', 's3']);
      await assert.rejects(change(client, cwd, 'nowhere', { type: 'fork' }), { code: 'session_unknown' });
    });

  it('are forked, and a fork that the agent saves with its first message is used as it is', async (t) => {
    const { client, cwd } = await start(t, { FORKS: 'unsaved' });
    const { forked: sessionId = '' } = await change(client, cwd, 's1', { type: 'fork' });
    const conversation = client.open({ cwd, session: { agentId: 'obedient', sessionId } });
    await say(conversation, 'go on');
    assert.deepEqual(said(conversation.state), ['user: go on', 'agent: done', 'end ended']);
    assert.deepEqual([conversation.state.openedBy, conversation.state.session?.sessionId], ['resumed', sessionId]);
  });

  it('a name that the user gives to a conversation is told to the agent that has it open', async (t) => {
    const { client, cwd, engine } = await start(t);
    const id = randomUUID();
    const conversation = client.open({ cwd, id, session: { agentId: 'obedient', sessionId: 's1' } });
    await run(conversation, { type: 'open' });
    await client.list.execute({ type: 'rename', id, title: 'Mine' });
    assert.equal(engine.conversations.state.conversations.find((one) => one.id === id)?.title, 'Mine');
    await client.list.execute({ type: 'delete', id });
    const all = await listIn(client, cwd);
    assert.equal(all?.sessions.find(({ sessionId }) => sessionId === 's1')?.title, 'Mine');
  });

  it('are listed after the agent was told to use the key that it has; without one, the agent needs a sign-in', async (t) => {
    const lab = await openStoreLab(t);
    const signed = await openEngine(t, lab.state, { WANTED_API_KEY: 'right' }, undefined, 'wantsKey.mjs');
    assert.deepEqual(await idsIn(signed.client, lab.workspace), ['earlier']);
    await signed.end();
    const without = await openEngine(t, lab.state, {}, undefined, 'wantsKey.mjs');
    await assert.rejects(listIn(without.client, lab.workspace), { code: 'auth_required' });
  });

  it('an agent without a list says so', async (t) => {
    const { client, cwd } = await start(t, { LIST: 'none' });
    await assert.rejects(listIn(client, cwd), { code: 'unsupported', params: { reason: 'session_list' } });
  });
});

describe('a hostile list', () => {
  const shapes: readonly (readonly [string, { readonly count: number; readonly end?: string; readonly unreadable?: number }])[] = [
    ['repeats', { count: 3, end: 'repeated' }],
    ['endless', { count: 200, end: 'limit' }],
    ['huge', { count: 1_000, end: 'limit' }],
    ['malformed', { count: 3, unreadable: 7 }],
    ['null', { count: 0 }],
    ['large', { count: 3 }],
    ['lies', { count: 3 }],
  ];
  for (const [LIST, { count, end, unreadable = 0 }] of shapes) {
    it(`that is of the kind "${LIST}" is bounded, and what was left out is told`, async (t) => {
      const { client, cwd } = await start(t, { LIST });
      const list = (await listIn(client, cwd)) ?? assert.fail('not running');
      assert.deepEqual([list.sessions.length, list.end, list.unreadable], [count, end, unreadable]);
      assert.ok(JSON.stringify(list).length < 200_000);
    });
  }

  it('that is no list is an error', async (t) => {
    const { client, cwd } = await start(t, { LIST: 'text' });
    await assert.rejects(listIn(client, cwd), (error) => error instanceof HostError && error.code === 'invalid_response');
  });

  it('has those of other folders only where they are asked for', async (t) => {
    const { client, cwd } = await start(t, { LIST: 'lies' });
    assert.deepEqual(await idsIn(client, cwd), ['s2', 's1', 's3']);
    assert.deepEqual(await idsIn(client, cwd, 'everywhere'), ['s2', 's1', 's3', 'other']);
  });
});

it('whatever an agent lists, ours are never among the others, and every other one of the folder is', () => {
  const id = fc.constantFrom('a', 'b', 'c', 'd', 'e');
  const session = fc.record({ sessionId: id, cwd: fc.constantFrom('/one', '/two') });
  fc.assert(
    fc.property(fc.uniqueArray(session, { selector: (one) => one.sessionId }), fc.uniqueArray(id), (listed, ours) => {
      const others = othersIn(listed, (sessionId) => ours.some((one) => one === sessionId), '/one');
      const expected = listed.filter((one) => one.cwd === '/one' && !ours.includes(one.sessionId));
      assert.deepEqual(others, expected);
      assert.equal(new Set(others.map(({ sessionId }) => sessionId)).size, others.length);
    }),
  );
});
