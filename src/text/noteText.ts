/** What the user noted while reviewing changes, as the agent and the user read it. */
import { type Hunk, stripControls } from '../core/index.js';
import { counted } from './sentence.js';

/** Lines of a file. */
export interface LinesOfFile {
  /** Relative to the folder of the conversation, with `/`. */
  readonly path: string;
  /** 1-based, inclusive. */
  readonly firstLine: number;
  readonly lastLine: number;
}

/** More of a change says nothing that its place doesn't. */
const quotedLines = 60;

/** Returns `src/x.js 13–20`. */
export function placeText({ path, firstLine, lastLine }: LinesOfFile): string {
  return `${stripControls(path).replaceAll('\n', ' ')} ${firstLine === lastLine ? firstLine : `${firstLine}–${lastLine}`}`;
}

/** @param hunk what the user took back: its lines are gone, and the earlier ones are there again */
export function undoneText(lines: LinesOfFile, { now, earlier }: Pick<Hunk, 'now' | 'earlier'>): string {
  const changes = [...now.map((line) => `-${line}`), ...earlier.map((line) => `+${line}`)];
  return `Undone by the user: ${placeText(lines)}\n${quoted(changes, 'diff')}`;
}

/** @param code the lines that it is about */
export function commentText(lines: LinesOfFile, comment: string, code: readonly string[]): string {
  return `Comment of the user on ${placeText(lines)}: ${comment}\n${quoted(code, '')}`;
}

function quoted(lines: readonly string[], language: string): string {
  const left = lines.length - quotedLines;
  const shown = left > 0 ? [...lines.slice(0, quotedLines), `… ${counted(left, 'more line')}`] : lines;
  // A fence that the code does not contain.
  const longest = Math.max(2, ...shown.flatMap((line) => [...line.matchAll(/`+/g)].map(([run]) => run.length)));
  const fence = '`'.repeat(longest + 1);
  return [fence + language, ...shown, fence].join('\n');
}
