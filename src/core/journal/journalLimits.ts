/** The limits for the size of saved conversations, and what is removed to keep to them. */
import { Buffer } from 'node:buffer';
import { isFields } from '../base/fields.js';
import type { Logger } from '../base/logger.js';
import { parseJson } from '../base/parseJson.js';
import { fileFacts, listFiles, readText, removeFile, replaceText } from '../node/files.js';
import { emptySession, reduceAll } from '../session/reducer.js';
import { standingOf } from '../session/stateAsEvents.js';
import { formatHead, formatSession, journalPath, listJournals, parseJournal, parseSession, readHead } from './journalFormat.js';

/** How much disk space saved conversations may take up, in bytes. */
export interface JournalLimits {
  /**
   * The limit for one conversation. Removes tool output first, then the oldest part; of an open conversation, only if there is no room
   * otherwise.
   */
  readonly perSessionBytes: number;
  /** The limit for all conversations of the folder. Removes the least recently used conversation first. */
  readonly totalBytes: number;
}

/** 64 MiB per conversation, 1 GiB in total. */
export const defaultJournalLimits: JournalLimits = { perSessionBytes: 64 * 1024 * 1024, totalBytes: 1024 * 1024 * 1024 };

/** After so much more, the limits are checked again. As much is removed at a time, because the whole file is written for it. */
export function growthBytesOf({ perSessionBytes }: JournalLimits): number {
  return Math.ceil(perSessionBytes / 8);
}

/** A file is read as one text, which must not become too long for Node.js. */
const readableBytes = 256 * 1024 * 1024;

/** Conversations that were removed because all of them together exceeded the limit. */
export interface RemovedConversations {
  readonly conversations: number;
  /** When the most recent of them was last used; milliseconds since the epoch. */
  readonly lastUsedAt: number;
  /** The limit. */
  readonly totalBytes: number;
}

export interface RetentionOptions {
  readonly directory: string;
  readonly limits: JournalLimits;
  readonly log: Logger;
  readonly isOpen: (id: string) => boolean;
  /** Runs the work while nobody writes to the file of the conversation. */
  readonly alone: (id: string, work: () => Promise<void>) => Promise<void>;
  /** Called at the end. @param ids of the conversations */
  readonly onRemoved: (removed: RemovedConversations, ids: ReadonlySet<string>) => void;
}

interface Saved {
  readonly id: string;
  readonly modifiedAt: number;
  sizeBytes: number;
}

/**
 * Removes what exceeds the limits, oldest first. Removes tool output before messages, and shortens conversations that are open last: one
 * may exceed the limit of a single conversation as long as there is room for all of them. A file that fails is left as it is, and the log
 * names it.
 * @throws HostError `storage_failed` for a folder that can't be read
 */
export async function keepWithinLimits(options: RetentionOptions): Promise<void> {
  const { directory, limits, log, isOpen, alone, onRemoved } = options;
  const { perSessionBytes, totalBytes } = limits;
  const all = await weigh(options);
  await removeUnfinished(options);
  const attempt = async (what: string, { id }: Saved, work: () => Promise<void>): Promise<void> => {
    try {
      await alone(id, work);
    } catch (error) {
      log.warn(`Could not ${what} the file of a conversation`, { path: journalPath(directory, id) }, error);
    }
  };
  const reduce = (one: Saved, limitBytes: number, mayShorten: () => boolean): Promise<void> =>
    one.sizeBytes <= limitBytes
      ? Promise.resolve()
      : attempt('shorten', one, async () => void (one.sizeBytes -= await reduceFile(one, limitBytes, mayShorten(), options)));
  const room = (one: Saved): number => totalBytes - all.reduce((sum, other) => (other === one ? sum : sum + other.sizeBytes), 0);

  for (const one of all) await reduce(one, perSessionBytes, () => !isOpen(one.id) || one.sizeBytes > readableBytes);
  const closed = all.filter(({ id }) => !isOpen(id));
  for (const one of closed) await reduce(one, room(one), () => false);
  const removed: Saved[] = [];
  for (const one of closed) {
    if (one.sizeBytes <= room(one)) break;
    await attempt('remove', one, async () => {
      if (isOpen(one.id)) return;
      // Files of other versions and programs stay.
      await readHead(directory, one.id);
      await removeFile(journalPath(directory, one.id));
      log.info('Removed the least recently used conversation, because saved conversations exceed their total limit', {
        id: one.id,
        sizeBytes: one.sizeBytes,
        lastUsed: new Date(one.modifiedAt).toISOString(),
        totalBytes,
      });
      one.sizeBytes = 0;
      removed.push(one);
    });
  }
  for (const mayShorten of [false, true]) for (const one of all) if (isOpen(one.id)) await reduce(one, room(one), () => mayShorten);
  const newest = removed.at(-1);
  if (newest === undefined) return;
  onRemoved({ conversations: removed.length, lastUsedAt: newest.modifiedAt, totalBytes }, new Set(removed.map(({ id }) => id)));
}

/** Removes what a program that was killed while it wrote a shorter file left. */
async function removeUnfinished({ directory, log }: RetentionOptions): Promise<void> {
  const left = (await listFiles(directory, '.new')).filter((path) => /\.jsonl\.[0-9a-f-]{36}\.new$/.test(path));
  for (const path of left) {
    await removeFile(path).catch((error: unknown) => log.warn('Could not remove an unfinished file', { path }, error));
  }
}

/** All conversations on disk, least recently used first, except for those whose size and time can't be read: their age is unknown. */
async function weigh({ directory, log }: RetentionOptions): Promise<readonly Saved[]> {
  const found = await Promise.all(
    [...(await listJournals(directory))].map(async (id): Promise<Saved | undefined> => {
      const path = journalPath(directory, id);
      try {
        const facts = await fileFacts(path);
        return facts && { id, ...facts };
      } catch (error) {
        log.warn('Could not read the size of the file of a conversation', { path }, error);
        return undefined;
      }
    }),
  );
  return found.filter((one) => one !== undefined).sort((a, b) => a.modifiedAt - b.modifiedAt);
}

/** @returns the number of bytes that the file shrank @throws HostError for a foreign file; the system's error */
async function reduceFile(
  { id }: Saved,
  limitBytes: number,
  mayShorten: boolean,
  { directory, limits, log }: RetentionOptions,
): Promise<number> {
  const path = journalPath(directory, id);
  const spareBytes = growthBytesOf(limits);
  const before = await fileFacts(path);
  const header = await readHead(directory, id);
  if (before === undefined || header === undefined) return 0;
  // Where space is scarce, each file is looked at again and again.
  if (!mayShorten && header.leanBytes > 0 && before.sizeBytes - header.leanBytes < spareBytes) return 0;
  const text = (await readText(path)) ?? '';
  const lines = text.split('\n').slice(1);
  const excess = Buffer.byteLength(text) - limitBytes;
  const output = removeOutput(lines, excess + spareBytes);
  const isLean = output < excess;
  const beginning = mayShorten && isLean ? removeBeginning(lines, excess - output + spareBytes, spareBytes) : 0;
  if (output + beginning <= 0) return 0;
  if (output > 0) log.info('Removed tool output from a conversation that exceeds its limit', { id, removedBytes: output });
  if (beginning > 0)
    log.info('Removed the beginning of a conversation that exceeds its limit', { id, removedBytes: beginning, limitBytes });
  const body = lines.join('\n');
  const head = formatHead({
    id,
    removedBytes: header.removedBytes + beginning,
    removedOutputBytes: header.removedOutputBytes + output,
    leanBytes: isLean ? Buffer.byteLength(body) : 0,
  });
  const reduced = head + body;
  await replaceText(path, reduced, before.modifiedAt);
  return before.sizeBytes - Buffer.byteLength(reduced);
}

/** A longer input is usually the text of a file rather than an instruction for the tool. */
const inputChars = 4_096;
const toolStart = '{"type":"tool';

/** Removes the output of tools from the oldest lines. @returns the number of bytes */
function removeOutput(lines: string[], wantedBytes: number): number {
  let bytes = 0;
  for (let index = 0; index < lines.length && bytes < wantedBytes; index++) {
    const line = lines[index] ?? '';
    const event = line.startsWith(toolStart) ? parseJson(line) : undefined;
    if (!isFields(event) || !isFields(event['patch'])) continue;
    const { content, rawOutput: _output, rawInput, ...patch } = event['patch'];
    const isShort = rawInput !== undefined && JSON.stringify(rawInput).length <= inputChars;
    const { edits: _edits, ...rest } = event;
    const left = { ...patch, ...(isShort && { rawInput }), ...(Array.isArray(content) && content.length === 0 && { content }) };
    const less = JSON.stringify({ ...rest, type: 'tool', patch: left });
    const saved = Buffer.byteLength(line) - Buffer.byteLength(less);
    if (saved <= 0) continue;
    bytes += saved;
    lines[index] = less;
  }
  return bytes;
}

/** As the writer writes it. Chunks of messages leave no state, so that they aren't even parsed. */
const messageStart = '{"type":"message",';

/** Removes the oldest lines, and puts what later ones build on in their place. @returns the number of bytes that were removed */
function removeBeginning(lines: string[], wantedBytes: number, leftBytes: number): number {
  let bytes = 0;
  let left = lines.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0);
  let cut = 0;
  for (; cut < lines.length - 1 && bytes < wantedBytes && left > leftBytes; cut++) {
    const length = Buffer.byteLength(lines[cut] ?? '') + 1;
    bytes += length;
    left -= length;
  }
  const gone = lines.splice(0, cut).filter((line) => !line.startsWith(messageStart));
  let standing: readonly string[] = [];
  const next = parseSession(lines[0] ?? '');
  for (const { events, ...session } of parseJournal(gone).sessions) {
    const state = reduceAll(emptySession(session.sessionId, session.cwd, session.createdAt, session.id), events);
    // What an earlier session left open is over.
    const isOver = next !== undefined && next.id !== session.id;
    standing = isOver ? [] : [formatSession(session).trimEnd(), ...standingOf(state).map((event) => JSON.stringify(event))];
  }
  lines.unshift(...standing);
  return bytes;
}
