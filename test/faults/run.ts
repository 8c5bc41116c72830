/**
 * `npm run test:faults [-- FAULT [MOMENT [BACKEND]]]`, where an empty name matches any: runs the table or a part of it, prints the results,
 * and ends with the totals.
 */
import { runCell } from './lab.js';
import { otherCells, otherNoCells } from './otherTable.js';
import { acp } from './subjects.js';
import { cells, moments, noCells } from './table.js';

const [onlyFault, onlyMoment, onlyBackend] = process.argv.slice(2);
interface Place {
  readonly subject: { readonly name: string };
  readonly fault: string;
  readonly moment: string;
}
const isChosen = ({ subject, fault, moment }: Place): boolean =>
  [
    [onlyFault, fault],
    [onlyMoment, moment],
    [onlyBackend, subject.name],
  ].every(([only = '', is]) => only === '' || only === is);

const print = ({ subject, fault, moment }: Place, result: string, took: string, words: string): void =>
  console.log(`${subject.name.padEnd(13)} ${fault.padEnd(17)} ${moment.padEnd(10)} ${result.padEnd(6)} ${took.padStart(8)}  ${words}`);

const totals = { passed: 0, failed: 0 };
const chosen = [...cells.map((cell) => ({ subject: acp, ...cell })), ...otherCells].filter(isChosen);
const left = [...noCells.map((cell) => ({ subject: acp, ...cell })), ...otherNoCells].filter(isChosen);
const waiting = [...chosen];
/** By fault and moment, then by backend. */
const results = new Map<string, Map<string, string>>();

function record({ subject, fault, moment }: Place, result: string): void {
  const row = results.get(`${fault} ${moment}`) ?? new Map<string, string>();
  results.set(`${fault} ${moment}`, row.set(subject.name, result));
}

async function runNext(): Promise<void> {
  for (let cell = waiting.shift(); cell !== undefined; cell = waiting.shift()) {
    const { subject, fault, moment, expected } = cell;
    const startedAt = performance.now();
    const problem = await runCell(subject, fault, moment, expected).then(
      () => undefined,
      (error: unknown) => (error instanceof Error ? error.message : String(error)),
    );
    totals[problem === undefined ? 'passed' : 'failed']++;
    const result = problem === undefined ? 'ok' : 'FAILED';
    record(cell, result);
    print(cell, result, `${Math.round(performance.now() - startedAt)} ms`, expected.words);
    if (problem !== undefined) console.log(problem.replaceAll(/^/gm, '    '));
  }
}

print({ subject: { name: 'BACKEND' }, fault: 'FAULT', moment: 'MOMENT' }, 'RESULT', 'TIME', 'EXPECTED');
await Promise.all([runNext(), runNext()]);
for (const cell of left) {
  record(cell, '-');
  print(cell, '-', '', `cannot strike: ${cell.cannot}`);
}
const names = [...new Set([...chosen, ...left].map(({ subject }) => subject.name))];
const faults = [...new Set([...chosen, ...left].map(({ fault }) => fault))];
console.log(`\n${'FAULT'.padEnd(17)} ${'MOMENT'.padEnd(10)} ${names.map((name) => name.padEnd(13)).join(' ')}`);
for (const fault of faults)
  for (const moment of moments) {
    const row = results.get(`${fault} ${moment}`);
    if (row === undefined || ![...row.values()].some((result) => result !== '-')) continue;
    console.log(`${fault.padEnd(17)} ${moment.padEnd(10)} ${names.map((name) => (row.get(name) ?? '-').padEnd(13)).join(' ')}`);
  }
if (totals.passed + totals.failed === 0) throw new Error('There is no such cell in test/faults.');
console.log(`\n${totals.passed} passed, ${totals.failed} failed, 0 skipped`);
process.exitCode = totals.failed === 0 ? 0 : 1;
