/** Removes tool output from a file of a conversation, so that messages remain when space is scarce. */
import { Buffer } from 'node:buffer';
import { isFields } from '../base/fields.js';
import { fileFacts, readText, replaceText } from '../node/files.js';
import { headerWithout, parseHead, standingStart } from './journalFormat.js';

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
