/** Text that an agent is better told the place of than the words. */
import type { ContentBlock } from '../session/model.js';

export interface LongTextFile {
  readonly name: string;
  readonly uri: string;
}

/** A line that stays in the prompt keeps so much of its beginning: the words before what is too long. */
const keptChars = 400;

/**
 * The lines that may hang the agent go into a file, whole; the prompt says so in their place and links to it. What an agent reads from a file comes to
 * it by its own tool, which cuts long lines.
 */
export async function withLongTextFiles(
  content: readonly ContentBlock[],
  mayHang: (text: string) => boolean,
  write: (text: string) => Promise<LongTextFile>,
): Promise<readonly ContentBlock[]> {
  const parts = await Promise.all(
    content.map(async (block): Promise<readonly ContentBlock[]> => {
      if (block.type !== 'text' || !mayHang(block.text)) return [block];
      const lines = block.text.split('\n');
      const text = lines.filter(mayHang).join('\n');
      const file = await write(text);
      const kept = lines.map((line) =>
        mayHang(line) ? `${beginningOf(line, mayHang)}[here belongs the text in the file ${file.name}]` : line,
      );
      return [
        { type: 'text', text: kept.join('\n') },
        { type: 'resource_link', uri: file.uri, name: file.name, mimeType: 'text/plain', size: Buffer.byteLength(text) },
      ];
    }),
  );
  return parts.flat();
}

/** The words before the one that may hang the agent. */
function beginningOf(line: string, mayHang: (text: string) => boolean): string {
  const words = line.split(/(?<=\s)/);
  const beginning = words.slice(0, words.findIndex(mayHang)).join('');
  return beginning.length <= keptChars ? beginning : '';
}
