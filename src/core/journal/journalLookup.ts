/** Finds the saved conversations of a session ID: agents that count their sessions anew in each process use one ID for several. */
import { readText } from '../node/files.js';
import { journalName, listSegments, ordinalOf, type SegmentFile } from './journalFiles.js';
import { type JournalHeader, parseHead, type SegmentHead } from './journalFormat.js';

/** This much of a file identifies its owner. */
const headBytes = 64 * 1024;

/** If absent, the newest conversation is meant. The creation time distinguishes conversations with the same ID. */
export interface WhichConversation {
  /** Milliseconds since the epoch. */
  readonly createdAt?: number | undefined;
  /** Selects the newest conversation that was created before this time. */
  readonly before?: number | undefined;
}

export type Owner = Pick<JournalHeader, 'agentId' | 'sessionId'>;

export interface KeptConversation {
  readonly name: string;
  /** 1-based; of the conversations with one ID, a later one has a higher ordinal. */
  readonly ordinal: number;
  readonly files: readonly SegmentFile[];
  /** Absent if no file has it: the files are foreign, or `isBlank`. */
  readonly createdAt: number | undefined;
  /** The files contain nothing but pieces of a header. */
  readonly isBlank: boolean;
}

/** Oldest first. @throws HostError `storage_failed` for a folder that can't be read */
export async function conversationsOf(directory: string, { agentId, sessionId }: Owner): Promise<readonly KeptConversation[]> {
  const base = journalName(agentId, sessionId);
  const kept: KeptConversation[] = [];
  for (const [name, files] of await listSegments(directory)) {
    const ordinal = ordinalOf(name, base);
    if (ordinal !== undefined) kept.push({ name, ordinal, files, ...(await identify(files, { agentId, sessionId })) });
  }
  return kept.sort((a, b) => a.ordinal - b.ordinal);
}

/** Selects a conversation without a creation time if none has one: reading it reports the problem. */
export function pickConversation(
  kept: readonly KeptConversation[],
  { createdAt, before }: WhichConversation,
): KeptConversation | undefined {
  if (before !== undefined) return kept.findLast((one) => one.createdAt !== undefined && one.createdAt < before);
  const written = kept.filter(({ isBlank }) => !isBlank);
  if (createdAt === undefined) return written.at(-1);
  return written.findLast((one) => one.createdAt === createdAt) ?? written.findLast((one) => one.createdAt === undefined);
}

async function identify(files: readonly SegmentFile[], owner: Owner): Promise<Pick<KeptConversation, 'createdAt' | 'isBlank'>> {
  let isBlank = true;
  for (const { path } of files) {
    try {
      const head = await readHead(path, owner);
      if (head.type === 'ours' || head.type === 'newer') return { createdAt: head.header.createdAt, isBlank: false };
      isBlank &&= head.type === 'empty';
    } catch {
      // A folder of this name, or a foreign file: reported by whoever needs its content.
      isBlank = false;
    }
  }
  return { createdAt: undefined, isBlank };
}

/** @throws the system's error */
export async function readHead(path: string, owner: Owner): Promise<SegmentHead> {
  const beginning = await readText(path, { limitBytes: headBytes + 4 * owner.sessionId.length });
  return parseHead(beginning?.split('\n') ?? [], owner);
}
