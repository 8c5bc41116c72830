import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import test from 'node:test';
import { agentsPage, reportOf } from './report.js';
import { readResults } from './results.js';

test('The page about agents shows the saved results', async () => {
  assert.equal(await readFile(agentsPage, 'utf8'), reportOf(await readResults()));
});
