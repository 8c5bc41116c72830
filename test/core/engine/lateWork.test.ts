/** What an agent does after its turn: how it is told, what it keeps alive, and how it is stopped. */
import assert from 'node:assert/strict';
import { setImmediate as soon } from 'node:timers/promises';
import { describe, it, type TestContext } from 'node:test';
import { type ConversationClient, type ConversationState, lastLateItem, lateWorkIn, selectOption } from '../../../src/core/index.js';
import { reached, run, said, say } from '../conversation/frontEnd.js';
import { openEngine, send } from '../store/engineLab.js';
import { openStoreLab } from '../store/storeLab.js';

const open = async (t: TestContext, o: { readonly lateWorkMs?: number } = {}) => {
  const lab = await openStoreLab(t);
  const engine = await openEngine(t, lab.state, {}, 0, 'goesOnAfterItsTurn.mjs', o);
  return { ...engine, here: engine.client.open({ cwd: lab.workspace, id: 'one' }) };
};
const step = (here: ConversationClient, value: string): Promise<unknown> => run(here, { type: 'set_option', optionId: 'step', value });
const late = (state: ConversationState): readonly string[] => lateWorkIn(state).map(({ title }) => title);
const asks = ({ session }: ConversationState): boolean => (session?.requests.length ?? 0) > 0;
const isUnread = (entries: readonly { readonly id: string; readonly isUnread: boolean }[]): boolean =>
  entries.some(({ id, isUnread: unread }) => id === 'one' && unread);

describe('late work', () => {
  for (const [what, prompt, title] of [
    ['a sub-agent', 'child', 'Explore'],
    ['a command that runs in the host', 'command', 'sleep 600'],
  ] as const) {
    it(`${what} that still works is told, goes on beside the next turn, and ends when the user stops everything`, async (t) => {
      const { here, end } = await open(t);
      await say(here, prompt);
      assert.deepEqual(late(here.state), [title]);
      await say(here, 'more');
      assert.deepEqual(late(here.state), [title]);
      await run(here, { type: 'cancel', scope: 'everything' });
      await reached(here, (state) => late(state).length === 0);
      await end();
    });

    it(`${what} keeps the engine`, async (t) => {
      const { engine, here, client, idle } = await open(t);
      await say(here, prompt);
      client.dispose();
      assert.equal(engine.running, 1);
      assert.equal(await Promise.race([idle.then(() => 'ended'), soon('kept')]), 'kept');
    });

    it(`${what} does not keep the engine for ever`, async (t) => {
      const { engine, here, client, idle } = await open(t, { lateWorkMs: 50 });
      await say(here, prompt);
      assert.equal(late(here.state).length, 1);
      client.dispose();
      await idle;
      assert.equal(engine.running, 0);
    });
  }

  it('a sub-agent that ends out of sight leaves an unread mark, and the engine ends', async (t) => {
    const { engine, here, client, idle } = await open(t);
    await say(here, 'child');
    client.dispose();
    const unread = new Promise<void>((resolve) =>
      engine.conversations.onBatch(() => isUnread(engine.conversations.state.conversations) && resolve()),
    );
    engine.conversations.mark('one', { isUnread: false });
    const conversation = engine.conversations.get('one') ?? assert.fail();
    await conversation.execute({ type: 'set_option', optionId: 'step', value: 'finish' });
    await unread;
    await idle;
  });

  it('what the agent says by itself leaves an unread mark out of sight', async (t) => {
    const { engine, here, client } = await open(t);
    await say(here, 'child');
    client.dispose();
    const conversation = engine.conversations.get('one') ?? assert.fail();
    engine.conversations.mark('one', { isUnread: false });
    const unread = new Promise<void>((resolve) =>
      engine.conversations.onBatch(() => isUnread(engine.conversations.state.conversations) && resolve()),
    );
    await conversation.execute({ type: 'set_option', optionId: 'step', value: 'speak' });
    await unread;
  });

  it('what the agent does by itself is stopped by a cancel', async (t) => {
    const { here, end } = await open(t);
    await say(here, 'first');
    await step(here, 'call');
    await reached(here, (state) => late(state).length === 1);
    assert.deepEqual(late(here.state), ['Look again']);
    await run(here, { type: 'cancel', scope: 'everything' });
    await reached(here, (state) => late(state).length === 0);
    await end();
  });

  it('what the agent says belongs to no turn, until the next one', async (t) => {
    const { here, end } = await open(t);
    await say(here, 'first');
    const lastLate = (): string | undefined => lastLateItem(here.state.session?.items ?? [])?.kind;
    assert.equal(lastLate(), undefined);
    await step(here, 'speak');
    await reached(here, () => lastLate() === 'message');
    await say(here, 'next');
    assert.equal(lastLate(), undefined);
    await end();
  });

  it('a sub-agent that outlives a canceled turn may ask afterwards', async (t) => {
    const { here, end } = await open(t);
    await run(here, send('childUntilCancel'));
    await reached(here, (state) => said(state).includes('agent: waiting'));
    await run(here, { type: 'cancel', scope: 'turn' });
    await reached(here, ({ session, sending }) => sending === undefined && session?.turn.type === 'idle');
    await step(here, 'ask');
    await reached(here, asks);
    const [request = assert.fail()] = here.state.session?.requests ?? [];
    assert.equal(request.subagent?.name, 'Explore');
    await run(here, { type: 'answer_request', requestId: request.id, answer: selectOption('yes') });
    await reached(here, (state) => said(state).includes('agent: yes'));
    await end();
  });
});
