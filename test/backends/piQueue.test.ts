/** Removing a prompt from the queue of an agent of the Pi family, which can only clear the whole queue. The peer is a stand-in. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test, type TestContext } from 'node:test';
import { connectPi, connectXcsh } from '../../src/core/backends/pi/piBackend.js';
import type { AgentDefinition } from '../../src/core/index.js';
import type { ContentBlock } from '../../src/core/session/model.js';
import { heldIn, lines, openFrontEnd, reached, run, said, settled } from '../core/conversation/frontEnd.js';
import { within } from '../real/deadline.js';
import { queued } from './peer.js';
import { piDialects, piStandIn, type StandInDialect } from './piPeers.js';
import { connectSeam, eventsIn, type OpenSession, type Seam, yesTo } from './seam.js';

const sessions = mkdtempSync(path.join(tmpdir(), 'acp-host-pi-queue-'));
after(() => rmSync(sessions, { recursive: true, force: true }));

type Connected = Seam & OpenSession;
type Prompt = Readonly<Record<string, unknown>>;

async function open(t: TestContext, dialect: StandInDialect = 'pi087'): Promise<Connected> {
  const seam = await connectSeam(t, dialect === 'xcsh' ? connectXcsh : connectPi, { agent: piStandIn(dialect, sessions) });
  return { ...seam, ...(await seam.open()) };
}

/** The prompts that were sent. */
function sentPrompts({ traffic }: Seam): readonly Prompt[] {
  return traffic.all.flatMap((entry) =>
    entry.kind === 'message' && entry.direction === 'sent' && isPrompt(entry.message) ? [entry.message] : [],
  );
}
const isPrompt = (value: unknown): value is Prompt =>
  typeof value === 'object' && value !== null && 'type' in value && value.type === 'prompt';

const picture = { type: 'image', data: 'aGk=', mimeType: 'image/png' } as const;

/** Queues the prompts behind a dialog. @returns a function that answers the dialog, and resolves at the end of the turn */
async function wait(seam: Connected, prompts: readonly (readonly ContentBlock[])[]): Promise<() => Promise<unknown>> {
  const turn = seam.prompt('ask');
  const request = await seam.asked.until('request', () => true);
  for (const [index, content] of prompts.entries()) await within(seam.session.prompt(`q${index}`, content, 'followUp'), 'taken words');
  return () => (seam.answer(request, yesTo(request)), within(turn, 'end'));
}
const text = (words: string): ContentBlock => ({ type: 'text', text: words });
const remove = async (seam: Connected, id: string | undefined): Promise<readonly string[] | undefined> => {
  const dropped = await within(Promise.resolve(seam.session.queue?.remove(id ?? '')), 'removal');
  return dropped?.map(({ id: other }) => other);
};

test('removing a queued prompt keeps the order and ids of the others', async (t) => {
  const seam = await open(t);
  const end = await wait(seam, [[text('one')], [text('two')], [text('three')]]);
  const [first, second, third] = queued(seam);
  await seam.session.queue?.remove(second ?? '');
  await seam.told.until('removal', (one) => one.type === 'event' && one.event.type === 'unqueued' && one.event.promptId === second);
  assert.deepEqual(queued(seam), [first, third]);
  await end();
  assert.equal(seam.words(), 'Yes!onethree');
});

test('a prompt with a picture keeps it when another is removed', async (t) => {
  const seam = await open(t);
  const end = await wait(seam, [[text('one')], [text('two'), picture]]);
  const [first, second] = queued(seam);
  assert.deepEqual(await remove(seam, first), []);
  assert.deepEqual(queued(seam), [second]);
  await end();
  assert.equal(seam.words(), 'Yes!two');
  assert.deepEqual(sentPrompts(seam).at(-1)?.['images'], [picture]);
  assert.ok(eventsIn(seam.told.all).some((event) => event.type === 'message' && event.role === 'user' && event.content.type === 'image'));
});

test('of two prompts with the same text, the removed one is the one that the user chose', async (t) => {
  const seam = await open(t);
  const end = await wait(seam, [[text('go')], [text('go'), picture]]);
  const [first, second] = queued(seam);
  await remove(seam, first);
  assert.deepEqual(queued(seam), [second]);
  await end();
  assert.deepEqual(sentPrompts(seam).at(-1)?.['images'], [picture]);
});

test('all chosen prompts are removed, even in quick succession', async (t) => {
  const seam = await open(t);
  const end = await wait(seam, [[text('one')], [text('two')], [text('three')]]);
  const [first, second, third] = queued(seam);
  await Promise.all([remove(seam, second), remove(seam, third), remove(seam, second)]);
  assert.deepEqual(queued(seam), [first]);
  await end();
  assert.equal(seam.words(), 'Yes!one');
  assert.equal(sentPrompts(seam).filter(({ message }) => message === 'three').length, 1);
});

test('a prompt that cannot be sent again is reported, and the others stay', async (t) => {
  const seam = await open(t);
  const end = await wait(seam, [[text('one')], [text('once two')], [text('three')]]);
  const [first, second, third] = queued(seam);
  assert.deepEqual(await remove(seam, first), [second]);
  assert.deepEqual(queued(seam), [third]);
  await end();
  assert.equal(seam.words(), 'Yes!three');
  assert.deepEqual(queued(seam), []);
});

test('all prompts stay listed when the agent is lost, so that the host can return them', async (t) => {
  const seam = await open(t);
  const end = await wait(seam, [[text('one')], [text('die again')], [text('three')]]);
  const [first, ...rest] = queued(seam);
  assert.deepEqual(await remove(seam, first), []);
  assert.deepEqual(queued(seam), rest);
  await assert.rejects(end);
});

test('a prompt sent in the meantime is queued behind them', async (t) => {
  const seam = await open(t);
  const end = await wait(seam, [[text('one')], [text('two')]]);
  const removal = remove(seam, queued(seam)[0]);
  await within(seam.session.prompt('later', [text('three'), picture], 'followUp'), 'taken words');
  await removal;
  await end();
  assert.equal(seam.words(), 'Yes!twothree');
  assert.ok(eventsIn(seam.told.all).some((event) => event.type === 'queued' && event.prompt.content.includes(picture)));
});

test('what was to be sent behind them is not sent once the user has stopped the turn', async (t) => {
  const seam = await open(t);
  // Not one that asks: between the answer to its request and the stop, the agent may take the next prompt.
  const turn = seam.prompt('wait');
  await seam.told.until('words', () => seam.words() === 'waiting');
  for (const words of ['one', 'two']) await within(seam.session.prompt(words, [text(words)], 'followUp'), 'taken words');
  const [first, second] = queued(seam);
  const removal = remove(seam, first);
  const steer = assert.rejects(within(seam.session.prompt('three', [text('three')], 'steer'), 'taken words'), { code: 'session_busy' });
  seam.session.cancel();
  assert.deepEqual(await removal, [second]);
  await steer;
  assert.equal((await within(turn, 'end')).stopReason, 'cancelled');
  assert.deepEqual(
    sentPrompts(seam).map(({ message }) => message),
    ['wait', 'one', 'two'],
  );
});

for (const skill of ['s', 'silent'])
  for (const dialect of piDialects)
    test(`${dialect}: a prompt that the agent has expanded (${skill}) leaves the queue when it is used`, async (t) => {
      const seam = await open(t, dialect);
      const end = await wait(seam, [[text(`/skill:${skill}`)], [text('other')]]);
      assert.equal(queued(seam).length, 2);
      await end();
      assert.deepEqual(queued(seam), []);
    });

test('xcsh: prompts that are still queued after a stop stay listed', async (t) => {
  const seam = await open(t, 'xcsh');
  // Not one that asks: between the answer to its request and the stop, the agent may take the next prompt.
  const turn = seam.prompt('wait');
  await seam.told.until('words', () => seam.words() === 'waiting');
  await within(seam.prompt('/skill:s', 'followUp'), 'taken words');
  seam.session.cancel();
  await within(turn, 'end');
  assert.equal(queued(seam).length, 1);
});

for (const line of lines)
  test(`${line.name}: a prompt that cannot be sent again stays in the conversation with its picture and is sent after the turn`, async (t) => {
    const agent: AgentDefinition = { id: 'pi', protocol: 'pi', ...piStandIn('pi087', sessions) };
    const ports = {
      peekAgent: () => Promise.resolve({ id: agent.id, label: agent.label, isFallback: false }),
      chooseAgent: () => Promise.resolve({ definition: agent, isFallback: false, baseEnv: process.env }),
    };
    const conversation = await (await openFrontEnd(t, line, { ports })).open();
    await run(conversation, { type: 'send', content: [text('ask')] });
    await reached(conversation, ({ session }) => session?.requests.length === 1);
    const twice = [text('once two'), picture];
    await run(conversation, { type: 'send', content: [text('one')], delivery: 'followUp' });
    await run(conversation, { type: 'send', content: twice, delivery: 'followUp' });
    await reached(conversation, ({ session }) => session?.queue.length === 2);
    await run(conversation, { type: 'unqueue', promptId: conversation.state.session?.queue[0]?.id ?? '' });
    await reached(conversation, ({ session, outbox }) => session?.queue.length === 0 && outbox.length === 1);
    assert.deepEqual([heldIn(conversation.state), conversation.state.outbox[0]?.content], [[undefined], twice]);
    const requestId = conversation.state.session?.requests[0]?.id ?? '';
    await settled(conversation, { type: 'answer_request', requestId, answer: { type: 'accept', values: {} } });
    assert.deepEqual(said(conversation.state).slice(0, 3), ['user: ask', 'agent: Yes!', 'end ended']);
    assert.deepEqual(said(conversation.state).slice(-2), ['agent: once two', 'end ended']);
  });
