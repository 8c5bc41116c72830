import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { oneLine } from '../../src/text/plainText.js';
import { cutToScreen, tableText } from '../../src/cli/output/terminalText.js';
import { printedText, printedWithStyles, stripControls, stripPiece } from '../../src/core/base/terminalCodes.js';

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
    // `tput sgr0`, the title of screen, and their 8-bit forms.
    '\x1b(B\x1b[m',
    '\x1bkname\x1b\\',
    '\x9d0;title\x9c',
    '\x90q#0\x9c',
    '\x9b1;31m',
    '\x1b]P0000000',
  ])
    assert.equal(stripControls(`a${sequence}b`), 'ab', JSON.stringify(sequence));
});

test('text in pieces loses the same as the whole text', () => {
  fc.assert(
    fc.property(fc.array(anything), (pieces) => {
      let [text, held] = ['', ''];
      for (const piece of pieces) {
        const next = stripPiece(held + piece);
        text += next.text;
        held = next.held;
      }
      assert.equal(text + stripControls(held), stripControls(pieces.join('')));
    }),
  );
});

test('printed text is what a terminal shows in the end', () => {
  const cases: Readonly<Record<string, string>> = {
    '10%\r50%\r100%\n': '100%\n',
    '10%\r': '10%',
    'a\r\nb\r\r\nc': 'a\nb\nc',
    'ab\b\bXY': 'XY',
    'abc\b': 'abc',
    '\b|\b/\b-': '-',
    '_\bU_\bn bo\bol\bld': 'Un bold',
    '\x1b[2K\x1b[1Gline': 'line',
    'Loading\r\x1b[KDone': 'Done',
    '\x1b[31m✗ fail\x1b(B\x1b[m': '✗ fail',
  };
  for (const [output, shown] of Object.entries(cases)) assert.equal(printedText(output), shown, JSON.stringify(output));
  fc.assert(fc.property(anything, (text) => !steering.test(printedText(text))));
});

test('styles of printed text are the only sequences that are kept, and change nothing else', () => {
  assert.equal(printedWithStyles('\x1b[1;31m\x1b[2Kfail\x1b[0m\x1b]0;title\x07\x1b'), '\x1b[1;31mfail\x1b[0m');
  assert.equal(printedWithStyles('\x1b[31ma\b\x1b[0mb'), 'b');
  fc.assert(
    fc.property(anything, (text) => {
      const shown = printedWithStyles(text);
      assert.equal(shown.replace(/\x1b\[[\d;]*m/g, ''), printedText(text));
    }),
  );
});

test('a line stays one line of limited length', () => {
  fc.assert(fc.property(anything, (text) => oneLine(text, 20).length <= 20 && !oneLine(text).includes('\n')));
});

test('a line is not cut inside of a character', () => {
  assert.equal(oneLine('ab🎉cd', 4), 'ab…');
});

test('columns are aligned whatever the width of the characters', () => {
  assert.equal(
    tableText([
      ['文件', 'x'],
      ['e\u0301…', 'x'],
      ['🎉', 'x'],
      ['four', 'x'],
    ]),
    '文件  x\ne\u0301…    x\n🎉    x\nfour  x\n',
  );
});

test('what is drawn again and again fits on the screen, and says how many lines do not', () => {
  const table = 'needs input  one\nrunning  二二二二二二\nidle  three\nidle  four\n';
  assert.equal(cutToScreen(table, { columns: 16, rows: 4 }), 'needs input  one\nrunning  二二二…\n… 2 more\n');
  assert.equal(cutToScreen(table, { columns: 80, rows: 5 }), table);
  assert.equal(cutToScreen('idle  one     /folder\n', { columns: 13, rows: 5 }), 'idle  one\n');
  assert.equal(cutToScreen('idle  one     /folder\n', { columns: 10, rows: 5 }), 'idle  one\n');
  assert.equal(cutToScreen('idle  one two  /folder\n', { columns: 11, rows: 5 }), 'idle  one…\n');
  assert.equal(cutToScreen(table, { columns: 0, rows: 0 }), table);
  assert.equal(cutToScreen('ab👩‍👩‍👦cd efgh', { columns: 6, rows: 5 }), 'ab👩‍👩‍👦c…\n');
  assert.equal(cutToScreen('idle  one… two', { columns: 11, rows: 5 }), 'idle  one…\n');
  assert.equal(cutToScreen('ab👩‍👩‍👦cd efgh', { columns: 4, rows: 5 }), 'ab…\n');
});
