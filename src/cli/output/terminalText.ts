/** Text of agents in lines and tables. What the user decides about is spelled out instead (`revealHidden`). */
import { stripControls } from '../../core/index.js';

/** Characters that reverse the rest of a line, which a single line of facts never needs. */
const DIRECTION = /[\u202a-\u202e\u2066-\u2069]/g;

/** One line of at most `most` UTF-16 code units. */
export function oneLine(text: string, most = 160): string {
  const line = stripControls(text).replace(DIRECTION, '').replace(/\s+/g, ' ').trim();
  return line.length > most ? `${line.slice(0, most - 1)}…` : line;
}

/** Columns as wide as their widest cells. @param rows all with the same number of cells, of one line each */
export function tableText(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  const line = (row: readonly string[]): string =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd();
  return rows.map((row) => `${line(row)}\n`).join('');
}

/** `2026-01-31 18:05`, in the local time zone. */
export function localTime(at: number): string {
  const date = new Date(at);
  const two = (value: number): string => String(value).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${two(date.getHours())}:${two(date.getMinutes())}`;
}
