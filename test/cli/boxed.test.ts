/** An agent's text in a separate column. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { boxed, paintFor } from '../../src/cli/output/terminalText.js';

test('a style continues on a wrapped line, and the border keeps its own', () => {
  const paint = paintFor(true);
  const [first, second] = boxed(`${paint.bold('a'.repeat(20))} end`, 20, paint);
  assert.deepEqual([first, second], [`${paint.dim('  │ ')}${'\x1b[1m'}${'a'.repeat(20)}\x1b[22m`, `${paint.dim('  │ ')} end`]);
  const [begun, goesOn] = boxed(paint.bold('a'.repeat(30)), 20, paint);
  assert.equal(begun, `${paint.dim('  │ ')}\x1b[1m${'a'.repeat(20)}\x1b[0m`);
  assert.equal(goesOn, `${paint.dim('  │ ')}\x1b[1m${'a'.repeat(10)}\x1b[22m`);
});
