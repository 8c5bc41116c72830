/** Small files of several processes, where some of them cannot be read. */
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { it } from 'node:test';
import { nullLogger } from '../../../src/core/base/logger.js';
import { JsonFolder } from '../../../src/core/store/jsonFolder.js';
import { openStoreLab } from './storeLab.js';

it('leaves a file as it is that it cannot read, and goes on with it once it can', async (t) => {
  const directory = join((await openStoreLab(t)).state, 'things');
  const open = (): JsonFolder<string> => new JsonFolder({ directory, parse: (text) => text, format: (value) => value, log: nullLogger });
  const [first, second] = [open(), open()];
  first.update('one', () => 'words of the user');
  const { openSync } = fs;
  const unreadable = t.mock.method(fs, 'openSync', (path: string, ...rest: [number]) => {
    if (path.endsWith('one.json')) throw Object.assign(new Error('i/o error'), { code: 'EIO' });
    return openSync(path, ...rest);
  });
  syncBuiltinESMExports();
  const change = (before = 'nothing'): string => `${before}, and more`;
  assert.equal(second.update('one', change), undefined);
  unreadable.mock.restore();
  syncBuiltinESMExports();
  assert.equal(second.get('one'), 'words of the user');
  assert.equal(second.update('one', change), 'words of the user, and more');
  first.dispose();
  second.dispose();
});
