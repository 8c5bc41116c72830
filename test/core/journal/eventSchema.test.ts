import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { parseEvent } from '../../../src/core/journal/eventSchema.js';
import { anyEvent } from '../session/arbitraryEvents.js';

it('every event is read back as it was written', () => {
  fc.assert(fc.property(anyEvent, (event) => assert.deepEqual(parseEvent(JSON.parse(JSON.stringify(event))), event)));
});

it('a text chunk of the wrong shape is no event, and unknown members are left out', () => {
  const piece = { type: 'message', at: 1, role: 'agent', content: { type: 'text', text: 'words' } };
  assert.deepEqual(parseEvent({ ...piece, more: true }), piece);
  assert.deepEqual(parseEvent({ ...piece, content: { ...piece.content, annotations: { priority: 1 } } }), {
    ...piece,
    content: { ...piece.content, annotations: { priority: 1 } },
  });
  for (const wrong of [
    { at: '1' },
    { at: Infinity },
    { role: 'system' },
    { messageId: 1 },
    { messageId: null },
    { content: 'words' },
    { content: { type: 'text' } },
    { content: { type: 'text', text: 1 } },
  ]) {
    assert.equal(parseEvent({ ...piece, ...wrong }), undefined, JSON.stringify(wrong));
  }
});
