/** Which sessions this command line has had, so that `--continue` finds the newest of a folder. One JSON line each, newest last. */
import { appendFile, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod/mini';

const MOST_ENTRIES = 500;

const indexEntry = z.readonly(z.object({
  sessionId: z.string(),
  /** Absolute, real. */
  cwd: z.string(),
  /** A built-in agent, or the command line of another one. */
  agent: z.union([
    z.readonly(z.object({ type: z.literal('named'), id: z.string() })),
    z.readonly(z.object({ type: z.literal('command'), argv: z.readonly(z.array(z.string())) })),
  ]),
  /** Milliseconds since the epoch. */
  at: z.number(),
}));

export type IndexEntry = z.infer<typeof indexEntry>;

export interface SessionIndex {
  add(entry: IndexEntry): Promise<void>;
  newest(wanted: (entry: IndexEntry) => boolean): Promise<IndexEntry | undefined>;
}

export function openSessionIndex(folder: string): SessionIndex {
  const file = path.join(folder, 'cli-sessions.jsonl');
  return {
    async add(entry) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await appendFile(file, toLine(entry), { mode: 0o600 });
      const entries = await readEntries(file);
      if (entries.length > 2 * MOST_ENTRIES) await shorten(file, entries.slice(-MOST_ENTRIES));
    },
    newest: async (wanted) => (await readEntries(file)).findLast(wanted),
  };
}

async function shorten(file: string, entries: readonly IndexEntry[]): Promise<void> {
  const replacement = `${file}.${process.pid}`;
  await writeFile(replacement, entries.map(toLine).join(''), { mode: 0o600 });
  await rename(replacement, file);
}

async function readEntries(file: string): Promise<readonly IndexEntry[]> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
  return text.split('\n').flatMap((line) => parseEntry(line) ?? []);
}

function parseEntry(line: string): IndexEntry | undefined {
  try {
    return indexEntry.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined; // the empty end, or a line that a crash cut
  }
}

function toLine(entry: IndexEntry): string {
  return `${JSON.stringify(entry)}\n`;
}
