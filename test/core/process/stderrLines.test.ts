import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { StderrLines } from '../../../src/core/process/agentProcess.js';

function linesOf(chunks: readonly Buffer[]): readonly string[] {
  const stderr = new StderrLines();
  const lines: string[] = [];
  stderr.onLine((line) => lines.push(line));
  for (const chunk of chunks) stderr.push(chunk);
  stderr.end();
  return lines;
}

test('the lines are the same however the chunks are split, with whole characters and an unfinished last line', () => {
  const words = fc.array(fc.constantFrom('a', 'ä', '\u2028', '🙂', ' '), { maxLength: 5 }).map((chars) => chars.join(''));
  fc.assert(
    fc.property(fc.array(words, { minLength: 1, maxLength: 5 }), fc.array(fc.nat(60), { maxLength: 4 }), (lines, cuts) => {
      const bytes = Buffer.from(lines.join('\n'));
      const places = [0, ...cuts.filter((cut) => cut < bytes.length).sort((one, other) => one - other), bytes.length];
      const chunks = places.slice(1).map((end, index) => bytes.subarray(places[index], end));
      assert.deepEqual(linesOf(chunks), lines.at(-1) === '' ? lines.slice(0, -1) : lines);
    }),
  );
});

test('Windows line endings are accepted', () => assert.deepEqual(linesOf([Buffer.from('one\r\ntwo\r\n')]), ['one', 'two']));

test('an endless line is reported in pieces of at most 8 KiB while it arrives', () => {
  const stderr = new StderrLines();
  const lengths: number[] = [];
  stderr.onLine((line) => lengths.push(line.length));
  for (let n = 0; n < 100; n++) stderr.push(Buffer.alloc(1_000, 'x'));
  assert.ok(lengths.length > 10 && Math.max(...lengths) <= 8 * 1024);
  stderr.end();
  assert.equal(
    lengths.reduce((sum, length) => sum + length, 0),
    100_000,
  );
});

test('an unfinished line is reported as it grows, until it is complete', () => {
  const stderr = new StderrLines();
  const told: string[] = [];
  stderr.onLine((line) => told.push(`line ${line}`));
  stderr.onPartial((text) => told.push(`partial ${text}`));
  for (const chunk of ['Pass', 'word: ', 'x\nmore', '\n', 'end']) stderr.push(Buffer.from(chunk));
  stderr.end();
  assert.deepEqual(told, [
    'partial Pass',
    'partial Password: ',
    'line Password: x',
    'partial more',
    'line more',
    'partial ',
    'partial end',
    'line end',
    'partial ',
  ]);
});
