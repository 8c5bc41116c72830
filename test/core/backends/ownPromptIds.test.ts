/** The ids of prompts for a running turn are the host's own: what an agent says about others changes nothing. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AcpQueue, UpdateMap } from '../../../src/core/backends/acp/map.js';
import { standardQuirks } from '../../../src/core/agents/standardQuirks.js';
import type { SessionEvent } from '../../../src/core/session/event.js';
import type { QueuedPrompt } from '../../../src/core/session/model.js';

const text = (words: string) => ({ type: 'text', text: words }) as const;
const picture = { type: 'image', data: 'aGk=', mimeType: 'image/png' } as const;

function promptsIn(events: readonly SessionEvent[]): readonly QueuedPrompt[] {
  return events.flatMap((event) => (event.type === 'queued' ? [event.prompt] : []));
}

test('a prompt in the queue of the agent has its id and everything that was sent', () => {
  const queue = new AcpQueue();
  const onAnswered = queue.sending('mine', [text('see'), picture]);
  const [prompt] = promptsIn(queue.replace([{ id: 'mine', text: 'see\n[image]' }], 1));
  onAnswered();
  assert.deepEqual(prompt, { id: 'mine', content: [text('see'), picture], at: 1 });
  assert.deepEqual(queue.replace([{ id: 'mine', text: 'see\n[image]' }], 2), []);
  assert.deepEqual(queue.replace([], 3), [{ type: 'unqueued', at: 3, promptId: 'mine' }]);
});

test('a prompt that was not sent has a new id, whatever the agent calls it', () => {
  const queue = new AcpQueue();
  const onAnswered = queue.sending('mine', [text('one')]);
  onAnswered();
  const [prompt] = promptsIn(queue.replace([{ id: 'mine', text: 'other' }], 1));
  assert.deepEqual(prompt?.content, [text('other')]);
  assert.notEqual(prompt?.id, 'mine');
  assert.deepEqual(queue.replace([], 2), [{ type: 'unqueued', at: 2, promptId: prompt?.id }]);
});

test('a message of the user names a prompt only if that was sent to a running turn', () => {
  const state = new UpdateMap(standardQuirks, '/w', 'p');
  state.queue.sending('mine', [text('left')]);
  const said = (promptId: unknown): SessionEvent | undefined =>
    state.toEvent({ sessionUpdate: 'user_message_chunk', content: text('left'), _meta: { 'acp-host': { promptId } } }, 1);
  const promptIdOf = (event: SessionEvent | undefined): unknown => event?.type === 'message' && event.promptId;
  assert.deepEqual(
    ['mine', 'another', '', 7, null].map((id) => promptIdOf(said(id))),
    ['mine', ...Array(4).fill(undefined)],
  );
});

test('what was sent to a running turn is known until a turn begins in which it neither waits nor is unanswered', () => {
  const queue = new AcpQueue();
  const onAnswered = ['said', 'waits', 'unanswered'].map((id) => queue.sending(id, [text(id)]));
  queue.replace([{ id: 'waits', text: 'waits' }], 1);
  for (const answered of onAnswered.slice(0, 2)) answered();
  const known = (): readonly string[] => ['said', 'waits', 'unanswered'].filter((id) => queue.hasSent(id));
  assert.equal(known().length, 3);
  queue.beginTurn();
  assert.deepEqual(known(), ['waits', 'unanswered']);
});
