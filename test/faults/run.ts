/** `npm run test:faults [-- FAULT [MOMENT]]`: runs the table, or a part of it, prints it, and ends with the sum. */
import { runCell } from './lab.js';
import { cells, noCells } from './table.js';

const [onlyFault, onlyMoment] = process.argv.slice(2);
const isChosen = ({ fault, moment }: { fault: string; moment: string }): boolean =>
  (onlyFault === undefined || fault === onlyFault) && (onlyMoment === undefined || moment === onlyMoment);

const print = (fault: string, moment: string, result: string, took: string, words: string): void =>
  console.log(`${fault.padEnd(17)} ${moment.padEnd(10)} ${result.padEnd(6)} ${took.padStart(8)}  ${words}`);

const totals = { passed: 0, failed: 0 };
const waiting = cells.filter(isChosen);

async function runNext(): Promise<void> {
  for (let cell = waiting.shift(); cell !== undefined; cell = waiting.shift()) {
    const { fault, moment, expected } = cell;
    const startedAt = performance.now();
    const problem = await runCell(fault, moment, expected).then(
      () => undefined,
      (error: unknown) => (error instanceof Error ? error.message : String(error)),
    );
    totals[problem === undefined ? 'passed' : 'failed']++;
    print(fault, moment, problem === undefined ? 'ok' : 'FAILED', `${Math.round(performance.now() - startedAt)} ms`, expected.words);
    if (problem !== undefined) console.log(problem.replaceAll(/^/gm, '    '));
  }
}

print('FAULT', 'MOMENT', 'RESULT', 'TIME', 'EXPECTED');
await Promise.all([runNext(), runNext()]);
for (const { fault, moment, cannot } of noCells.filter(isChosen)) print(fault, moment, '-', '', `cannot strike: ${cannot}`);
if (totals.passed + totals.failed === 0) throw new Error('There is no such cell in test/faults/table.ts.');
console.log(`${totals.passed} passed, ${totals.failed} failed, 0 skipped`);
process.exitCode = totals.failed === 0 ? 0 : 1;
