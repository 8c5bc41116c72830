import assert from 'node:assert/strict';
import { win32 } from 'node:path';
import { test } from 'node:test';
import { machineOf } from '../../../src/core/index.js';

test('machineOf returns the machine that a Windows path names, if any', () => {
  for (const path of [
    '\\\\Server\\share\\a.txt',
    '//server/share/a.txt',
    win32.resolve('C:\\work', '//server/share/a.txt'),
    '\\\\?\\UNC\\server\\share\\a.txt',
    '//./unc/Server/share',
  ])
    assert.equal(machineOf(path), 'server', path);
  for (const path of ['\\\\?\\GLOBALROOT\\Device\\Mup\\server\\share', '\\\\?\\UNC\\']) assert.equal(machineOf(path), '?', path);
  for (const path of ['\\\\?\\C:\\work\\a.txt', '\\\\.\\c:', 'C:\\work\\a.txt', '/home/me/a.txt', 'a.txt', '\\a.txt'])
    assert.equal(machineOf(path), undefined, path);
});
