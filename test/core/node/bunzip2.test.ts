import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bunzip2 } from '../../../src/core/node/unpack.js';

// Made by bzip2, as base64.
const twoStreams = 'QlpoOTFBWSZTWTndDXQAAAIRAEAEAgGgACGDQZoJcHF3JFOFCQOd0NdAQlpoOTFBWSZTWc3cjZoAAACBgAAAhIAgACGYGYRhdyRThQkM3cjZoA==';
/** A million times “ab”, in three blocks. */
const threeBlocks =
  'QlpoOTFBWSZTWREfKpgDbuMBADAAIAAwgE1GioQiYVCETmKCskymsmKIj8wG3cYCAGAAQABhAJqMKhCJoqEInMUFZJlNZ7n9mYwDDWQEAMAAgADCATUYokVTFEiqcXckU4UJDIi0PPA=';
/** 30,000,000 zeros. */
const zeros = 'QlpoOTFBWSZTWRkjKSIA5cfAAMAIAAggADDMCappgqEo2qqUJR4u5IpwoSAyRlJE';

async function* piecesOf(bytes: Buffer, size = bytes.length): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield await Promise.resolve(bytes.subarray(at, at + size));
}

async function all(bytes: Buffer, size?: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of bunzip2(piecesOf(bytes, size))) parts.push(part);
  return Buffer.concat(parts);
}

const bytesOf = (base64: string): Buffer => Buffer.from(base64, 'base64');

test('what was compressed comes back, in whatever pieces it arrives', async () => {
  for (const size of [1, 7, 1_000]) {
    assert.equal((await all(bytesOf(twoStreams), size)).toString(), 'one, two');
    assert.ok((await all(bytesOf(threeBlocks), size)).equals(Buffer.from('ab'.repeat(1_000_000))));
  }
});

test('one that is damaged, or ends too early, fails', async () => {
  const whole = bytesOf(twoStreams);
  const firstEnds = whole.indexOf('BZh', 1);
  for (let length = 0; length < whole.length; length++)
    if (length !== firstEnds) await assert.rejects(all(whole.subarray(0, length)), Error, `${length} bytes`);
  // Some bits mean nothing.
  for (let at = 0; at < whole.length; at++) {
    const damaged = Buffer.from(whole);
    damaged.writeUInt8(damaged.readUInt8(at) ^ 0x10, at);
    const read = await all(damaged).catch(() => undefined);
    if (read !== undefined) assert.equal(read.toString(), 'one, two', `byte ${at}`);
  }
});

test('of one that expands to gigabytes, only what is read is decompressed', async () => {
  let bytes = 0;
  for await (const part of bunzip2(piecesOf(Buffer.concat(Array.from({ length: 1_000 }, () => bytesOf(zeros)))))) {
    bytes += part.length;
    if (bytes > 50_000_000) break;
  }
  assert.equal(bytes, 60_000_000);
});
