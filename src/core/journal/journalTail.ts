import { Buffer } from 'node:buffer';
import { fileFacts, readText } from '../node/files.js';
import type { SessionEvent } from '../session/event.js';
import type { SessionState } from '../session/model.js';
import { emptySession, reduceAll } from '../session/reducer.js';
import type { SegmentFile } from './journalFiles.js';
import { LineParser, parseHead } from './journalFormat.js';
import { conversationsOf, type Owner, pickConversation, type WhichConversation } from './journalLookup.js';
import { readFileOf, readJournal, type ReadJournal } from './journalRead.js';
import type { ToolLineReader } from './toolLines.js';
import { writerIn, type WriterOrder } from './writerLines.js';

/** Replaces damaged bytes, and has a different length. */
const damaged = '\uFFFD';

/** How far the files of a conversation were read. */
interface Position {
  readonly state: SessionState;
  readonly files: readonly SegmentFile[];
  /** The inode of the last file. */
  readonly inode: number;
  /** The end of the last complete line in the last file. */
  readonly offsetBytes: number;
  /** The tool calls so far; shared with the reader that continues. */
  readonly tools: ToolLineReader;
  /** Shared like `tools`. */
  readonly writers: WriterOrder;
}

/**
 * Reads a conversation that another process writes. After the first call, it reads only additions: output that retention later removes from
 * an earlier file stays in the state. One call at a time.
 */
export class JournalTail {
  readonly #directory: string;
  readonly #owner: Owner;
  readonly #which: WhichConversation;
  #position: Position | undefined;
  #newestPath: string | undefined;

  constructor(directory: string, owner: Owner, which: WhichConversation) {
    this.#directory = directory;
    this.#owner = owner;
    this.#which = which;
  }

  /** The file that was written last when it was read. */
  get newestPath(): string | undefined {
    return this.#newestPath;
  }

  /**
   * The current conversation; a turn without an end is running.
   * @returns undefined if there is none @throws HostError `storage_failed`
   */
  async read(): Promise<SessionState | undefined> {
    const kept = pickConversation(await conversationsOf(this.#directory, this.#owner), this.#which);
    this.#newestPath = kept?.files.at(-1)?.path;
    if (kept === undefined) return (this.#position = undefined);
    const before = this.#position;
    // A call that fails halfway has already changed the tool lines, so the next call reads everything again.
    this.#position = undefined;
    const added = before && (await this.#readOn(before, kept.files));
    if (added !== undefined) return (this.#position = added).state;
    const inodes = await inodesOf(kept.files);
    const read = await readJournal(kept.files, this.#owner);
    if (read === undefined) return undefined;
    const { sessionId, cwd, createdAt } = read.content.header;
    const state = reduceAll(emptySession(sessionId, cwd, createdAt), read.content.events);
    this.#position = positionOf(read, state, kept.files, inodes);
    return state;
  }

  /** @returns undefined if the files changed in another way than by additions */
  async #readOn(before: Position, files: readonly SegmentFile[]): Promise<Position | undefined> {
    const known = before.files.length;
    const last = before.files[known - 1];
    const isLonger = before.files.every(({ path }, index) => files[index]?.path === path);
    const facts = last && isLonger ? await fileFacts(last.path) : undefined;
    if (last === undefined || facts?.inode !== before.inode || facts.sizeBytes < before.offsetBytes) return undefined;
    const text = (await readText(last.path, { fromByte: before.offsetBytes })) ?? '';
    const added = wholeLines(text);
    if (added.text.includes(damaged)) return undefined;
    const lines = linesInPlace(added.text, before.writers);
    if (lines === undefined) return undefined;
    const events: SessionEvent[] = [...new LineParser(lines, before.tools).events()];
    let position: Omit<Position, 'state' | 'files'> = { ...before, offsetBytes: before.offsetBytes + added.bytes };
    let { segment } = last;
    for (const file of files.slice(known)) {
      if (file.segment !== ++segment) return undefined;
      const [inode, content] = [(await fileFacts(file.path))?.inode, await readFileOf(file)];
      const head = parseHead(content?.split('\n') ?? [], this.#owner);
      const own = content === undefined ? undefined : linesInPlace(content, before.writers);
      if (inode === undefined || content === undefined || own === undefined || !content.endsWith('\n')) return undefined;
      if (head.type !== 'ours' || head.header.removedOutputBytes > 0) return undefined;
      for (const event of new LineParser(own, before.tools).events()) events.push(event);
      position = { ...position, inode, offsetBytes: Buffer.byteLength(content) };
    }
    return { ...position, state: reduceAll(before.state, events), files };
  }
}

/** @returns undefined if the next lines can't be located by position, or don't continue what was read */
function positionOf(
  { parts, tools, writers }: ReadJournal,
  state: SessionState,
  files: readonly SegmentFile[],
  inodes: readonly (number | undefined)[],
): Position | undefined {
  const last = parts.at(-1);
  const inode = inodes.at(-1);
  if (last?.head.type !== 'ours' || inode === undefined || last.file !== files.at(-1) || writers.isLate) return undefined;
  // The last line may be complete although its line break is missing, and then it was read. Only the next read can tell where it ends.
  if (!last.text.endsWith('\n')) return undefined;
  if (last.text.includes(damaged)) return undefined;
  return { state, files, inode, offsetBytes: Buffer.byteLength(last.text), tools, writers };
}

/** @returns undefined if some lines belong before earlier lines because their writer was passed over */
function linesInPlace(text: string, writers: WriterOrder): readonly string[] | undefined {
  const lines = text.split('\n');
  for (const line of lines) {
    const writer = writerIn(line);
    if (writer !== undefined && !writers.note(writer)) return undefined;
  }
  return lines.filter((line) => writerIn(line) === undefined);
}

function wholeLines(text: string): { readonly text: string; readonly bytes: number } {
  const whole = text.slice(0, text.lastIndexOf('\n') + 1);
  return { text: whole, bytes: Buffer.byteLength(whole) };
}

async function inodesOf(files: readonly SegmentFile[]): Promise<readonly (number | undefined)[]> {
  return Promise.all(files.map(async ({ path }) => (await fileFacts(path))?.inode));
}
