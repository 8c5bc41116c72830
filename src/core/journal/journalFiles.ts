/** The files of a conversation (`ID.jsonl`, `ID.2.jsonl`, and so on), and the limits for their size. */
import { Buffer } from 'node:buffer';
import { basename, join } from 'node:path';
import { HostError, systemFacts } from '../base/errors.js';
import { isFields } from '../base/fields.js';
import type { Logger } from '../base/logger.js';
import { type FileFacts, fileFacts, listFiles, readText, removeFile, replaceText } from '../node/files.js';
import { headerWithout, parseHead, standingStart } from './journalFormat.js';

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

/** The number of files per conversation, so that an old part can be removed. */
const segmentsPerSession = 8;

export function segmentBytesOf(limits: JournalLimits): number {
  return Math.ceil(limits.perSessionBytes / segmentsPerSession);
}

/** @param id of the conversation @param segment 1-based */
export function segmentPath(directory: string, id: string, segment: number): string {
  return join(directory, segment === 1 ? `${id}.jsonl` : `${id}.${segment}.jsonl`);
}

export interface SegmentFile {
  readonly path: string;
  /** Identifies the conversation. */
  readonly id: string;
  /** 1-based. */
  readonly segment: number;
}

/** The files of all conversations of a folder, by the id of the conversation, in order within each. @throws HostError `storage_failed` */
export async function listSegments(directory: string): Promise<ReadonlyMap<string, readonly SegmentFile[]>> {
  const found = new Map<string, SegmentFile[]>();
  for (const path of await paths(directory)) {
    const [, id, segment = '1'] = /^([^.]+)(?:\.(\d+))?\.jsonl$/.exec(basename(path)) ?? [];
    if (id === undefined) continue;
    const files = found.get(id);
    const file = { path, id, segment: Number(segment) };
    if (files === undefined) found.set(id, [file]);
    else files.push(file);
  }
  for (const files of found.values()) files.sort((a, b) => a.segment - b.segment);
  return found;
}

/** The files of a conversation, in order. @throws HostError `storage_failed` if the folder can't be read */
export async function segmentsOf(directory: string, id: string): Promise<readonly SegmentFile[]> {
  return (await listSegments(directory)).get(id) ?? [];
}

async function paths(directory: string): Promise<readonly string[]> {
  try {
    return await listFiles(directory, '.jsonl');
  } catch (cause) {
    throw toFolderError(cause, directory);
  }
}

interface Kept {
  readonly id: string;
  readonly files: readonly (SegmentFile & { readonly sizeBytes: number })[];
  readonly sizeBytes: number;
  readonly modifiedAt: number;
}

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
  /** Called at the end. @param ids of the conversations */
  readonly onRemoved: (removed: RemovedConversations, ids: ReadonlySet<string>) => void;
}

/**
 * Removes what exceeds the limits, oldest first. Removes tool output before messages, and shortens conversations that are open last: one
 * may exceed the limit of a single conversation as long as there is room for all of them. This takes a while, and any conversation may be
 * resumed meanwhile, so whether it is open is checked again before each change that a writer would not expect. A file that fails is left as
 * it is, and the log names it.
 * @throws HostError `storage_failed` for a folder that can't be read
 */
export async function keepWithinLimits(options: RetentionOptions): Promise<void> {
  const weighed = await limitEach(options);
  const removed = await limitClosed(weighed, options);
  await limitOpen(weighed, options);
  const newest = removed.at(-1);
  if (newest === undefined) return;
  const { totalBytes } = options.limits;
  const ids = new Set(removed.map(({ id }) => id));
  options.onRemoved({ conversations: removed.length, lastUsedAt: newest.modifiedAt, totalBytes }, ids);
}

/** All conversations on disk, least recently used first. The steps of `keepWithinLimits` replace what they make shorter. */
interface Weighed {
  readonly open: Kept[];
  readonly closed: Kept[];
  /** Conversations with a file that could not be removed. */
  readonly stuck: Kept[];
}

/** Keeps each conversation within the limit of a single one, and finds out which of them are open. */
async function limitEach(options: RetentionOptions): Promise<Weighed> {
  const { directory, limits, log } = options;
  const found = await Promise.all([...(await listSegments(directory))].map(([id, files]) => weigh(id, files, log)));
  const weighed: Weighed = { open: [], closed: [], stuck: [] };
  for (const kept of found.filter((one) => one !== undefined).sort((a, b) => a.modifiedAt - b.modifiedAt)) {
    const reduced = await withoutToolOutput(kept, limits.perSessionBytes, log);
    if (options.isOpen(reduced.id)) weighed.open.push(reduced);
    else weighed.closed.push(await shorten(reduced, limits.perSessionBytes, log, () => options.isOpen(reduced.id)));
  }
  return weighed;
}

/** Removes tool output of closed conversations, and then whole conversations, until all of them together keep to the total limit. */
async function limitClosed(weighed: Weighed, options: RetentionOptions): Promise<readonly Kept[]> {
  const { limits, log } = options;
  const { open, closed, stuck } = weighed;
  for (const [index, kept] of closed.entries())
    closed[index] = await withoutToolOutput(kept, availableBytes(kept, weighed, options), log, () => options.isOpen(kept.id));
  const removed: Kept[] = [];
  for (let [oldest] = closed; oldest !== undefined && availableBytes(oldest, weighed, options) < oldest.sizeBytes; [oldest] = closed) {
    const whole = oldest;
    const left = await removeFiles(whole, log, () => !options.isOpen(whole.id));
    closed.shift();
    if (left.files.length > 0) {
      reportShorter(whole, left, limits.totalBytes, log);
      (options.isOpen(left.id) ? open : stuck).push(left);
      continue;
    }
    removed.push(whole);
    log.info('Removed the least recently used conversation, because saved conversations exceed their total limit', {
      id: whole.id,
      sizeBytes: whole.sizeBytes,
      lastUsed: new Date(whole.modifiedAt).toISOString(),
      totalBytes: limits.totalBytes,
    });
  }
  return removed;
}

/** Removes tool output of open conversations, and then their beginnings, until all of them together keep to the total limit. */
async function limitOpen(weighed: Weighed, options: RetentionOptions): Promise<void> {
  const { log } = options;
  const { open } = weighed;
  for (const [index, kept] of open.entries()) open[index] = await withoutToolOutput(kept, availableBytes(kept, weighed, options), log);
  for (const [index, kept] of open.entries()) open[index] = await shorten(kept, availableBytes(kept, weighed, options), log);
}

/** Returns how many bytes the conversation may take up, given all others. */
function availableBytes(one: Kept, { open, closed, stuck }: Weighed, { limits }: RetentionOptions): number {
  const totalBytes = [...open, ...closed, ...stuck].reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  return limits.totalBytes - totalBytes + one.sizeBytes;
}

/** @param mayGrow whether the last file may be written to; if it is absent, the last file stays as it is */
async function withoutToolOutput(kept: Kept, limitBytes: number, log: Logger, mayGrow = (): boolean => true): Promise<Kept> {
  let result = kept;
  const last = kept.files.at(-1);
  for (const { path } of kept.files) {
    if (result.sizeBytes <= limitBytes) break;
    let bytes = 0;
    try {
      bytes = await removeToolOutput(path, () => path === last?.path && mayGrow());
    } catch (error) {
      log.warn('Could not remove tool output from the file of a conversation', { path }, error);
    }
    if (bytes === 0) continue;
    const less = result.files.map((file) => (file.path === path ? { ...file, sizeBytes: file.sizeBytes - bytes } : file));
    result = { ...result, files: less, sizeBytes: result.sizeBytes - bytes };
    log.info('Removed tool output from a conversation that exceeds its limit', {
      id: kept.id,
      removedBytes: bytes,
    });
  }
  return result;
}

/** @returns undefined if the size and the time of a file can't be read, because the age of the conversation is then unknown */
async function weigh(id: string, files: readonly SegmentFile[], log: Logger): Promise<Kept | undefined> {
  const weighed: { readonly file: SegmentFile; readonly facts: FileFacts | undefined }[] = [];
  for (const file of files) {
    try {
      weighed.push({ file, facts: await fileFacts(file.path) });
    } catch (error) {
      log.warn('Could not read the size of the file of a conversation', { path: file.path }, error);
      return undefined;
    }
  }
  return {
    id,
    files: weighed.map(({ file, facts }) => ({ ...file, sizeBytes: facts?.sizeBytes ?? 0 })),
    sizeBytes: weighed.reduce((sum, { facts }) => sum + (facts?.sizeBytes ?? 0), 0),
    modifiedAt: Math.max(...weighed.map(({ facts }) => facts?.modifiedAt ?? 0)),
  };
}

/** @param isSpared called before each file; true ends the removal */
async function shorten(kept: Kept, limitBytes: number, log: Logger, isSpared = (): boolean => false): Promise<Kept> {
  const left = await removeFiles(kept, log, ({ files, sizeBytes }) => files.length > 1 && sizeBytes > limitBytes && !isSpared());
  reportShorter(kept, left, limitBytes, log);
  return left;
}

/**
 * Removes the oldest files of a conversation, up to one that can't be removed: what is left has no gap.
 * @param isDue called before each file with the remaining files; returns whether to remove another one
 */
async function removeFiles(kept: Kept, log: Logger, isDue: (left: Kept) => boolean): Promise<Kept> {
  let left = kept;
  for (let [oldest] = left.files; oldest !== undefined && isDue(left); [oldest] = left.files) {
    const { path, sizeBytes } = oldest;
    try {
      await removeFile(path);
    } catch (error) {
      log.warn('Could not remove the file of a conversation', { path }, error);
      break;
    }
    left = { ...left, files: left.files.slice(1), sizeBytes: left.sizeBytes - sizeBytes };
  }
  return left;
}

function reportShorter(before: Kept, after: Kept, limitBytes: number, log: Logger): void {
  if (after.files.length === before.files.length) return;
  log.info('Removed the beginning of a conversation that exceeds its limit', {
    id: before.id,
    removedBytes: before.sizeBytes - after.sizeBytes,
    limitBytes,
  });
}

/** The error for a folder of saved conversations that can't be listed. */
export function toFolderError(cause: unknown, directory: string): HostError {
  return new HostError('storage_failed', { reason: 'folder_unreadable', path: directory, ...systemFacts(cause) }, { cause });
}

/** The error for a disk that doesn't accept data. @param folder where the conversations are saved @param reason names what is not saved */
export function toStorageError(thrown: unknown, folder: string, reason: 'not_saved' | 'unsent_not_saved' = 'not_saved'): HostError {
  const cause = thrown instanceof HostError ? (thrown.cause ?? thrown) : thrown;
  return new HostError('storage_failed', { reason, path: folder, ...systemFacts(cause) }, { cause });
}

// Removes tool output from a file of a conversation, so that messages remain when space is scarce.

/** A longer input is usually the text of a file rather than an instruction for the tool. */
const inputChars = 4_096;
/** The header is in this much of a file. */
const headBytes = 4 * 1024;
const toolStart = '{"type":"tool';

/**
 * Leaves a file alone that is written to.
 * @param isOpen whether a process may write to the file; asked before it is read, and again before it is replaced
 * @returns the number of bytes that it shrank; 0 for a foreign file, and for one without tool output
 * @throws the system's error
 */
export async function removeToolOutput(path: string, isOpen = (): boolean => false): Promise<number> {
  if (isOpen() || (await isWithoutOutput(path))) return 0;
  const before = await fileFacts(path);
  const text = await readText(path);
  if (before === undefined || text === undefined) return 0;
  const lines = text.split('\n');
  const head = parseHead(lines);
  if (head.type !== 'ours' || head.header.removedOutputBytes > 0) return 0;
  const kept = lines.map((line) => (line.startsWith(toolStart) || line.startsWith(standingStart) ? withoutOutput(line) : line));
  const bytes = Buffer.byteLength(text) - Buffer.byteLength(kept.join('\n'));
  if (bytes <= 0) return 0;
  const isAsRead = async (): Promise<boolean> => {
    const now = await fileFacts(path);
    return now?.inode === before.inode && now.sizeBytes === before.sizeBytes && !isOpen();
  };
  const isReplaced = await replaceText(path, kept.map((line) => headerWithout(line, bytes)).join('\n'), before.modifiedAt, isAsRead);
  return isReplaced ? bytes : 0;
}

/** Whether the output is gone already: where space is scarce, it is from most files, and each of them is looked at again and again. */
async function isWithoutOutput(path: string): Promise<boolean> {
  const beginning = await readText(path, { limitBytes: headBytes });
  const head = parseHead(beginning?.split('\n') ?? []);
  return head.type === 'ours' && head.header.removedOutputBytes > 0;
}

function withoutOutput(line: string): string {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    // Cut off, and complete in the next line.
    return line;
  }
  if (!isFields(value)) return line;
  const { standing } = value;
  return JSON.stringify(Array.isArray(standing) ? { standing: standing.map(strip) } : strip(value));
}

function strip(event: unknown): unknown {
  if (!isFields(event) || (event['type'] !== 'tool' && event['type'] !== 'tool_delta') || !isFields(event['patch'])) return event;
  const { content: _content, rawOutput: _output, rawInput, ...patch } = event['patch'];
  const isShort = rawInput !== undefined && JSON.stringify(rawInput).length <= inputChars;
  const { edits: _edits, ...rest } = event;
  return { ...rest, type: 'tool', patch: isShort ? { ...patch, rawInput } : patch };
}
