/** A saved conversation as users read it: sentences without codes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shownAsMarkdown, shownAsText } from '../../src/cli/output/transcript.js';
import { emptySession, reduceAll, type SessionEvent } from '../../src/core/index.js';
import { stopReasons } from '../../src/core/session/model.js';

test('each end of a turn, and a running compaction, has a text', () => {
  const events = stopReasons.flatMap((stopReason, index): readonly SessionEvent[] => [
    { type: 'turn_started', at: 1, turnId: `t${index}`, content: [{ type: 'text', text: 'go' }] },
    { type: 'compaction', at: 2, id: 'c', status: 'in_progress' },
    { type: 'turn_ended', at: 3, turnId: `t${index}`, outcome: { type: 'ended', stopReason, silent: false } },
  ]);
  const conversation = { agent: 'demo', state: reduceAll(emptySession('s', '/workspace', 1), events), dropped: 0 };
  for (const show of [shownAsText, shownAsMarkdown]) {
    const text = show(conversation);
    assert.match(text, /The answer is incomplete: the model reached its token limit\./);
    assert.match(text, /Context compaction: in progress/);
    assert.doesNotMatch(text, /_/);
  }
});
