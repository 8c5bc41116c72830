import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pictureType } from '../../../src/core/index.js';

const typeOf = (latin1: string) => pictureType(Buffer.from(latin1, 'latin1'));

test('the type of a picture is recognized by its first bytes', () => {
  assert.equal(typeOf('\x89PNG\r\n\x1a\n\0\0'), 'image/png');
  assert.equal(typeOf('\xff\xd8\xff\xe0'), 'image/jpeg');
  assert.equal(typeOf('GIF89a'), 'image/gif');
  assert.equal(typeOf('RIFF\x01\x02\n\x04WEBPVP8 '), 'image/webp');
  for (const other of ['', '<svg xmlns="x"/>', 'RIFFabcdWAVE', 'GIF', 'key=secret']) assert.equal(typeOf(other), undefined);
});
