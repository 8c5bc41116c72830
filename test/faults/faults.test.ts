import { describe, it } from 'node:test';
import { runCell } from './lab.js';
import { cells } from './table.js';

describe('an agent with a fault', { concurrency: 2 }, () => {
  for (const { fault, moment, expected } of cells) {
    it(`${fault} at ${moment}: ${expected.words}`, () => runCell(fault, moment, expected));
  }
});
