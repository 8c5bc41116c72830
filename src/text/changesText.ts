/** What turns changed in a folder, what was not taken back, and what the user noted about it, in words. */
import {
  type ChangedFile,
  type ChangeSet,
  type ChangesProblem,
  fenced,
  type Hunk,
  type LeftFile,
  type LeftReason,
  stripControls,
  type UnkeptReason,
  unkeptReasons,
} from '../core/index.js';
import { changesUnknownText } from './errorCause.js';
import { counted, sentence, sentences } from './sentence.js';

/** Returns `3 files +18 −2`: the number of files, and of added and removed lines. */
export function countText(set: Pick<ChangeSet, 'fileCount' | 'added' | 'removed' | 'problems'>): string {
  return `${filesText(set)} ${linesText(set)}`;
}

/** Returns `3 files`, and that some of the changes may come from another conversation. */
export function filesText({ fileCount, problems: found }: Pick<ChangeSet, 'fileCount' | 'problems'>): string {
  return `${counted(fileCount, 'file')}${found.includes('shared') ? ', shared' : ''}`;
}

/** Returns `+18 −2`: the number of added and removed lines. */
export function linesText({ added, removed }: { readonly added: number; readonly removed: number }): string {
  return `+${added} −${removed}`;
}

const unkeptNotes: Readonly<Record<UnkeptReason, string>> = {
  large: "over 5 MB, can't be compared or undone",
  secret: "may contain secrets, can't be compared or undone",
  unreadable: "can't be read, compared or undone",
  unseen: "earlier content unknown, can't be compared or undone",
  gone: "no longer in the repository, can't be compared or undone",
};

/** Returns why the lines of a file are not counted, and what can't be done with it; undefined if they are. */
export function uncountedText({ isBinary, unkept }: Pick<ChangedFile, 'isBinary' | 'unkept'>): string | undefined {
  if (unkept !== undefined) return unkeptNotes[unkept];
  return isBinary === true ? 'binary, lines are not counted' : undefined;
}

const unkeptReasonsText: Readonly<Record<UnkeptReason, string>> = {
  large: "ACP Host doesn't save files over 5 MB, so it can't undo this one.",
  secret: "ACP Host doesn't save files that may contain secrets, so it can't undo this one.",
  unreadable: "ACP Host couldn't read it, so its earlier content isn't saved.",
  unseen: 'The agent changed it before ACP Host had recorded it, so its earlier content is unknown.',
  gone: 'Its earlier content was only in the Git repository of the project, and is no longer there.',
};

const lefts: Readonly<Record<LeftReason, (detail: string) => string>> = {
  changed: (name) =>
    name === ''
      ? 'It was changed since, so undoing would lose that change.'
      : `A later turn renamed it to ${stripControls(name)}. Undo that turn first.`,
  unkept(detail) {
    const why = unkeptReasons.find((one) => one === detail);
    return why === undefined ? "Its earlier content isn't saved." : unkeptReasonsText[why];
  },
  also_user: () => 'You saved it during the turn, or it was changed after an interruption, so the change may be yours.',
  refused(detail) {
    if (detail === 'editor_hangs') return 'An editor does not respond, and may still change it. Try again later.';
    return sentence(detail === '' ? "It couldn't be changed" : `It couldn't be changed: ${detail}`);
  },
  failed: (reason) => sentences('Nothing was undone in its folder.', changesUnknownText(reason)),
};

/** Returns why an undo left a file as it is: one or two sentences, without the name of the file. */
export function leftText({ why, detail = '' }: LeftFile): string {
  return lefts[why](detail);
}

const problems: Readonly<Record<ChangesProblem, string>> = {
  late: 'The agent began before the files were recorded, so its first changes may be missing.',
  shared: 'Another conversation worked in the folder at the same time, so some of these changes may come from it.',
  interrupted: 'ACP Host ended unexpectedly during the turn, so some of these changes may have been made later.',
};

/** Returns a sentence that says why the changes of a turn may not be exactly those of its agent. */
export function problemText(problem: ChangesProblem): string {
  return problems[problem];
}

// What the user noted while reviewing changes, as the agent and the user read it.

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
  return fenced(shown.join('\n'), language);
}
