import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { oneLine, revealControls, stripControls } from '../../src/cli/output/terminalText.js';

const steering = /[\x00-\x08\x0b-\x1f\x7f-\x9f]/;
const anything = fc.string({
  unit: fc.oneof(
    fc.constantFrom('\x1b', '[', ']', '\x07', '\x9b', 'm', '3', '\r', '\n', '\u202e'),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
  ),
});

test('stripped text holds nothing that steers a terminal', () => {
  fc.assert(fc.property(anything, (text) => !steering.test(stripControls(text))));
});

test('revealed text holds nothing that steers or hides, and loses nothing', () => {
  fc.assert(fc.property(anything, (text) => !steering.test(revealControls(text)) && !revealControls(text).includes('\u202e')));
  assert.equal(revealControls('a\x1b[31m\u202eb\r\nc\td'), 'a<U+001B>[31m<U+202E>b\nc\td');
});

test('sequences go as a whole', () => {
  assert.equal(stripControls('a\x1b[1;31mb\x1b]8;;http://x\x1b\\c\x1b]0;t\x07d\x9b2Je\x1bcf'), 'abcdef');
});

test('sequences that terminals know and shorter rules miss leave nothing behind', () => {
  for (const sequence of [
    '\x1b]0;a title with spaces\x07',
    '\x1b]0;tïtle\x1b\\',
    '\x1b[1 q',
    '\x1b[38:2::255:0:0m',
    '\x1b[>4;2m',
    '\x1b[?2026$p',
    '\x1bPq#0;2;0\x1b\\',
    '\x1b_Gf=100;AAAA\x1b\\',
  ])
    assert.equal(stripControls(`a${sequence}b`), 'ab', JSON.stringify(sequence));
});

test('a line is one line, and not too long', () => {
  fc.assert(fc.property(anything, (text) => oneLine(text, 20).length <= 20 && !oneLine(text).includes('\n')));
});
