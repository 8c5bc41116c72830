/**
 * The files of a conversation (`NAME.jsonl`, `NAME.2.jsonl`, and so on), and the limits for their size. If an agent reuses a
 * session ID, the next conversation has the name `NAME-2`.
 */
import { createHash } from 'node:crypto';
import { basename, join } from 'node:path';
import type { Logger } from '../base/logger.js';
import { type FileFacts, fileFacts, listFiles, removeFile } from '../node/files.js';
import { toFolderError } from './storageError.js';
import { removeToolOutput } from './toolOutputRemoval.js';

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
/** A conversation that was written to this recently may be open in another window. */
const maybeOpenMs = 3_600_000;

export function segmentBytesOf(limits: JournalLimits): number {
  return Math.ceil(limits.perSessionBytes / segmentsPerSession);
}

/** A hash, because an agent may put anything into a session ID. @param ordinal 1-based, among the conversations with this ID */
export function journalName(agentId: string, sessionId: string, ordinal = 1): string {
  const base = createHash('sha256').update(`${agentId}\0${sessionId}`).digest('hex').slice(0, 32);
  return ordinal === 1 ? base : `${base}-${ordinal}`;
}

/** @param base the name of the first conversation with an ID @returns undefined for a conversation with another ID */
export function ordinalOf(name: string, base: string): number | undefined {
  if (name === base) return 1;
  const [, ordinal] = name.startsWith(`${base}-`) ? (/^-(\d+)$/.exec(name.slice(base.length)) ?? []) : [];
  return ordinal === undefined ? undefined : Number(ordinal);
}

/** @param segment 1-based */
export function segmentPath(directory: string, name: string, segment: number): string {
  return join(directory, segment === 1 ? `${name}.jsonl` : `${name}.${segment}.jsonl`);
}

export interface SegmentFile {
  readonly path: string;
  /** The name of the conversation. */
  readonly name: string;
  /** 1-based. */
  readonly segment: number;
}

/** The files of all conversations of a folder, in order within each conversation. @throws HostError `storage_failed` */
export async function listSegments(directory: string): Promise<ReadonlyMap<string, readonly SegmentFile[]>> {
  const found = new Map<string, SegmentFile[]>();
  for (const path of await paths(directory)) {
    const [, name, segment = '1'] = /^([^.]+)(?:\.(\d+))?\.jsonl$/.exec(basename(path)) ?? [];
    if (name === undefined) continue;
    const files = found.get(name);
    const file = { path, name, segment: Number(segment) };
    if (files === undefined) found.set(name, [file]);
    else files.push(file);
  }
  for (const files of found.values()) files.sort((a, b) => a.segment - b.segment);
  return found;
}

async function paths(directory: string): Promise<readonly string[]> {
  try {
    return await listFiles(directory, '.jsonl');
  } catch (cause) {
    throw toFolderError(cause, directory);
  }
}

interface Kept {
  readonly name: string;
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
  /** @param base the name of the first conversation with its ID */
  readonly isOpen: (base: string) => boolean;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Called at the end. @param names of the conversations */
  readonly onRemoved: (removed: RemovedConversations, names: ReadonlySet<string>) => void;
}

/**
 * Removes what exceeds the limits, oldest first. Removes tool output before messages, and removes conversations that may be open last: one
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
  const names = new Set(removed.map(({ name }) => name));
  options.onRemoved({ conversations: removed.length, lastUsedAt: newest.modifiedAt, totalBytes }, names);
}

/** All conversations on disk, least recently used first. The steps of `keepWithinLimits` replace what they make shorter. */
interface Weighed {
  /** Conversations that are open or may be open elsewhere. */
  readonly open: Kept[];
  readonly closed: Kept[];
  /** Conversations with a file that could not be removed. */
  readonly stuck: Kept[];
}

/** Keeps each conversation within the limit of a single one, and finds out which of them are open. */
async function limitEach(options: RetentionOptions): Promise<Weighed> {
  const { directory, limits, log, now } = options;
  const found = await Promise.all([...(await listSegments(directory))].map(([name, files]) => weigh(name, files, log)));
  const weighed: Weighed = { open: [], closed: [], stuck: [] };
  for (const kept of found.filter((one) => one !== undefined).sort((a, b) => a.modifiedAt - b.modifiedAt)) {
    const reduced = await withoutToolOutput(kept, limits.perSessionBytes, log);
    if (isOpen(reduced, options) || now - reduced.modifiedAt < maybeOpenMs) weighed.open.push(reduced);
    else weighed.closed.push(await shorten(reduced, limits.perSessionBytes, log, () => isOpen(reduced, options)));
  }
  return weighed;
}

/** Removes tool output of closed conversations, and then whole conversations, until all of them together keep to the total limit. */
async function limitClosed(weighed: Weighed, options: RetentionOptions): Promise<readonly Kept[]> {
  const { limits, log } = options;
  const { open, closed, stuck } = weighed;
  for (const [index, kept] of closed.entries())
    closed[index] = await withoutToolOutput(kept, availableBytes(kept, weighed, options), log, () => isOpen(kept, options));
  const removed: Kept[] = [];
  for (let [oldest] = closed; oldest !== undefined && availableBytes(oldest, weighed, options) < oldest.sizeBytes; [oldest] = closed) {
    const whole = oldest;
    const left = await removeFiles(whole, log, () => !isOpen(whole, options));
    closed.shift();
    if (left.files.length > 0) {
      reportShorter(whole, left, limits.totalBytes, log);
      (isOpen(left, options) ? open : stuck).push(left);
      continue;
    }
    removed.push(whole);
    log.info('Removed the least recently used conversation, because saved conversations exceed their total limit', {
      name: whole.name,
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

function isOpen({ name }: Kept, options: RetentionOptions): boolean {
  return options.isOpen(name.replace(/-\d+$/, ''));
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
      name: kept.name,
      removedBytes: bytes,
    });
  }
  return result;
}

/** @returns undefined if the size and the time of a file can't be read, because the age of the conversation is then unknown */
async function weigh(name: string, files: readonly SegmentFile[], log: Logger): Promise<Kept | undefined> {
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
    name,
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
    name: before.name,
    removedBytes: before.sizeBytes - after.sizeBytes,
    limitBytes,
  });
}
