/** What turns changed, also under unsaved text, as the chat draws it: below each turn, while one runs, and above the composer. */
import { join } from 'node:path';
import { buttons } from '../advice/advice.js';
import { filesText, problemText, uncountedText } from '../../text/changesText.js';
import { describeError } from '../../text/errorText.js';
import {
  type ChangedFile,
  type ChangeSet,
  type ConversationState,
  type HostErrorData,
  stripControls,
  type TurnEndItem,
} from '../../core/index.js';
import { counted } from '../../text/sentence.js';
import { reviewOf } from './toReview.js';
import type { ChangedUnderText } from '../editor/unsavedTexts.js';
import type { ItemView, LineView, WaitView } from '../../contract/view.js';
import type { ChangedFileView, ChangesView, CountsView } from '../../contract/viewParts.js';

type TurnEndView = Extract<ItemView, { kind: 'turn_end' }>;

/** Completes the view of the end of a turn. */
export type AddChanges = (view: ItemView, item: TurnEndItem) => ItemView;

/** What a footer was completed with. */
interface Footer {
  readonly set: ChangeSet | undefined;
  readonly canRedo: boolean;
  readonly note: string | undefined;
  readonly view: ItemView;
}

/** @returns a function that keeps the view of each turn whose changes did not change */
export function turnFooters(): (state: ConversationState, agent: string) => AddChanges {
  const known = new WeakMap<ItemView, Footer>();
  return (state, agent) => {
    const { changes, session, changesFailure } = state;
    const byTurn = setsByTurn(changes);
    const last = session?.turn.type === 'idle' ? session.items.findLast((item) => item.kind === 'turn_end') : undefined;
    return (view, item) => {
      if (view.kind !== 'turn_end') return view;
      const set = byTurn.get(item.turnId);
      const canRedo = set !== undefined && undoOf(changes, set.id) !== undefined;
      const note = item === last && set === undefined && changesFailure !== undefined ? failureText(changesFailure, agent) : undefined;
      if (set === undefined && note === undefined) return view;
      const before = known.get(view);
      if (before !== undefined && before.set === set && before.canRedo === canRedo && before.note === note) return before.view;
      const completed: TurnEndView = {
        ...view,
        ...(set === undefined ? {} : { files: [], changes: changesView(set, canRedo) }),
        ...(note === undefined ? {} : { note }),
      };
      known.set(view, { set, canRedo, note, view: completed });
      return completed;
    };
  };
}

const setsOf = new WeakMap<readonly ChangeSet[], ReadonlyMap<string, ChangeSet>>();

function setsByTurn(changes: readonly ChangeSet[]): ReadonlyMap<string, ChangeSet> {
  let byTurn = setsOf.get(changes);
  if (byTurn === undefined)
    setsOf.set(
      changes,
      (byTurn = new Map(changes.flatMap((set) => (set.kind === 'undo' || set.fileCount === 0 ? [] : [[set.id, set] as const])))),
    );
  return byTurn;
}

/** Returns the undo that has to be taken back so that what a turn changed is there again; undefined if the turn is not undone. */
export function undoOf(changes: readonly ChangeSet[], turnId: string): ChangeSet | undefined {
  return changes.findLast(
    ({ kind, undoneSets, files }) => kind === 'undo' && undoneSets?.includes(turnId) === true && files.some(({ isUndone }) => !isUndone),
  );
}

function changesView(set: ChangeSet, canRedo: boolean): ChangesView {
  const { kind, files, fileCount, problems } = set;
  const isUndone = isTakenBack(set);
  const hidden = fileCount - files.length;
  return {
    counts: countsView(set),
    files: files.map((file) => fileView(file, isUndone)),
    ...(hidden > 0 && { more: `and ${hidden} more` }),
    notes: problems.map(problemText),
    ...(isUndone && { isUndone }),
    buttons: kind === 'running' ? [] : isUndone ? (canRedo ? [buttons.redoTurn] : []) : [buttons.reviewTurn, buttons.undoTurn],
  };
}

/** Whether all files of a change set were taken back that can be. */
export function isTakenBack({ files }: ChangeSet): boolean {
  return files.some(({ isUndone }) => isUndone) && files.every(({ isUndone, unkept }) => isUndone === true || unkept !== undefined);
}

function countsView(set: ChangeSet): CountsView {
  return { files: filesText(set), added: set.added, removed: set.removed };
}

const statusTexts: Readonly<Record<ChangedFile['status'], (from: string) => string | undefined>> = {
  added: () => 'created',
  modified: () => undefined,
  deleted: () => 'deleted',
  renamed: (from) => `renamed from ${from}`,
};

/** @param isAllUndone the line above the files says so for all of them */
function fileView(file: ChangedFile, isAllUndone: boolean): ChangedFileView {
  const { path, status, from = '', added, removed, by, unkept, alsoUser, isUndone } = file;
  const notes = [
    statusTexts[status](stripControls(from)),
    uncountedText(file),
    by === 'other' ? 'by a command' : undefined,
    alsoUser === true ? 'may be yours' : undefined,
    isUndone === true && !isAllUndone ? 'undone' : undefined,
  ];
  return {
    path,
    status,
    added,
    removed,
    notes: notes.filter((note) => note !== undefined),
    ...(isUndone === true && { isUndone }),
    ...(unkept !== undefined && { isFixed: true }),
  };
}

/** Without Git, nothing has failed: something is missing. */
function failureText(failure: HostErrorData, agent: string): string {
  if (failure.code === 'changes_unknown' && failure.params.reason === 'no_git') return 'Install Git to see and undo what turns change.';
  return `What this turn changed is not known: ${describeError(failure, { agent }).text}`;
}

/** Adds what the running turn has changed so far to the wait for it. */
export function withRunning(wait: WaitView | null, changes: readonly ChangeSet[]): WaitView | null {
  const running = changes.findLast(({ kind, fileCount }) => kind === 'running' && fileCount > 0);
  return wait === null || running === undefined ? wait : { ...wait, changes: countsView(running) };
}

/** Returns null if there is nothing to review. */
export function reviewView(changes: readonly ChangeSet[]): LineView | null {
  const { fileCount } = reviewOf(changes);
  if (fileCount === 0) return null;
  const steps = fileCount === 1 ? [] : [buttons.previousFile, buttons.nextFile];
  // The end stays together: where there is no room for it, the number of files does without.
  return { text: `${counted(fileCount, 'file')} to\u00a0review`, buttons: [...steps, buttons.reviewAll, buttons.markReviewed] };
}

/** Returns those of the files that turns of the conversation changed since the user began to change their text. */
export function changedUnderText({ changes, cwd }: ConversationState, all: readonly ChangedUnderText[]): readonly ChangedUnderText[] {
  return all.filter(({ names, since }) =>
    changes.some(({ kind, at, files }) => kind !== 'undo' && at >= since && files.some(({ path }) => names.includes(join(cwd, path)))),
  );
}

/** Returns null if there is none. */
export function unsavedView(files: readonly ChangedUnderText[]): LineView | null {
  const [first] = files;
  if (first === undefined) return null;
  const isOne = files.length === 1;
  const what = isOne ? stripControls(first.path.replace(/^.*[\\/]/, '')) : counted(files.length, 'file');
  return { text: `${what} ${isOne ? 'was' : 'were'} changed under your unsaved text`, buttons: [buttons.compareUnsaved] };
}
