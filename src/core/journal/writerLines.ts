/**
 * Whose lines they are. Each write begins with a line that names its writer: two processes may write to one file, where one of them was silent and
 * passed over, and what it still had to say belongs to what it said before.
 */
import { randomUUID } from 'node:crypto';

const start = '{"writer":';
const pattern = /^\{"writer":"([\da-f]{1,36})"\}$/;

/** One per open journal: a process that opens a conversation again is another writer. */
export function newWriter(): string {
  return randomUUID().slice(0, 8);
}

/** On a line of its own, whatever stands before it: another process may have been cut short in the middle of its line. */
export function formatWriter(writer: string): string {
  return `\n${start}"${writer}"}\n`;
}

/** How many of the bytes of lines are on disk in whole lines, where it took so many. What comes next is on a line of its own. */
export function bytesOfWholeLines(bytes: Uint8Array, written: number): number {
  if (written <= 0) return 0;
  return bytes[written] === 0x0a ? written + 1 : bytes.lastIndexOf(0x0a, written - 1) + 1;
}

/** Nothing, or what the disk took of a line that names a writer. */
function isPiece(line: string): boolean {
  return line === '' || line.startsWith(start) || start.startsWith(line);
}

interface Run {
  /** Unknown at the beginning of a file, and in all of one from before version 4. */
  readonly writer: string | undefined;
  readonly lines: string[];
  /** Which of the lists it is from, or belongs to. */
  readonly list: number;
}

/** Knows who wrote, and who wrote last. */
export class WriterOrder {
  readonly #seen = new Set<string>();
  #last: string | undefined;
  #isLate = false;

  /** The lines that come next belong further up. */
  get isLate(): boolean {
    return this.#isLate;
  }

  /** @returns false for one that somebody else took over from: its lines belong further up */
  note(writer: string): boolean {
    this.#isLate = writer !== this.#last && this.#seen.has(writer);
    if (this.#isLate) return false;
    this.#seen.add(writer);
    this.#last = writer;
    return true;
  }
}

/** @returns whom the line names as the writer of those that follow it; undefined for any other line */
export function writerIn(line: string): string | undefined {
  return line.startsWith(start) ? pattern.exec(line)?.[1] : undefined;
}

/**
 * The lines without those that name their writers, the ones of each writer together, in the order in which they began to write.
 * @param lists of one file each, in order @returns as many lists; what belongs to an earlier one is there
 */
export function linesByWriter(lists: readonly (readonly string[])[], order = new WriterOrder()): readonly (readonly string[])[] {
  const runs: Run[] = [];
  for (const [list, lines] of lists.entries()) {
    let run: Run = { writer: undefined, lines: [], list };
    runs.push(run);
    for (const line of lines) {
      const writer = writerIn(line);
      if (writer !== undefined) run = runFor(runs, writer, list, order);
      else if (!isPiece(line)) run.lines.push(line);
    }
  }
  return lists.map((_, list) => runs.filter((run) => run.list === list).flatMap((run) => run.lines));
}

/** Where the next lines of a writer go. */
function runFor(runs: Run[], writer: string, list: number, order: WriterOrder): Run {
  const isLast = order.note(writer);
  const index = isLast ? -1 : runs.findLastIndex((run) => run.writer === writer);
  const before = runs[index];
  const run: Run = { writer, lines: [], list: before?.list ?? list };
  if (before === undefined) runs.push(run);
  else runs.splice(index + 1, 0, run);
  return run;
}
