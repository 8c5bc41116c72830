import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { parseEvent } from '../../../src/core/journal/eventSchema.js';
import { anySavedEvent } from '../session/eventsByType.js';

const asJson = (value: unknown): unknown => (value === undefined ? undefined : JSON.parse(JSON.stringify(value)));

it('every event is read back as it was written, and an optional member of the wrong type costs only itself', () => {
  fc.assert(
    fc.property(anySavedEvent, ({ written, read }) => assert.deepEqual(asJson(parseEvent(asJson(written))), asJson(read))),
    { numRuns: 5_000 },
  );
});

it('a text chunk of the wrong shape is no event, and unknown members are left out', () => {
  const piece = { type: 'message', at: 1, role: 'agent', content: { type: 'text', text: 'words' } };
  assert.deepEqual(parseEvent({ ...piece, more: true }), piece);
  assert.deepEqual(parseEvent({ ...piece, content: { ...piece.content, annotations: { priority: 1 } } }), {
    ...piece,
    content: { ...piece.content, annotations: { priority: 1 } },
  });
  for (const messageId of [1, null]) assert.deepEqual(parseEvent({ ...piece, messageId }), piece);
  for (const wrong of [
    { at: '1' },
    { at: Infinity },
    { role: 'system' },
    { content: 'words' },
    { content: { type: 'text' } },
    { content: { type: 'text', text: 1 } },
  ]) {
    assert.equal(parseEvent({ ...piece, ...wrong }), undefined, JSON.stringify(wrong));
  }
});
