import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ContentBlock, checkPrompt } from '../../../src/core/index.js';

const text = (words: string): ContentBlock[] => [{ type: 'text', text: words }];
const agentao = { name: 'agentao', version: '0.5.17' };

test('an unbroken run of more than 8 KiB freezes agentao, a run of 8 KiB does not', () => {
  assert.deepEqual(checkPrompt(agentao, text(`look at ${'a'.repeat(8 * 1024 + 1)}`)), { kind: 'freezes', runChars: 8 * 1024 + 1 });
  assert.equal(checkPrompt(agentao, text('a'.repeat(8 * 1024))), undefined);
});

test('a text of any length is harmless if spaces or line breaks interrupt its runs', () => {
  assert.equal(checkPrompt(agentao, text('word '.repeat(100_000))), undefined);
  assert.equal(checkPrompt(agentao, text(`${'a'.repeat(8_000)}\n`.repeat(20))), undefined);
});

test('letters of any script, digits and the characters of paths form a run, a plus sign does not', () => {
  for (const piece of ['é', '漢', '9', '_', '.', '/', '\\', '-'])
    assert.equal(checkPrompt(agentao, text(piece.repeat(9_000)))?.kind, 'freezes', piece);
  assert.equal(checkPrompt(agentao, text('+'.repeat(9_000))), undefined);
});

test('embedded text is checked, the URI of a link is not', () => {
  const uri = `file:///${'a'.repeat(9_000)}`;
  assert.equal(checkPrompt(agentao, [{ type: 'resource', resource: { uri: 'x', text: 'a'.repeat(9_000) } }])?.kind, 'freezes');
  assert.equal(checkPrompt(agentao, [{ type: 'resource_link', uri, name: 'n' }]), undefined);
});

test('every version of agentao is checked, and no other agent', () => {
  assert.equal(checkPrompt({ name: 'agentao' }, text('a'.repeat(9_000)))?.kind, 'freezes');
  assert.equal(checkPrompt({ name: 'other' }, text('a'.repeat(9_000))), undefined);
});
