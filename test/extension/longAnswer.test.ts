/** An answer of several megabytes: the cost of a frame for the host depends on the frame only. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { reduceAll, type SessionState } from '../../src/core/index.js';
import { diffViews } from '../../src/extension/pages/pageLink.js';
import { chatDrawer } from '../../src/extension/chat/viewModel.js';
import { conversation, sessionOf, start, turn } from './drawnChat.js';
import { processorMs } from '../processorTime.js';

const grown = (session: SessionState, text: string): SessionState =>
  reduceAll(session, [{ type: 'message', at: start, role: 'agent', content: { type: 'text', text } }]);

test('a frame of a long answer costs no more than one of a short answer', () => {
  let session = sessionOf(turn);
  for (let piece = 0; piece < 256; piece++) session = grown(session, '0123456789abcdef'.repeat(4_096));
  const draw = chatDrawer();
  const view = () =>
    draw({ conversation: conversation({ session }), prompts: [], closed: undefined, chips: [], quietAfterMs: 60_000, now: start }).view;
  let held = view();
  const words = 'some forty words of an answer, as they come in a frame. ';
  let spentMs = 0;
  for (let frame = 0; frame < 100; frame++) {
    session = grown(session, words);
    const startedAt = processorMs();
    const next = view();
    const ops = diffViews(held, next);
    spentMs += processorMs() - startedAt;
    assert.deepEqual(
      ops.map((op) => op.op === 'append' && op.text),
      [words],
    );
    held = next;
  }
  assert.ok(spentMs < 200, `100 frames took ${Math.round(spentMs)} ms`);
});
