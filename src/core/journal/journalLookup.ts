/** Which conversations are kept under one session id: agents that count their sessions anew in each process give one id to several. */
import { readText } from '../node/files.js';
import { journalName, listSegments, ordinalOf, type SegmentFile } from './journalFiles.js';
import { type JournalHeader, parseHead, type SegmentHead } from './journalFormat.js';

/** So much of a file tells whose it is. */
const headBytes = 64 * 1024;

/** Absent: the newest. A time of creation tells the conversations of one id apart. */
export interface WhichConversation {
  /** Milliseconds since the epoch. */
  readonly createdAt?: number | undefined;
  /** The newest that was created earlier than this. */
  readonly before?: number | undefined;
}

export type Owner = Pick<JournalHeader, 'agentId' | 'sessionId'>;

export interface KeptConversation {
  readonly name: string;
  /** 1-based; of one id a later conversation has a higher one. */
  readonly ordinal: number;
  readonly files: readonly SegmentFile[];
  /** Absent where no file says it: they are foreign, or `isBlank`. */
  readonly createdAt: number | undefined;
  /** Nothing but pieces of a header is there. */
  readonly isBlank: boolean;
}

/** Oldest first. @throws HostError `storage_failed` for a folder that cannot be read */
export async function conversationsOf(directory: string, { agentId, sessionId }: Owner): Promise<readonly KeptConversation[]> {
  const base = journalName(agentId, sessionId);
  const kept: KeptConversation[] = [];
  for (const [name, files] of await listSegments(directory)) {
    const ordinal = ordinalOf(name, base);
    if (ordinal !== undefined) kept.push({ name, ordinal, files, ...(await identify(files, { agentId, sessionId })) });
  }
  return kept.sort((a, b) => a.ordinal - b.ordinal);
}

/** One whose file does not say when it was created is taken where none does: whoever reads it is told what is the matter with it. */
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
      // A folder of this name, or somebody else's file: told by whoever needs what is in it.
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
