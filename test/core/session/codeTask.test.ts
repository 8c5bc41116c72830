import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import {
  type CodeTask,
  codeTaskKinds,
  functionNameOf,
  pieceOf,
  readTask,
  taskPrompt,
  wholeRange,
} from '../../../src/core/session/codeTask.js';

const position = fc.record({ line: fc.nat(5_000), character: fc.nat(200) }, { noNullPrototype: true });
const range = fc.record({ start: position, end: position }, { noNullPrototype: true });
const piece = fc.record({ range, text: fc.string() }, { noNullPrototype: true });
const symbol = fc.record({ name: fc.string(), kind: fc.constant('Function'), range, children: fc.constant([]) }, { noNullPrototype: true });
const task: fc.Arbitrary<CodeTask> = fc.record(
  {
    kind: fc.constantFrom(...codeTaskKinds),
    uri: fc.constant('file:///a%20b/c.py'),
    selected: piece,
    visible: piece,
    whole: fc.string(),
    symbols: fc.array(symbol),
  },
  { requiredKeys: ['kind', 'uri', 'selected'], noNullPrototype: true },
);

test('a task converted to a prompt can be parsed back', () => {
  fc.assert(fc.property(task, (one) => assert.deepEqual(readTask(taskPrompt(one), JSON.parse), one)));
});

test('other prompts are not parsed as a task: different words, no file, or other text before it', () => {
  const file = { type: 'resource', resource: { uri: 'file:///a.py', text: 'a\nbc' } } as const;
  for (const content of [
    [{ type: 'text', text: 'explain' } as const, file],
    [{ type: 'text', text: '/explain this' } as const, file],
    [{ type: 'text', text: '/explain' } as const],
    [file],
  ])
    assert.equal(
      readTask(content, () => undefined),
      undefined,
    );
  const whole = readTask([{ type: 'text', text: '/explain' }, file], () => undefined);
  assert.deepEqual(whole?.selected, { range: { start: { line: 0, character: 0 }, end: { line: 1, character: 2 } }, text: 'a\nbc' });
});

test('a range of a text is in UTF-16 units, and there is none outside of the text', () => {
  const text = 'one\n\u{1f44b}two\nthree';
  const at = (line: number, character: number): { readonly line: number; readonly character: number } => ({ line, character });
  const between = (start: ReturnType<typeof at>, end: ReturnType<typeof at>): string | undefined => pieceOf(text, { start, end })?.text;
  assert.equal(between(at(0, 1), at(1, 2)), 'ne\n\u{1f44b}');
  assert.equal(between(at(1, 2), at(2, 5)), 'two\nthree');
  assert.equal(pieceOf(text, wholeRange(text))?.text, text);
  for (const [start, end] of [
    [at(0, 0), at(0, 4)],
    [at(0, 0), at(3, 0)],
    [at(0, 2), at(0, 2)],
    [at(1, 0), at(0, 1)],
  ] as const)
    assert.equal(between(start, end), undefined);
});

describe('the function at a selection', () => {
  const nameIn = (selected: string, before = '', more: Partial<CodeTask> = {}): string | undefined => {
    const line = before.split('\n').length - 1;
    const range = { start: { line, character: 0 }, end: { line: line + 1, character: 0 } };
    return functionNameOf({ kind: 'unittest', uri: 'file:///a', selected: { range, text: selected }, whole: before + selected, ...more });
  };
  for (const [text, name] of [
    ['def next_turn(self):\n  pass', 'next_turn'],
    ['async def go():', 'go'],
    ['func (g *Game) NextTurn(n int) error {', 'NextTurn'],
    ['pub fn next<T>(x: T) -> T {', 'next'],
    ['export async function load(x) {', 'load'],
    ['const add = (a: number, b: number): number => a + b;', 'add'],
    ['  public static int nextTurn(int a) {\n', 'nextTurn'],
    ['  nextTurn(a) {\n', 'nextTurn'],
  ] as const)
    test(text, () => assert.equal(nameIn(text), name));

  test('it is the last definition before the selection, or none', () => {
    assert.equal(nameIn('  x = 1\n', 'def one():\n  pass\ndef two():\n'), 'two');
    assert.equal(nameIn('x = 1\n', ''), undefined);
    assert.equal(nameIn('if (x) {\n  y();\n}'), undefined);
  });

  test('if the editor knows symbols, it is the one that the editor reports', () => {
    const place = { start: { line: 0, character: 0 }, end: { line: 1, character: 0 } };
    const symbols = [
      { name: 'WIDTH', kind: 'Constant', range: place, children: [] },
      { name: 'turn', kind: 'Method', range: place, children: [] },
    ];
    assert.equal(nameIn('def other():', '', { symbols }), 'turn');
  });
});
