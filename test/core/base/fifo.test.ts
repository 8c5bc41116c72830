import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Fifo } from '../../../src/core/base/fifo.js';
import { assertLinear } from '../../linearTime.js';

test('it gives the entries in their order, without those that were removed', () => {
  const steps = fc.array(fc.oneof(fc.constant('shift' as const), fc.constant('push' as const), fc.nat(20)));
  fc.assert(
    fc.property(steps, (all) => {
      const fifo = new Fifo<number>();
      let [expected, count]: [number[], number] = [[], 0];
      for (const step of all) {
        if (step === 'push') {
          assert.equal(fifo.push(count), count);
          expected.push(count++);
        } else if (step === 'shift') {
          assert.equal(fifo.shift(), expected.shift());
        } else {
          fifo.remove(step);
          expected = expected.filter((entry) => entry !== step);
        }
        assert.deepEqual([...fifo], expected);
        assert.equal(fifo.peek(), expected[0]);
        assert.equal(fifo.size, expected.length);
      }
    }),
  );
});

test('it costs the same for each entry, however many there are', () =>
  assertLinear((count) => () => {
    const fifo = new Fifo<number>();
    for (let i = 0; i < 4 * count; i++) fifo.push(i);
    for (let i = 0; i < count; i++) fifo.remove(2 * i);
    while (fifo.size > 0) fifo.shift();
  }));
