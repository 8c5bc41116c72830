/** What turns changed in the files of a conversation's folders, as data for front ends. */
import type { ToolItem, ToolKind, TranscriptItem } from './model.js';

export const fileStatuses = ['added', 'modified', 'deleted', 'renamed'] as const;
export type FileStatus = (typeof fileStatuses)[number];

/** Why a version of a file is not kept. */
export const unkeptReasons = [
  /** It is larger than 5 MiB. It is only seen that it changed. */
  'large',
  /** Its name says that it may hold secrets. */
  'secret',
  /** The engine may not read it. */
  'unreadable',
  /** What it was before is not known: nobody had recorded it when it was changed first. */
  'unseen',
  /** Only the repository of the project had it, and has it no more. */
  'gone',
] as const;
export type UnkeptReason = (typeof unkeptReasons)[number];

export interface ChangedFile {
  /** Relative to the folder of the conversation, with `/`; one in another folder begins with `../`. Bytes that are not UTF-8 are U+FFFD. */
  readonly path: string;
  readonly status: FileStatus;
  /** The earlier path of a renamed file. */
  readonly from?: string;
  /** In lines; 0 for a file without text. */
  readonly added: number;
  readonly removed: number;
  /** `tool`: a tool call announced the change. `other`: nobody did, so that a command or another program made it. */
  readonly by: 'tool' | 'other';
  /** Lines are not counted. It can be taken back like any other file. */
  readonly isBinary?: true;
  /** One of its versions is not kept, so that it can't be compared or taken back. */
  readonly unkept?: UnkeptReason;
  /** The change may be the user's, who saved the file during the turn, or because it came when nobody looked any more: `interrupted`. */
  readonly alsoUser?: true;
  /** Taken back since. */
  readonly isUndone?: true;
  /** The user has marked the change as reviewed. */
  readonly isReviewed?: true;
  /** The parts of the change that the user has reviewed, by the names that a front end gives them. */
  readonly reviewedHunks?: readonly string[];
}

/**
 * Why less is known of a change than there is. `late`: the state before the turn was known only after the agent had begun. `shared`: another
 * conversation worked in the folder at the same time. `interrupted`: the engine was killed during the turn, so there may be what came later.
 */
export const changesProblems = ['late', 'shared', 'interrupted'] as const;
export type ChangesProblem = (typeof changesProblems)[number];

/** What one turn changed, or one undo. */
export interface ChangeSet {
  /** The id of the turn; an id of its own for an undo. */
  readonly id: string;
  /** `running`: the turn still changes files. */
  readonly kind: 'turn' | 'running' | 'undo';
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** In the order of their paths; at most `shownFiles`. */
  readonly files: readonly ChangedFile[];
  readonly fileCount: number;
  readonly added: number;
  readonly removed: number;
  readonly problems: readonly ChangesProblem[];
  /** Of an undo: the ids of the change sets that it took back, at least in part. */
  readonly undoneSets?: readonly string[];
}

/** The number of files of a change set that every front end has. All of them are read on demand. */
export const shownFiles = 100;

/** Why a file was left as it is. */
export type LeftReason =
  /** The file was changed since, in the same lines. If a later turn renamed it, `detail` is its name now. */
  | 'changed'
  /** Its earlier content is not known: `detail` is an UnkeptReason. */
  | 'unkept'
  /** The user may have made the change, and the file was not named. */
  | 'also_user'
  /** The operating system or git refused: `detail`. It is `editor_hangs` if an editor did not finish the change. */
  | 'refused'
  /** Nothing was undone in its folder: `detail` is a reason of `changes_unknown`, if one is known. */
  | 'failed';

export interface LeftFile {
  readonly path: string;
  readonly why: LeftReason;
  readonly detail?: string;
}

export interface UndoResult {
  /** The change set that this undo is; absent if nothing changed. */
  readonly id?: string;
  /** The files that are as they were before now, some of them with later changes. */
  readonly undone: readonly string[];
  readonly left: readonly LeftFile[];
}

/** The turn that wrote a line. */
export interface LineOrigin {
  readonly conversationId: string;
  readonly turnId: string;
  /** When the turn ended, in milliseconds since the epoch. */
  readonly at: number;
}

const changing: ReadonlySet<ToolKind> = new Set(['edit', 'delete', 'move']);

/** The files that the tool calls of a turn may have changed, as far as they say so, in the order in which they were first named. */
export function filesNamedBy(items: readonly TranscriptItem[]): ReadonlySet<string> {
  return new Set(items.flatMap((item) => (item.kind === 'tool' && item.status !== 'failed' ? pathsOf(item) : [])));
}

/** What a tool call says that it replaces in a file, or in a part of it. */
export interface ShownEdit {
  /** As the agent names it. */
  readonly path: string;
  /** Absent: the agent does not say. */
  readonly oldText?: string | null;
  readonly newText: string;
}

/** The edits that the tool calls of a turn show, in order. */
export function editsShownBy(items: readonly TranscriptItem[]): readonly ShownEdit[] {
  return items.flatMap((item) =>
    item.kind === 'tool' && item.status !== 'failed' ? item.content.flatMap((part) => (part.type === 'diff' ? [part] : [])) : [],
  );
}

function pathsOf({ content, locations, toolKind }: ToolItem): readonly string[] {
  const diffs = content.flatMap((part) => (part.type === 'diff' ? [part.path] : []));
  return changing.has(toolKind) ? [...diffs, ...locations.map(({ path }) => path)] : diffs;
}
