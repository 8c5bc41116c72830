/** The end of every benchmark: tables for people, and with `--json FILE` the goals for programs. */
import { writeFileSync } from 'node:fs';

export interface Goal {
  /** With its unit where it has one, e.g. `require-ms`; a ratio says of what: `small.cpu/parse`. */
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

/** @param fraction 0.99: all but the worst hundredth are below */
export function percentile(values: readonly number[], fraction: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * fraction))] ?? Number.NaN;
}

/** Every column as wide as its widest cell, numbers to the right. */
export function printTable(title: string, header: readonly string[], rows: readonly (readonly (string | number)[])[]): void {
  const cells = [header, ...rows].map((row) => row.map((cell) => (typeof cell === 'number' ? format(cell) : cell)));
  const widths = header.map((_, column) => Math.max(...cells.map((row) => (row[column] ?? '').length)));
  const lines = cells.map((row) =>
    row.map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0))).join('  '),
  );
  lines.splice(1, 0, widths.map((width) => '-'.repeat(width)).join('  '));
  console.log(`\n${title}\n${lines.join('\n')}`);
}

/** Prints the goals, and writes them to the file that the command line names. A missed goal makes the process fail. */
export function writeReport(bench: string, goals: readonly Goal[]): void {
  printTable(
    bench,
    ['goal', 'value', 'at most', ''],
    goals.map(({ id, value, limit, ok }) => [id, value, limit, ok ? 'ok' : 'MISSED']),
  );
  const at = process.argv.indexOf('--json');
  const file = at === -1 ? undefined : process.argv[at + 1];
  if (file !== undefined) writeFileSync(file, `${JSON.stringify({ bench, goals }, null, 2)}\n`);
  if (goals.some(({ ok }) => !ok)) process.exitCode = 1;
}

function format(value: number): string {
  if (!Number.isFinite(value)) return '–';
  return Number.isInteger(value) || value >= 1000 ? Math.round(value).toLocaleString('en') : value.toPrecision(3);
}
