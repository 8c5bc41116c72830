/** What every bench ends with: a table for people, and with `--json FILE` the same figures for machines. */
import { writeFileSync } from 'node:fs';

export interface Goal {
  /** With its unit, e.g. `require-ms`. */
  readonly id: string;
  readonly value: number;
  readonly limit: number;
  readonly ok: boolean;
}

export function atMost(id: string, value: number, limit: number): Goal {
  return { id, value, limit, ok: value <= limit };
}

/** Of an even number of values, the lower one of the middle. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? Number.NaN;
}

/** Prints the goals and writes them where the command line says so. A goal that is missed makes the process fail. */
export function writeReport(bench: string, goals: readonly Goal[]): void {
  const width = Math.max(...goals.map(({ id }) => id.length));
  for (const { id, value, limit, ok } of goals) console.log(`${ok ? 'ok    ' : 'MISSED'}  ${id.padEnd(width)}  ${format(value).padStart(10)}  at most ${format(limit)}`);
  const at = process.argv.indexOf('--json');
  const file = at === -1 ? undefined : process.argv[at + 1];
  if (file !== undefined) writeFileSync(file, `${JSON.stringify({ bench, goals }, null, 2)}\n`);
  if (goals.some(({ ok }) => !ok)) process.exitCode = 1;
}

function format(value: number): string {
  return Number.isInteger(value) ? String(value) : value.toPrecision(3);
}
