/**
 * Lines that name the writer of the lines after them; each write begins with one. Two processes may write to one file if one of them was
 * silent and passed over. Its remaining output then belongs to what it wrote before.
 */
import { randomUUID } from 'node:crypto';

const start = '{"writer":';
const pattern = /^\{"writer":"([\da-f]{1,36})"\}$/;

/** Creates a name per open journal: a process that opens a conversation again is another writer. */
export function newWriter(): string {
  return randomUUID().slice(0, 8);
}

/** Starts on a new line, because another process may have been cut off in the middle of its line. */
export function formatWriter(writer: string): string {
  return `\n${start}"${writer}"}\n`;
}

/** The size of the complete lines among the bytes that the disk accepted. The next write starts on a new line. */
export function bytesOfWholeLines(bytes: Uint8Array, written: number): number {
  if (written <= 0) return 0;
  return bytes[written] === 0x0a ? written + 1 : bytes.lastIndexOf(0x0a, written - 1) + 1;
}

/** Nothing, or a part of a line that names a writer. */
function isPiece(line: string): boolean {
  return line === '' || line.startsWith(start) || start.startsWith(line);
}

interface Run {
  /** Unknown at the beginning of a file, and in a whole file from before version 4. */
  readonly writer: string | undefined;
  readonly lines: string[];
  /** The list that it comes from, or belongs to. */
  readonly list: number;
}

/** Knows all writers, and the last one. */
export class WriterOrder {
  readonly #seen = new Set<string>();
  #last: string | undefined;
  #isLate = false;

  /** The next lines belong before earlier lines. */
  get isLate(): boolean {
    return this.#isLate;
  }

  isLast(writer: string): boolean {
    return writer === this.#last;
  }

  /** @returns false for a writer that another one took over from: its lines belong before earlier lines */
  note(writer: string): boolean {
    this.#isLate = writer !== this.#last && this.#seen.has(writer);
    if (this.#isLate) return false;
    this.#seen.add(writer);
    this.#last = writer;
    return true;
  }
}

/** @returns the writer of the lines that follow; undefined for any other line */
export function writerIn(line: string): string | undefined {
  return line.startsWith(start) ? pattern.exec(line)?.[1] : undefined;
}

/**
 * Returns the lines without the writers' names, grouped by writer, in the order in which the writers started.
 * @param lists of one file each, in order @returns as many lists; lines that belong to an earlier list are moved there
 */
export function linesByWriter(lists: readonly (readonly string[])[], order = new WriterOrder()): readonly (readonly string[])[] {
  const runs: Run[] = [];
  for (const [list, lines] of lists.entries()) {
    let run: Run = { writer: undefined, lines: [], list };
    runs.push(run);
    for (const line of lines) {
      const writer = writerIn(line);
      if (writer !== undefined) run = goesOn(run, writer, order) ? run : runFor(runs, writer, list, order);
      else if (!isPiece(line)) run.lines.push(line);
    }
  }
  return lists.map((_, list) => ([] as string[]).concat(...runs.filter((run) => run.list === list).map((run) => run.lines)));
}

/** Nearly every line that names a writer names the same one again. */
function goesOn(run: Run, writer: string, order: WriterOrder): boolean {
  return run.writer === writer && order.isLast(writer);
}

/** Where the next lines of a writer belong. */
function runFor(runs: Run[], writer: string, list: number, order: WriterOrder): Run {
  const isLast = order.note(writer);
  const index = isLast ? -1 : runs.findLastIndex((run) => run.writer === writer);
  const before = runs[index];
  const run: Run = { writer, lines: [], list: before?.list ?? list };
  if (before === undefined) runs.push(run);
  else runs.splice(index + 1, 0, run);
  return run;
}
