/** Prompts for the running turn of an agent that asks for them: they wait in the host until then. */
import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { type ConversationClient, type ConversationState, isSettled, MODE_OPTION_ID } from '../../../src/core/index.js';
import {
  type FrontEnd,
  heldIn,
  type Line,
  openFrontEnd,
  overCuts,
  overEachLine,
  reached,
  returnedIn,
  run,
  said,
  text,
  textIn,
  unbrokenLines,
} from './frontEnd.js';

const queueIn = ({ session }: ConversationState): readonly string[] => (session?.queue ?? []).map(({ content }) => textIn(content));
const outboxIn = ({ outbox }: ConversationState): readonly string[] => outbox.map(({ content }) => textIn(content));
const setMode = async (conversation: ConversationClient, value: string): Promise<unknown> =>
  run(conversation, { type: 'set_option', optionId: MODE_OPTION_ID, value });

const open = (t: TestContext, line: Line): Promise<FrontEnd> => openFrontEnd(t, line, { agent: 'asksForSteers' });

async function steer(frontEnd: FrontEnd, prompts: readonly string[]): Promise<ConversationClient> {
  const conversation = await frontEnd.open();
  await run(conversation, { type: 'send', content: text('work') });
  await reached(conversation, (state) => said(state).includes('agent: begins work'));
  for (const [index, prompt] of prompts.entries()) {
    await run(conversation, { type: 'send', content: text(prompt), delivery: 'steer' });
    await reached(conversation, (state) => queueIn(state).length === index + 1);
  }
  assert.deepEqual([queueIn(conversation.state), outboxIn(conversation.state)], [prompts, []]);
  return conversation;
}

const waiting = 'prompts for a turn whose agent asks for them';

overEachLine(
  waiting,
  (line) => {
    it('the conversation is not over between the turn that ends without one and the turn that it becomes', async (t) => {
      const conversation = await steer(await open(t, line), ['left']);
      let wasOver = false;
      conversation.onChange(({ state }) => (wasOver ||= isSettled(state) && !said(state).includes('user: left')));
      await setMode(conversation, 'end');
      await reached(conversation, (state) => said(state).at(-1) === 'agent: begins left');
      assert.ok(!wasOver);
    });
  },
  unbrokenLines,
);

overCuts(waiting, (line) => {
  const steered = async (t: TestContext, ...prompts: readonly string[]): Promise<ConversationClient> => steer(await open(t, line), prompts);

  it('they are in its turn once it has asked, in order, and never twice', async (t) => {
    const conversation = await steered(t, 'left', 'faster');
    assert.deepEqual(conversation.state.whileRunning, { deliveries: ['steer'], canUnqueue: true });
    await setMode(conversation, 'ask');
    await reached(conversation, (state) => said(state).at(-1)?.startsWith('agent: got') === true);
    const [begins, left, faster, got = ''] = said(conversation.state).slice(1);
    assert.deepEqual([begins, left, faster], ['agent: begins work', 'user: left', 'user: faster']);
    const { items, hasQueuedPrompt } = JSON.parse(got.slice('agent: got '.length));
    assert.equal(hasQueuedPrompt, false);
    assert.deepEqual(
      items.map(({ displayText, content }: { readonly displayText: string; readonly content: unknown }) => [displayText, content]),
      [
        ['left', text('left')],
        ['faster', text('faster')],
      ],
    );
    assert.deepEqual(queueIn(conversation.state), []);
    await setMode(conversation, 'work');
    await setMode(conversation, 'ask');
    await reached(conversation, (state) => said(state).at(-1)?.endsWith('got {"items":[],"hasQueuedPrompt":false}') === true);
    await setMode(conversation, 'end');
    await reached(conversation, (state) => said(state).at(-1) === 'end ended');
    assert.deepEqual(outboxIn(conversation.state), []);
  });

  it('one that the turn ends without becomes the next turn', async (t) => {
    const conversation = await steered(t, 'left');
    await setMode(conversation, 'end');
    await reached(conversation, (state) => said(state).at(-1) === 'agent: begins left');
    assert.deepEqual(said(conversation.state), ['user: work', 'agent: begins work', 'end ended', 'user: left', 'agent: begins left']);
    assert.deepEqual([queueIn(conversation.state), outboxIn(conversation.state)], [[], []]);
  });

  it('one can be removed', async (t) => {
    const conversation = await steered(t, 'left', 'faster');
    const [first] = conversation.state.session?.queue ?? [];
    await run(conversation, { type: 'unqueue', promptId: first?.id ?? assert.fail('nothing waits') });
    await reached(conversation, (state) => queueIn(state).join() === 'faster');
    await setMode(conversation, 'end');
    await reached(conversation, (state) => said(state).at(-1) === 'agent: begins faster');
    assert.ok(!said(conversation.state).includes('user: left'));
  });

  it('those that wait when the user stops everything return to the composer', async (t) => {
    const conversation = await steered(t, 'left', 'faster');
    await run(conversation, { type: 'cancel', scope: 'everything' });
    await reached(conversation, ({ returned }) => returned.length === 2);
    assert.deepEqual(
      [returnedIn(conversation.state), queueIn(conversation.state), outboxIn(conversation.state)],
      [['left', 'faster'], [], []],
    );
  });

  it('those that wait when the user stops the turn are the next ones', async (t) => {
    const conversation = await steered(t, 'left');
    await run(conversation, { type: 'cancel', scope: 'turn' });
    await reached(conversation, (state) => said(state).at(-1) === 'agent: begins left');
  });

  it('those that wait are saved, and held if the conversation is closed', async (t) => {
    const frontEnd = await open(t, line);
    const conversation = await steer(frontEnd, ['left', 'faster']);
    const saved = (): readonly string[] => (frontEnd.remembered()?.outbox ?? []).map(({ content }) => textIn(content));
    assert.deepEqual(saved(), ['left', 'faster']);
    await frontEnd.conversations.close(conversation.state.id);
    assert.deepEqual(saved(), ['left', 'faster']);
    const { state } = await frontEnd.open();
    assert.deepEqual(
      [outboxIn(state), heldIn(state)],
      [
        ['left', 'faster'],
        ['turn_interrupted', 'turn_interrupted'],
      ],
    );
    assert.ok(!said(state).includes('user: left'));
  });

  it('those that wait when the agent is lost are held', async (t) => {
    const conversation = await steered(t, 'left', 'faster');
    void setMode(conversation, 'die').catch(() => {});
    await reached(conversation, (state) => said(state).at(-1) === 'end interrupted' && state.outbox.length === 2);
    assert.deepEqual(
      [outboxIn(conversation.state), heldIn(conversation.state)],
      [
        ['left', 'faster'],
        ['turn_interrupted', 'turn_interrupted'],
      ],
    );
    assert.deepEqual(queueIn(conversation.state), []);
  });
});
