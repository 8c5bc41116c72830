import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LineTail } from '../../../src/core/traffic/agentTraffic.js';

test('returns the last lines, oldest first', () => {
  const tail = new LineTail();
  for (const line of ['one', 'two', 'three']) tail.push(line);
  assert.deepEqual(
    [0, 1, 2, 9].map((count) => tail.last(count)),
    ['', 'three', 'two\nthree', 'one\ntwo\nthree'],
  );
});

test('is bounded in lines and in characters', () => {
  const lines = new LineTail(3, 1_000);
  for (let n = 0; n < 10; n++) lines.push(`${n}`);
  assert.equal(lines.last(10), '7\n8\n9');
  const chars = new LineTail(1_000, 10);
  for (const line of ['aaaa', 'bbbb', 'cccc']) chars.push(line);
  assert.equal(chars.last(10), 'bbbb\ncccc');
  chars.push('longer than the limit allows');
  assert.equal(chars.last(10), '');
});

test('keeps fewer than 300,000 characters by default', () => {
  const tail = new LineTail();
  for (let n = 0; n < 100_000; n++) tail.push('x'.repeat(1_000));
  assert.ok(tail.last(1_000_000).length < 300_000);
});

test('returns an unfinished line as the last one', () => {
  const tail = new LineTail();
  tail.push('one');
  tail.partial = 'Password: ';
  assert.deepEqual([tail.last(5), tail.last(1)], ['one\nPassword: ', 'Password: ']);
  tail.partial = '';
  assert.equal(tail.last(5), 'one');
});
