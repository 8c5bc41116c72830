import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { type LineLimits, LineSplitter, defaultLineLimits } from '../../../src/core/transport/lineSplitter.js';
import { processorMs } from '../../processorTime.js';

interface Result {
  readonly lines: string[];
  readonly tooLong: string[];
  gaveUp: number;
}

function splitter(limits: LineLimits = defaultLineLimits): { readonly lines: LineSplitter; readonly result: Result } {
  const result: Result = { lines: [], tooLong: [], gaveUp: 0 };
  const lines = new LineSplitter(
    {
      onLine: (buffer, start, end) => result.lines.push(buffer.toString('utf8', start, end)),
      onLineTooLong: (head) => result.tooLong.push(head.toString('utf8')),
      onGiveUp: () => result.gaveUp++,
    },
    limits,
  );
  return { lines, result };
}

function split(chunks: readonly Buffer[], limits?: LineLimits): Result {
  const { lines, result } = splitter(limits);
  for (const chunk of chunks) lines.push(chunk);
  lines.end();
  return result;
}

/** Cuts the bytes at the given places. */
function cut(bytes: Buffer, places: readonly number[]): Buffer[] {
  const at = [...new Set(places.map((place) => place % (bytes.length + 1)))].sort((a, b) => a - b);
  return [0, ...at].map((from, index) => bytes.subarray(from, at[index] ?? bytes.length));
}

const line = fc.string({ unit: 'grapheme', maxLength: 40 }).map((text) => text.replace(/[\r\n\uFEFF]/g, '·'));
const places = fc.array(fc.nat({ max: 4000 }), { maxLength: 60 });

test('any chunking gives the same lines', () => {
  fc.assert(
    fc.property(fc.array(line, { maxLength: 30 }), fc.constantFrom('\n', '\r\n'), places, (texts, lineEnd, cuts) => {
      const bytes = Buffer.from(texts.map((text) => text + lineEnd).join(''));
      assert.deepEqual(split(cut(bytes, cuts)).lines, texts);
    }),
  );
});

test('any bytes, even invalid UTF-8, are split at LF and nowhere else', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 400 }), places, (array, cuts) => {
      const bytes = Buffer.from(array);
      const whole = split([bytes]);
      assert.deepEqual(split(cut(bytes, cuts)), whole);
      assert.equal(whole.lines.length, bytes.filter((byte) => byte === 0x0a).length + (bytes.length > 0 && bytes.at(-1) !== 0x0a ? 1 : 0));
    }),
  );
});

test('pausing anywhere neither loses nor reorders lines', () => {
  fc.assert(
    fc.property(fc.array(line, { maxLength: 30 }), places, fc.array(fc.boolean(), { maxLength: 100 }), (texts, cuts, pauses) => {
      const seen: string[] = [];
      const choices = [...pauses];
      const lines: LineSplitter = new LineSplitter({
        onLine: (buffer, start, end) => {
          seen.push(buffer.toString('utf8', start, end));
          if (choices.shift() === true) lines.pause();
        },
        onLineTooLong: () => assert.fail(),
        onGiveUp: () => assert.fail(),
      });
      for (const chunk of cut(Buffer.from(texts.map((text) => `${text}\n`).join('')), cuts)) {
        lines.push(chunk);
        if (choices.shift() === true) lines.resume();
      }
      while (lines.holding) lines.resume();
      lines.end();
      assert.deepEqual(seen, texts);
    }),
  );
});

test('no line is delivered while paused', () => {
  const { lines, result } = splitter();
  lines.pause();
  lines.push(Buffer.from('a\nb\n'));
  assert.deepEqual(result.lines, []);
  lines.resume();
  assert.deepEqual(result.lines, ['a', 'b']);
});

test('other line separators stay in the line', () => {
  const text = 'a\u2028b\u2029c\u0085d\re\v\f';
  assert.deepEqual(split([Buffer.from(`${text}\n`)]).lines, [text]);
});

test('a byte order mark is removed at the start of the stream only, even if it is split', () => {
  const bytes = Buffer.from('\uFEFF{"a":1}\n\uFEFF{}\n');
  for (let at = 0; at < 6; at++) assert.deepEqual(split(cut(bytes, [at])).lines, ['{"a":1}', '\uFEFF{}']);
});

test('one CR before LF is removed, even if a chunk ends between them', () => {
  assert.deepEqual(split([Buffer.from('a\r'), Buffer.from('\nb\r\r\n\r\n')]).lines, ['a', 'b\r', '']);
});

test('a line over the limit is reported once, and the lines after it are read', () => {
  const limits = { lineBytes: 10, giveUpBytes: 1000 };
  const bytes = Buffer.from(`${'x'.repeat(11)}\nok\n${'y'.repeat(500)}\n0123456789\r\nend`);
  for (const size of [1, 3, 7, 1000]) {
    const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) => bytes.subarray(index * size, (index + 1) * size));
    const result = split(chunks, limits);
    assert.deepEqual(result.lines, ['ok', '0123456789', 'end']);
    assert.deepEqual(
      result.tooLong.map((head) => head[0]),
      ['x', 'y'],
    );
    assert.equal(result.gaveUp, 0);
  }
});

test('the splitter gives up on an endless line at the second limit, and delivers nothing after it', () => {
  const { lines, result } = splitter({ lineBytes: 10, giveUpBytes: 100 });
  for (let sent = 0; sent < 200; sent += 10) lines.push(Buffer.alloc(10, 0x78));
  lines.push(Buffer.from('\nlater\n'));
  lines.end();
  assert.deepEqual(result, { lines: [], tooLong: ['x'.repeat(20)], gaveUp: 1 });
});

test('a long line is split in linear time', () => {
  const time = (chunks: number): number => {
    const chunk = Buffer.alloc(1024, 0x78);
    const started = processorMs();
    const { lines, result } = splitter();
    for (let sent = 0; sent < chunks; sent++) lines.push(chunk);
    lines.push(Buffer.from('\n'));
    assert.equal(result.lines[0]?.length, chunks * 1024);
    return processorMs() - started;
  };
  time(1000);
  // 16 times the length: linear is 16 times the time, quadratic 256 times.
  assert.ok(time(32_000) < 100 * Math.max(time(2000), 0.5));
});
