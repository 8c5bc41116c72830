/**
 * Which files a conversation has: `NAME.jsonl`, `NAME.2.jsonl`, and so on; and how many of them a folder may hold. Where an agent gives a
 * session id again, the next conversation has the name `NAME-2`.
 */
import { createHash } from 'node:crypto';
import { basename, join } from 'node:path';
import { HostError, messageOf } from '../base/errors.js';
import type { Logger } from '../base/logger.js';
import { fileFacts, listFiles, removeFile } from '../node/files.js';

export interface JournalLimits {
  /** Of one conversation. Its oldest part goes first. */
  readonly perSessionBytes: number;
  /** Of all conversations of the folder. The one that was used last longest ago goes first. */
  readonly totalBytes: number;
}

export const defaultJournalLimits: JournalLimits = { perSessionBytes: 64 * 1024 * 1024, totalBytes: 1024 * 1024 * 1024 };

/** A conversation is in so many files, so that an old part can go. */
const segmentsPerSession = 8;
/** What was written to so lately may be open in another window. */
const maybeOpenMs = 3_600_000;

export function segmentBytesOf(limits: JournalLimits): number {
  return Math.ceil(limits.perSessionBytes / segmentsPerSession);
}

/** A hash: session ids are the agent's words and may hold anything. @param ordinal 1-based, among the conversations with this id */
export function journalName(agentId: string, sessionId: string, ordinal = 1): string {
  const base = createHash('sha256').update(`${agentId}\0${sessionId}`).digest('hex').slice(0, 32);
  return ordinal === 1 ? base : `${base}-${ordinal}`;
}

/** @param base the name of the first conversation with an id @returns undefined for a conversation with another id */
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
  /** Of the conversation. */
  readonly name: string;
  /** 1-based. */
  readonly segment: number;
}

/** The files of all conversations of a folder, those of each in order. @throws HostError `storage_failed` */
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
    throw new HostError('storage_failed', { reason: 'folder_unreadable', path: directory, detail: messageOf(cause) }, { cause });
  }
}

interface Kept {
  readonly name: string;
  readonly files: readonly (SegmentFile & { readonly sizeBytes: number })[];
  readonly sizeBytes: number;
  readonly modifiedAt: number;
}

/** Together the conversations took more room than they may. */
export interface RemovedConversations {
  readonly conversations: number;
  /** When the newest of them was used last; milliseconds since the epoch. */
  readonly lastUsedAt: number;
  /** The limit. */
  readonly totalBytes: number;
}

export interface RetentionOptions {
  readonly directory: string;
  readonly limits: JournalLimits;
  readonly log: Logger;
  /** @param base the name of the first conversation with its id */
  readonly isOpen: (base: string) => boolean;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Told at the end. */
  readonly onRemoved: (removed: RemovedConversations) => void;
}

/** Removes what is beyond the limits, the oldest first: of one conversation all but its newest file, of all conversations those that nobody has open. */
export async function keepWithinLimits({ directory, limits, log, isOpen, now, onRemoved }: RetentionOptions): Promise<void> {
  const all = await Promise.all([...(await listSegments(directory))].map(([name, files]) => weigh(name, files)));
  const left: Kept[] = [];
  for (const kept of all) left.push(await shorten(kept, limits, log));
  let sizeBytes = left.reduce((sum, kept) => sum + kept.sizeBytes, 0);
  const removed: Kept[] = [];
  for (const kept of left.sort((a, b) => a.modifiedAt - b.modifiedAt)) {
    if (sizeBytes <= limits.totalBytes) break;
    if (isOpen(kept.name.replace(/-\d+$/, '')) || now - kept.modifiedAt < maybeOpenMs) continue;
    for (const file of kept.files) await removeFile(file.path);
    sizeBytes -= kept.sizeBytes;
    removed.push(kept);
    log.info('A conversation was removed: together they take more room than they may, and it was not used for longest', {
      name: kept.name,
      sizeBytes: kept.sizeBytes,
      lastUsed: new Date(kept.modifiedAt).toISOString(),
      totalBytes: limits.totalBytes,
    });
  }
  const newest = removed.at(-1);
  if (newest !== undefined) onRemoved({ conversations: removed.length, lastUsedAt: newest.modifiedAt, totalBytes: limits.totalBytes });
}

async function weigh(name: string, files: readonly SegmentFile[]): Promise<Kept> {
  const weighed = await Promise.all(files.map(async (file) => ({ file, facts: await fileFacts(file.path) })));
  return {
    name,
    files: weighed.map(({ file, facts }) => ({ ...file, sizeBytes: facts?.sizeBytes ?? 0 })),
    sizeBytes: weighed.reduce((sum, { facts }) => sum + (facts?.sizeBytes ?? 0), 0),
    modifiedAt: Math.max(...weighed.map(({ facts }) => facts?.modifiedAt ?? 0)),
  };
}

async function shorten(kept: Kept, limits: JournalLimits, log: Logger): Promise<Kept> {
  let { files, sizeBytes } = kept;
  for (
    let [oldest, next] = files;
    oldest !== undefined && next !== undefined && sizeBytes > limits.perSessionBytes;
    [oldest, next] = files
  ) {
    await removeFile(oldest.path);
    files = files.slice(1);
    sizeBytes -= oldest.sizeBytes;
    log.info('The beginning of a conversation was removed: it takes more room than one may', {
      name: kept.name,
      removedBytes: oldest.sizeBytes,
      perSessionBytes: limits.perSessionBytes,
    });
  }
  return { ...kept, files, sizeBytes };
}
