/** Text that an agent is better told the place of than the words. */
import { createHash } from 'node:crypto';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type ContentBlock, fileFacts, type JournalSummary, listFiles, removeFile, writePrivateText } from '../../core/index.js';

export interface LongTextFile {
  readonly name: string;
  readonly uri: string;
}

/** A line that stays in the message keeps so much of its beginning: the words before what is too long. */
const keptChars = 400;

/** @param directory absolute; made when missing @returns writes a text into a file of its own; the same text has the same file */
export function longTextFilesIn(directory: string): (text: string) => Promise<LongTextFile> {
  return async (text) => {
    const name = `message-${createHash('sha256').update(text).digest('hex').slice(0, 12)}.txt`;
    const path = join(directory, name);
    await writePrivateText(path, text);
    return { name, uri: pathToFileURL(path).href };
  };
}

const dayMs = 24 * 60 * 60 * 1000;
/** Younger files stay in any case: a message with one may still wait to be sent. */
const keptMs = 30 * dayMs;

export interface UnusedTextFiles {
  /** As for `textFilesIn`. */
  readonly directory: string;
  /** Asked only where there are old files. */
  readonly conversations: () => Promise<readonly Pick<JournalSummary, 'createdAt' | 'updatedAt'>[]>;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** Removes the old files that no kept conversation can speak of: none of them was under way when the file was written. */
export async function removeUnusedLongTextFiles({ directory, conversations, now }: UnusedTextFiles): Promise<void> {
  const paths = (await listFiles(directory, '.txt')).filter((path) => /^message-[0-9a-f]+\.txt$/.test(basename(path)));
  const files = await Promise.all(paths.map(async (path) => ({ path, writtenAt: (await fileFacts(path))?.modifiedAt ?? now })));
  const old = files.filter(({ writtenAt }) => now - writtenAt > keptMs);
  if (old.length === 0) return;
  const kept = await conversations();
  // The file comes before its message, which may be the first of a conversation.
  const isUsed = (at: number): boolean => kept.some(({ createdAt, updatedAt }) => createdAt - dayMs <= at && at <= updatedAt + dayMs);
  await Promise.all(old.filter(({ writtenAt }) => !isUsed(writtenAt)).map(({ path }) => removeFile(path)));
}

/**
 * The lines that do harm go into a file, whole; the message says so in their place and links to it. What an agent reads from a file comes to
 * it by its own tool, which cuts long lines.
 */
export async function withLongTextFiles(
  content: readonly ContentBlock[],
  doesHarm: (text: string) => boolean,
  write: (text: string) => Promise<LongTextFile>,
): Promise<readonly ContentBlock[]> {
  const parts = await Promise.all(
    content.map(async (block): Promise<readonly ContentBlock[]> => {
      if (block.type !== 'text' || !doesHarm(block.text)) return [block];
      const lines = block.text.split('\n');
      const text = lines.filter(doesHarm).join('\n');
      const file = await write(text);
      const kept = lines.map((line) =>
        doesHarm(line) ? `${beginningOf(line, doesHarm)}[here belongs the text in the file ${file.name}]` : line,
      );
      return [
        { type: 'text', text: kept.join('\n') },
        { type: 'resource_link', uri: file.uri, name: file.name, mimeType: 'text/plain', size: Buffer.byteLength(text) },
      ];
    }),
  );
  return parts.flat();
}

/** The words before the one that does harm. */
function beginningOf(line: string, doesHarm: (text: string) => boolean): string {
  const words = line.split(/(?<=\s)/);
  const beginning = words.slice(0, words.findIndex(doesHarm)).join('');
  return beginning.length <= keptChars ? beginning : '';
}
