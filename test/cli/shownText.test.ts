/** A saved conversation as users read it: sentences without codes. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Transcript, transcriptAsMarkdown, transcriptAsText } from '../../src/text/transcriptText.js';
import { shownAsJson } from '../../src/cli/output/shownJson.js';
import { contextBlock, emptySession, reduceAll, type SessionEvent, type SessionState } from '../../src/core/index.js';
import { stopReasons } from '../../src/core/session/model.js';

test('each end of a turn, and a running compaction, has a text', () => {
  const events = stopReasons.flatMap((stopReason, index): readonly SessionEvent[] => [
    { type: 'turn_started', at: 1, turnId: `t${index}`, content: [{ type: 'text', text: 'go' }] },
    { type: 'compaction', at: 2, id: 'c', status: 'in_progress' },
    { type: 'turn_ended', at: 3, turnId: `t${index}`, outcome: { type: 'ended', stopReason, silent: false } },
  ]);
  const conversation: Transcript = { agent: 'demo', sessions: [reduceAll(emptySession('s', '/workspace', 1), events)], dropped: 0 };
  for (const show of [transcriptAsText, transcriptAsMarkdown]) {
    const text = show(conversation);
    assert.match(text, /The answer is incomplete: the model reached its token limit\./);
    assert.match(text, /Compacting the context/);
    assert.doesNotMatch(text, /_/);
  }
});

/** A session with one turn. @param end absent: its end was not saved @param after the session of which the agent received a record */
function sessionOf(sessionId: string, at: number, words: string, { end, after }: { end?: 'end'; after?: SessionState } = {}): SessionState {
  const record = after && contextBlock([after]);
  const events: SessionEvent[] = [
    { type: 'turn_started', at, turnId: 't1', content: [...(record === undefined ? [] : [record]), { type: 'text', text: words }] },
    { type: 'message', at, role: 'agent', content: { type: 'text', text: `You said: ${words}` } },
  ];
  const outcome = { type: 'ended', stopReason: 'end_turn', silent: false } as const;
  if (end !== undefined) events.push({ type: 'turn_ended', at, turnId: 't1', outcome });
  return reduceAll(emptySession(sessionId, '/workspace', at), events);
}

describe('a conversation that continued in a new session', () => {
  // The turns have the same id: they are counted per session.
  const first = sessionOf('s1', 1000, 'one', { end: 'end' });
  const conversation: Transcript = {
    agent: 'demo',
    sessions: [first, sessionOf('s2', 5000, 'two', { after: first })],
    dropped: 0,
  };
  const unended = 'This turn has no recorded end: it is in progress or was interrupted.';

  test('as text, it has both sessions in order, with a line between them', () => {
    const parts = [
      's2 · demo · /workspace · 1970-01-01T00:00:01.000Z',
      '> one',
      'You said: one',
      'The conversation continues in a new session.',
      '> two',
      'You said: two',
      unended,
    ];
    assert.equal(transcriptAsText(conversation), `${parts.join('\n\n')}\n`);
  });

  test('as Markdown, too', () => {
    const parts = [
      '# s2',
      'demo · /workspace · 1970-01-01T00:00:01.000Z',
      '## Prompt',
      'one',
      '## Answer',
      'You said: one',
      '*The conversation continues in a new session.*',
      '## Prompt',
      'two',
      '## Answer',
      'You said: two',
      `*${unended}*`,
    ];
    assert.equal(transcriptAsMarkdown(conversation), `${parts.join('\n\n')}\n`);
  });

  test('as JSON, it has the items of both, the beginning of the first, and the id and the end of the last', () => {
    const { id, created, open, items } = shownAsJson(conversation);
    assert.deepEqual([id, created, open], ['s2', '1970-01-01T00:00:01.000Z', true]);
    assert.deepEqual(
      items.map((item) => [item.type, item.at, 'text' in item ? item.text : undefined]),
      [
        ['prompt', '1970-01-01T00:00:01.000Z', 'one'],
        ['answer', '1970-01-01T00:00:01.000Z', 'You said: one'],
        ['end', '1970-01-01T00:00:01.000Z', undefined],
        ['prompt', '1970-01-01T00:00:05.000Z', 'two'],
        ['answer', '1970-01-01T00:00:05.000Z', 'You said: two'],
      ],
    );
  });

  test('a turn of an earlier session without a recorded end is not in progress', () => {
    const sessions = [sessionOf('s1', 1000, 'one'), sessionOf('s2', 5000, 'two', { end: 'end' })] as const;
    const ended = { ...conversation, sessions };
    assert.ok(!transcriptAsText(ended).includes(unended));
    assert.equal(shownAsJson(ended).open, false);
  });
});
