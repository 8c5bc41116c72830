import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { oneLine, stripControls } from '../../src/cli/output/terminalText.js';

const steering = /[\x00-\x08\x0b-\x1f\x7f-\x9f]/;
const anything = fc.string({
  unit: fc.oneof(
    fc.constantFrom('\x1b', '[', ']', '\x07', '\x9b', 'm', '3', '\r', '\n', '\u202e'),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
  ),
});

test('stripped text cannot control a terminal', () => {
  fc.assert(fc.property(anything, (text) => !steering.test(stripControls(text))));
});

test('escape sequences are removed completely', () => {
  assert.equal(stripControls('a\x1b[1;31mb\x1b]8;;http://x\x1b\\c\x1b]0;t\x07d\x9b2Je\x1bcf'), 'abcdef');
});

test('sequences that terminals know but shorter patterns miss are removed completely', () => {
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

test('a line stays one line of limited length', () => {
  fc.assert(fc.property(anything, (text) => oneLine(text, 20).length <= 20 && !oneLine(text).includes('\n')));
});
