import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { runCell } from './lab.js';
import { acp } from './subjects.js';
import { cells, table } from './table.js';

it('every fault has a row, and every row has an agent', async () => {
  const agents = (await readdir(new URL('../agents/faults/', import.meta.url))).map((file) => file.replace('.mjs', ''));
  assert.deepEqual(agents.filter((name) => name !== 'faultBase').sort(), Object.keys(table).sort());
});

describe('an agent with a fault', { concurrency: 2 }, () => {
  for (const { fault, moment, expected } of cells) {
    it(`${fault} at ${moment}: ${expected.words}`, () => runCell(acp, fault, moment, expected));
  }
});
