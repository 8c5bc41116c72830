/** A press of a button is one decision: nothing is sent twice, and nothing that was sent is offered again. */
import assert from 'node:assert/strict';
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { it } from 'node:test';
import { type ConversationClient, type ConversationRecord, isSettled } from '../../../src/core/index.js';
import { heldIn, isWaiting, lines, openFrontEnd, overCuts, reached, run, said, say, text } from './frontEnd.js';

const saidOnce = ({ state }: ConversationClient): number => said(state).filter((entry) => entry.startsWith('user: once')).length;

overCuts('a turn that is sent again', (line) => {
  it('is sent once, although Resend was pressed twice', async (t) => {
    const conversation = await (await openFrontEnd(t, line, { agent: 'diesOnce' })).open();
    await say(conversation, 'first');
    await say(conversation, 'once');
    await run(conversation, { type: 'send', content: text('last'), order: 'after_held' });
    const [first, second] = await Promise.all([
      conversation.execute({ type: 'resend_interrupted' }),
      conversation.execute({ type: 'resend_interrupted' }),
    ]);
    assert.deepEqual(second, first);
    await run(conversation, { type: 'retry_now' });
    await reached(conversation, (state) => state.live && isSettled(state));
    assert.equal(saidOnce(conversation), 2);
  });

  it('is sent once, although Resend at the end of the turn was pressed twice, and can be sent again later', async (t) => {
    const conversation = await (await openFrontEnd(t, line, { agent: 'diesOnce' })).open();
    await say(conversation, 'first');
    await say(conversation, 'once');
    const end = conversation.state.session?.items.findLast((item) => item.kind === 'turn_end');
    const { turnId = '' } = end?.kind === 'turn_end' ? end : {};
    await run(conversation, { type: 'retry_turn', turnId });
    await run(conversation, { type: 'retry_turn', turnId });
    await run(conversation, { type: 'retry_now' });
    await reached(conversation, (state) => state.live && isSettled(state));
    assert.equal(saidOnce(conversation), 2);
    await run(conversation, { type: 'retry_turn', turnId });
    await reached(conversation, isSettled);
    assert.equal(saidOnce(conversation), 3);
  });
});

const [line] = lines;
assert.ok(line !== undefined);

it('a prompt is not offered again if the window was closed between the start of its turn and the removal from the unsent ones', async (t) => {
  const records: ConversationRecord[] = [];
  const frontEnd = await openFrontEnd(t, line, {
    ports: {
      remember: (record) => void records.push(record),
      recall: () => records.find(({ outbox }) => JSON.stringify(outbox).includes('say two')),
    },
  });
  const conversation = await frontEnd.open();
  await say(conversation, 'say one');
  await say(conversation, 'say two');
  await frontEnd.reopen();
  const again = await frontEnd.open();
  assert.deepEqual(heldIn(again.state), []);
});

it('a prompt stays among the unsent ones while its conversation cannot be saved', async (t) => {
  const records: ConversationRecord[] = [];
  const frontEnd = await openFrontEnd(t, line, { ports: { remember: (record) => void records.push(record) } });
  const conversation = await frontEnd.open();
  await say(conversation, 'say one');
  const unsent = (): readonly string[] => records.at(-1)?.outbox.map(({ content }) => JSON.stringify(content)) ?? [];
  assert.deepEqual(unsent(), []);
  const saved = path.join(frontEnd.folder, 'saved');
  await rm(saved, { recursive: true });
  await writeFile(saved, '');
  await run(conversation, { type: 'send', content: text('wait') });
  await reached(conversation, isWaiting);
  await run(conversation, { type: 'cancel', scope: 'everything' });
  await reached(conversation, isSettled);
  assert.deepEqual(unsent(), [JSON.stringify(text('wait'))]);
  await rm(saved);
  await say(conversation, 'say two');
  await reached(conversation, isSettled);
  assert.deepEqual(unsent(), []);
});
