import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { wellFormed, wellFormedJson, WholeCharacters } from '../../../src/core/session/wholeCharacters.js';
import type { SessionEvent } from '../../../src/core/session/event.js';

const anyUnits = fc.string({ unit: fc.constantFrom('a', '\\', 'ud83d', '\ud83d', '\ude00', '😀'), maxLength: 6 });

const nameOf = ({ messageId, subagentId }: { readonly messageId?: string; readonly subagentId?: string }): string =>
  `${subagentId} ${messageId}`;

test('chunks of any halves are whole texts that join to the same text', () => {
  const piece = fc.tuple(fc.constantFrom({ messageId: 'm1' }, { messageId: 'm2' }, { subagentId: 'a' }, {}), anyUnits);
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const characters = new WholeCharacters();
      const [texts, expected] = [new Map<string, string>(), new Map<string, string>()];
      const take = (event: SessionEvent): void => {
        if (event.type !== 'message' || event.content.type !== 'text') return;
        const { content } = event;
        assert.equal(content.text, wellFormed(content.text));
        texts.set(nameOf(event), (texts.get(nameOf(event)) ?? '') + content.text);
      };
      for (const [message, text] of pieces) {
        expected.set(nameOf(message), (expected.get(nameOf(message)) ?? '') + text);
        for (const event of characters.pass({ type: 'message', at: 1, role: 'agent', ...message, content: { type: 'text', text } }))
          take(event);
      }
      const end = { type: 'ended', stopReason: 'end_turn', silent: false } as const;
      for (const event of characters.pass({ type: 'turn_ended', at: 2, turnId: 't1', outcome: end })) take(event);
      for (const [name, text] of expected) assert.equal(texts.get(name) ?? '', wellFormed(text));
    }),
  );
});

test('JSON of any value contains whole characters, and is otherwise the same', () => {
  fc.assert(
    fc.property(fc.dictionary(anyUnits, anyUnits, { maxKeys: 1 }), (value) => {
      const [entry] = Object.entries(value).map(([key, text]) => [wellFormed(key), wellFormed(text)]);
      assert.deepEqual(Object.entries(JSON.parse(wellFormedJson(JSON.stringify(value))) as object)[0], entry);
    }),
  );
});
