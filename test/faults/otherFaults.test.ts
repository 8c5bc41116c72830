import { describe, it } from 'node:test';
import { runCell } from './lab.js';
import { otherCells } from './otherTable.js';

describe('an agent of another protocol with a fault', { concurrency: 2 }, () => {
  for (const { subject, fault, moment, expected } of otherCells) {
    it(`${subject.name}: ${fault} at ${moment}: ${expected.words}`, () => runCell(subject, fault, moment, expected));
  }
});
