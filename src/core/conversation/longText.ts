/** Moves text into a file when an agent handles the file better than the text in a prompt. */
import type { ContentBlock } from '../session/model.js';

/** A file that contains a long text of a prompt. */
export interface LongTextFile {
  readonly name: string;
  readonly uri: string;
}

/** How much of the beginning of such a line stays in the prompt: the words before the part that is too long. */
const keptChars = 400;

/**
 * Writes the lines that may hang the agent into a file, and replaces them in the prompt with a link. The agent reads files with its
 * own tool, which cuts long lines.
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
