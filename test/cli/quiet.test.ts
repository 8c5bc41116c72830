import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Quiet } from '../../src/cli/input/terminalLines.js';

test('a held key counts once, and only after it is released', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let quiet = 0;
  const waiting = new Quiet(() => quiet++);
  for (let repeat = 0; repeat < 100; repeat++) {
    t.mock.timers.tick(399);
    waiting.typed();
  }
  assert.equal(quiet, 0);
  t.mock.timers.tick(400);
  assert.equal(quiet, 1);
});
