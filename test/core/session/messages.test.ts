import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { SessionEvent } from '../../../src/core/session/event.js';
import type { MessageItem, MessageRole, SessionState } from '../../../src/core/session/model.js';
import { MessageSeams, type SeenMessage } from '../../../src/core/session/reduceMessage.js';
import { emptySession, reduceAll } from '../../../src/core/session/reducer.js';

const empty = emptySession('s', '/workspace', 0);
const started: SessionEvent = { type: 'turn_started', at: 1, turnId: 't1', content: [{ type: 'text', text: 'go' }] };
const chunk = (role: MessageRole, text: string, messageId?: string): SessionEvent => ({
  type: 'message',
  at: 2,
  role,
  content: { type: 'text', text },
  ...(messageId === undefined ? {} : { messageId }),
});
const tool = (id: string): SessionEvent => ({ type: 'tool', at: 2, id, toolCallId: id, patch: { status: 'completed' } });
const ended = (turnId: string): SessionEvent => ({
  type: 'turn_ended',
  at: 3,
  turnId,
  outcome: { type: 'ended', stopReason: 'end_turn', silent: false },
});
const notice: SessionEvent = { type: 'notice', at: 2, severity: 'info', title: 'Note' };
const finishedPlan: readonly SessionEvent[] = [
  { type: 'plan', at: 2, entries: [{ content: 'step', priority: 'medium', status: 'completed' }] },
  { type: 'plan', at: 2, entries: [] },
];
const compaction: SessionEvent = { type: 'compaction', at: 2, id: 'c', status: 'in_progress' };

const textOf = ({ content }: MessageItem): string =>
  content.map((block) => (block.type === 'text' ? block.text : `[${block.type}]`)).join('');
const messagesOf = ({ items }: SessionState): readonly MessageItem[] =>
  items.filter((item): item is MessageItem => item.kind === 'message' && item.role !== 'user');
const said = (...events: readonly SessionEvent[]): readonly (readonly [MessageRole, string])[] =>
  messagesOf(reduceAll(empty, [started, ...events])).map((item) => [item.role, textOf(item)]);

/** Whole messages: the text of each part with those of the parts that continue it. */
function wholeMessages(state: SessionState): readonly string[] {
  const texts = new Map<string, string[]>();
  for (const item of messagesOf(state)) {
    const before = item.continues === undefined ? undefined : texts.get(item.continues);
    const parts = before ?? [];
    parts.push(textOf(item));
    texts.set(item.id, parts);
  }
  return [...new Set(texts.values())].map((parts) => parts.join(''));
}

describe('what cuts no message', () => {
  const between: Readonly<Record<string, readonly SessionEvent[]>> = {
    'a thought': [chunk('thought', 'hm')],
    'a notice': [notice],
    'a finished plan': finishedPlan,
    'a compaction': [compaction],
    'another message': [chunk('agent', 'aside', 'other')],
    'an update of a known tool call': [tool('before')],
  };
  for (const [what, events] of Object.entries(between)) {
    for (const messageId of [undefined, 'm1']) {
      it(`${what} between two pieces of a word, ${messageId === undefined ? 'without ids' : 'with ids'}`, () => {
        const texts = said(tool('before'), chunk('agent', 'Hel', messageId), ...events, chunk('agent', 'lo.', messageId));
        assert.deepEqual(texts[0], ['agent', 'Hello.']);
        assert.equal(texts.filter(([, text]) => text.includes('lo')).length, 1);
      });
    }
  }

  it('two sentences with a thought in between are not glued together without a space', () => {
    const texts = said(chunk('agent', "I'll look."), chunk('thought', 'hm'), chunk('agent', 'It is forty-two.'));
    assert.deepEqual(texts, [
      ['agent', "I'll look."],
      ['thought', 'hm'],
      ['agent', 'It is forty-two.'],
    ]);
  });

  it('a chunk with annotations belongs to the text before it', () => {
    const annotated = (text: string): SessionEvent => ({
      type: 'message',
      at: 2,
      role: 'agent',
      content: { type: 'text', text, annotations: { audience: ['user'] } },
    });
    assert.deepEqual(said(annotated('The an'), annotated('swer'), chunk('agent', ' is 42.')), [['agent', 'The answer is 42.']]);
  });
});

describe('what divides messages', () => {
  it('a tool call: the message goes on below it if its id says so', () => {
    const items = messagesOf(
      reduceAll(empty, [started, chunk('agent', 'a', 'm'), tool('x'), chunk('agent', 'b', 'm'), chunk('agent', 'c')]),
    );
    assert.deepEqual(
      items.map(({ continues }) => continues),
      [undefined, items[0]?.id, undefined],
    );
    const unnamed = messagesOf(reduceAll(empty, [started, chunk('agent', 'a'), tool('x'), chunk('agent', 'b')]));
    assert.deepEqual(
      unnamed.map((item) => [textOf(item), item.continues]),
      [
        ['a', undefined],
        ['b', undefined],
      ],
    );
  });

  it('a tool call whose id is that of another item', () => {
    assert.deepEqual(said(chunk('agent', 'a'), tool('m1'), chunk('agent', 'b')), [
      ['agent', 'a'],
      ['agent', 'b'],
    ]);
  });

  it('a turn, even if the agent uses an id again', () => {
    const state = reduceAll(empty, [
      started,
      chunk('agent', 'a', 'm'),
      ended('t1'),
      { ...started, turnId: 't2' },
      chunk('agent', 'b', 'm'),
    ]);
    assert.deepEqual(wholeMessages(state), ['a', 'b']);
  });

  it('a prompt in a replay', () => {
    const state = reduceAll(empty, [chunk('user', 'q1'), chunk('agent', 'a', 'm'), chunk('user', 'q2'), chunk('agent', 'b', 'm')]);
    assert.deepEqual(
      state.items.map((item) => (item.kind === 'message' ? textOf(item) : item.kind)),
      ['q1', 'a', 'q2', 'b'],
    );
  });

  it('what the user says in between, unless the id says that the message goes on', () => {
    assert.deepEqual(said(chunk('agent', 'a'), chunk('user', 'wait'), chunk('agent', 'b')), [
      ['agent', 'a'],
      ['agent', 'b'],
    ]);
    assert.deepEqual(said(chunk('agent', 'a', 'm'), chunk('user', 'wait'), chunk('agent', 'b', 'm')), [['agent', 'ab']]);
  });
});

describe('any order', () => {
  const letters = fc.string({ unit: fc.constantFrom('a', 'b', ' ', '\n', '`', '|', '-', '😀'), maxLength: 6 });
  const speaker = fc.record(
    { role: fc.constantFrom('agent' as const, 'thought' as const), messageId: fc.constantFrom('m1', 'm2', 'm3') },
    { requiredKeys: ['role'] },
  );
  const piece = fc.tuple(speaker, letters);
  const aside = fc.constantFrom(notice, compaction, ...finishedPlan, tool('known'));

  it('every message is one item with every word in its order, whatever comes in between', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof({ weight: 4, arbitrary: piece }, aside), { maxLength: 40 }), (steps) => {
        const expected = new Map<string, string>();
        const events: SessionEvent[] = [started, tool('known')];
        for (const step of steps) {
          if (!Array.isArray(step)) {
            events.push(step);
            continue;
          }
          const [{ role, messageId }, text] = step;
          // One without an id is over when something else is said: see below.
          if (role === 'thought' && messageId === undefined) continue;
          events.push(chunk(role, text, messageId));
          const key = `${role} ${messageId}`;
          expected.set(key, (expected.get(key) ?? '') + text);
        }
        assert.deepEqual(wholeMessages(reduceAll(empty, events)), [...expected.values()]);
      }),
    );
  });

  it('a thought without an id is over when something else is said, and cuts nothing', () => {
    const [first, answer, second, rest] = [
      chunk('thought', 'first'),
      chunk('agent', 'So '),
      chunk('thought', 'second'),
      chunk('agent', 'it is.'),
    ];
    const whole = [
      ['thought', 'first'],
      ['agent', 'So it is.'],
      ['thought', 'second'],
    ];
    assert.deepEqual(said(first, answer, second, rest), whole);
    assert.deepEqual(said(first, answer, chunk('thought', 'sec'), notice, chunk('thought', 'ond'), rest), whole);
  });

  it('with tool calls in between, the parts of a message with an id are its text', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.constantFrom('m1', 'm2'), letters, fc.boolean()), { maxLength: 40 }), (steps) => {
        const expected = new Map<string, string>();
        const events: SessionEvent[] = [started];
        for (const [index, [messageId, text, calls]] of steps.entries()) {
          if (calls) events.push(tool(`x${index}`));
          events.push(chunk('agent', text, messageId));
          expected.set(messageId, (expected.get(messageId) ?? '') + text);
        }
        assert.deepEqual(wholeMessages(reduceAll(empty, events)), [...expected.values()]);
      }),
    );
  });

  it('what reads events alone tells messages apart in the same way', () => {
    const step = fc.oneof(
      {
        weight: 4,
        arbitrary: fc
          .tuple(speaker, fc.oneof(letters, fc.constantFrom('End.', 'Begin', '')))
          .map(([who, text]) => chunk(who.role, text, who.messageId)),
      },
      fc.constantFrom(notice, tool('x'), tool('y'), chunk('user', 'wait'), started, ended('t1')),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (events) => {
        const seams = new MessageSeams();
        const texts = new Map<SeenMessage, string>();
        for (const event of events) {
          const message = seams.take(event);
          if (message !== undefined && event.type === 'message' && event.content.type === 'text')
            texts.set(message, (texts.get(message) ?? '') + event.content.text);
        }
        assert.deepEqual([...texts.values()], wholeMessages(reduceAll(empty, events)));
      }),
    );
  });

  it('twenty thousand messages at once are twenty thousand items', () => {
    const chunks = Array.from({ length: 40_000 }, (_, index) => chunk('agent', 'a', `m${index % 20_000}`));
    assert.deepEqual(new Set(said(...chunks).map(([, text]) => text)), new Set(['aa']));
  });
});
