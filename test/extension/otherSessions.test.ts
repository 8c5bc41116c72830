/** The sessions of an agent that are no conversations, as rows of the Conversations view. The engine and the agent are real. */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { EngineClient } from '../../src/core/index.js';
import type { OpenConversation } from '../../src/extension/conversation/openConversations.js';
import { otherTarget } from '../../src/extension/list/listView.js';
import type { ListNode } from '../../src/extension/list/listNodes.js';
import { OtherSessions, othersId, type OthersNode } from '../../src/extension/list/otherSessions.js';
import { openEngine } from './openWindow.js';

async function start(t: TestContext, env: Readonly<Record<string, string>> = {}) {
  const lab = await openEngine(t, { agent: 'listsSessions', env });
  const engine = await lab.attach();
  let isTrusted = true;
  const others = new OtherSessions({ engine, ours: () => engine.list.state.conversations, isTrusted: () => isTrusted });
  t.after(() => others.dispose());
  const distrust = (): void => void (isTrusted = false);
  const cwd = lab.folder.path;
  return { lab, engine, others, cwd, distrust };
}

/** Lets the engine know that the agent has a list, as any conversation with it does. */
async function meet(engine: EngineClient, others: OtherSessions, cwd: string): Promise<OthersNode> {
  const known = new Promise<void>((resolve) => others.onChange(resolve));
  await engine.call('agent_sessions', { cwd, scope: 'folder' });
  if (others.nodesIn(cwd).length === 0) await known;
  return others.nodesIn(cwd)[0] ?? assert.fail('no row for the agent');
}

const shown = (nodes: readonly ListNode[]): readonly string[] =>
  nodes.map((node) => {
    if (node.type === 'session') return node.session.sessionId;
    if (node.type === 'more') return `${node.left} more`;
    return node.type === 'said' ? `${node.isError ? 'error: ' : ''}${node.text}` : node.type;
  });

describe('the other sessions of an agent', () => {
  it('have a row once the agent is known to list them, which asks the agent only when it is opened', async (t) => {
    const { lab, engine, others, cwd } = await start(t);
    assert.deepEqual(others.nodesIn(cwd), []);
    const node = await meet(engine, others, cwd);
    assert.deepEqual(node.agent, { id: 'obedient', label: 'Obedient' });
    await lab.engine.conversations.agentSessions.end();
    const { started } = lab;
    others.nodesIn(cwd);
    assert.equal(lab.started, started);
    assert.deepEqual(shown(await others.childrenOf(node)), ['s2', 's1', 's3']);
    assert.equal(lab.started, started + 1);
  });

  it('are none while the folder is not trusted', async (t) => {
    const { engine, others, cwd, distrust } = await start(t);
    await meet(engine, others, cwd);
    distrust();
    assert.deepEqual(others.nodesIn(cwd), []);
  });

  it('leave the list when one becomes a conversation, without asking the agent again', async (t) => {
    const { engine, others, cwd } = await start(t);
    const node = await meet(engine, others, cwd);
    await others.childrenOf(node);
    const conversation: OpenConversation['conversation'] = engine.open({ cwd, session: { agentId: 'obedient', sessionId: 's1' } });
    const isListed = new Promise<void>((resolve) => {
      const look = (): void => {
        if (engine.list.state.conversations.some(({ sessionId }) => sessionId === 's1')) resolve();
      };
      engine.list.onChange(look);
      look();
    });
    await conversation.execute({ type: 'open' });
    await isListed;
    assert.deepEqual(shown(await others.childrenOf(node)), ['s2', 's3']);
  });

  it('come in pages of 20', async (t) => {
    const { engine, others, cwd } = await start(t, { LIST: 'many' });
    const node = await meet(engine, others, cwd);
    const pages: string[][] = [];
    for (let page = 0; page < 3; page++) {
      const nodes = await others.childrenOf(node);
      pages.push(shown(nodes).slice(-1));
      assert.equal(nodes.filter(({ type }) => type === 'session').length, Math.min(45, 20 * (page + 1)));
      const more = nodes.at(-1);
      if (more?.type === 'more') others.showMore(otherTarget(more));
    }
    assert.deepEqual(pages.flat(), ['25 more', '5 more', 'n44']);
  });

  it('say so if there is none, if some could not be read, and why there is no list', async (t) => {
    const empty = await start(t, { LIST: 'null' });
    assert.deepEqual(shown(await empty.others.childrenOf(await meet(empty.engine, empty.others, empty.cwd))), [
      'No other sessions in this folder',
    ]);
    const malformed = await start(t, { LIST: 'malformed' });
    const rows = shown(await malformed.others.childrenOf(await meet(malformed.engine, malformed.others, malformed.cwd)));
    assert.deepEqual(rows.slice(-1), ['7 entries in the list of Obedient could not be read.']);
  });

  it('say in words why the agent did not list them, and are asked for again on request', async (t) => {
    const { engine, others, cwd } = await start(t, { LIST_FAILS: 'once' });
    const node = await meet(engine, others, cwd);
    const rows = await others.childrenOf(node);
    assert.equal(rows.length, 1);
    assert.match(shown(rows).join(), /^error: Obedient reported an error. The disk is full/);
    others.reload(node.id);
    assert.deepEqual(shown(await others.childrenOf(node)), ['s2', 's1', 's3']);
  });

  it('offer to sign in if the agent lists them only after that', async (t) => {
    const { engine, others, cwd } = await start(t, { LIST_FAILS: 'signedOut' });
    const node = await meet(engine, others, cwd);
    const [why, signIn, ...more] = await others.childrenOf(node);
    assert.deepEqual([why?.type, signIn?.type, more], ['said', 'sign_in', []]);
    assert.deepEqual(others.agentOf(otherTarget(signIn)), node);
    assert.equal(others.agentOf(otherTarget(why)), undefined);
    others.reload(othersId(cwd, 'obedient'));
    assert.deepEqual(shown(await others.childrenOf(node)), ['s2', 's1', 's3']);
  });

  it('are found by the rows that commands get', async (t) => {
    const { engine, others, cwd } = await start(t);
    const node = await meet(engine, others, cwd);
    const [first] = await others.childrenOf(node);
    assert.ok(first?.type === 'session');
    assert.deepEqual(others.find(otherTarget(first)), first);
    assert.equal(others.find(otherTarget({ type: 'conversation', id: first.id })), undefined);
    assert.equal(others.find(`${first.id} `), undefined);
  });
});
