import assert from 'node:assert/strict';
import { test } from 'node:test';
import { paintFor } from '../../src/cli/output/terminalText.js';
import { isColored } from '../../src/cli/system/io.js';

const terminal = Object.assign(Object.create(process.stdout) as NodeJS.WriteStream, { isTTY: true });
const pipe = Object.assign(Object.create(process.stdout) as NodeJS.WriteStream, { isTTY: false });

test('the caller decides about colors, regardless of the environment of the process', () => {
  const paint = paintFor(true);
  assert.equal(paint.red('a'), '\x1b[31ma\x1b[39m');
  assert.equal(paint.bold('a'), '\x1b[1ma\x1b[22m');
  assert.equal(paint.dim('a'), '\x1b[2ma\x1b[22m');
  assert.equal(paintFor(false).red('a'), 'a');
});

test('colors need a terminal that is not dumb, and NO_COLOR not to be set', () => {
  assert.equal(isColored(terminal, { TERM: 'xterm' }), true);
  assert.equal(isColored(terminal, { TERM: 'xterm', NO_COLOR: '' }), true, 'an empty value does not count');
  assert.equal(isColored(terminal, { TERM: 'xterm', NO_COLOR: '1' }), false);
  assert.equal(isColored(terminal, { TERM: 'dumb' }), false);
  assert.equal(isColored(pipe, { TERM: 'xterm' }), false);
});
