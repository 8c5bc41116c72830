/** Actions on what turns changed: to compare it, to take it back, and to mark it as reviewed. */
import { join } from 'node:path';
import { type ChangedFile, type ChangeSet, HostError, type LeftFile, stripControls, type UndoResult } from '../../core/index.js';
import { leftText } from '../../text/changesText.js';
import { counted } from '../../text/sentence.js';
import { changedUnderText, isTakenBack, undoOf } from '../chat/changesView.js';
import { type FileToReview, netChanges, partsOf, reviewOf } from '../chat/toReview.js';
import { findEndedTurn } from '../chat/transcript.js';
import { execute, type OpenConversation } from '../conversation/openConversations.js';
import type { Comparison } from '../editor/documents.js';
import { openLocation } from '../editor/open.js';
import { compareWithSaved } from '../editor/requestFiles.js';
import { showMessage } from '../window/windowMessages.js';
import type { ActionScope } from './actionScope.js';

/** Buttons of the message about an undo. */
const labels = { openDiff: 'Open Diff', undoAnyway: 'Undo Anyway', redo: 'Redo' } as const;

export type ChangeActions = ReturnType<typeof createChangeActions>;

export function createChangeActions({ parts: { engine, changedFiles, unsavedTexts, report }, current, source }: ActionScope) {
  const agent = (): string => source().view().header.agent;
  /** Returns all files of a change set, also those that front ends do not have. @throws HostError `changes_unknown` */
  const filesIn = async ({ id }: OpenConversation, set: ChangeSet): Promise<readonly ChangedFile[]> =>
    set.fileCount > set.files.length ? engine.call('changed_files', { id, set: set.id }) : set.files;

  /** @param turn the only one that is compared, without what came later */
  const compareAll = async (entry: OpenConversation, sets: readonly Pick<ChangeSet, 'id' | 'files'>[], turn?: string): Promise<void> => {
    const files = netChanges(sets);
    const texts = files.filter(({ isText }) => isText);
    if (files.length === 0) throw new HostError('usage', { detail: 'There are no changes to review' });
    if (texts.length === 0) throw new HostError('usage', { detail: "The changed files can't be compared as text" });
    const left = files.length - texts.length;
    await changedFiles.compareAll(
      `Changes by ${agent()}${left === 0 ? '' : `, except ${counted(left, 'file')} without text`}`,
      texts.map((file) => comparisonOf(entry, file, turn)),
    );
  };

  /** @param paths undefined: all files */
  const undo = ({ id }: OpenConversation, sets: readonly string[], paths: readonly string[] | undefined): Promise<UndoResult> =>
    engine.call('undo_changes', { id, sets, ...(paths === undefined ? {} : { paths }) });

  /**
   * Takes change sets back, and says what was undone and left. The message may stay open for any time, so nothing waits for it.
   * @param isSeen the user pressed a button below the turn, which says what was undone and offers *Redo*
   */
  const takeBack = async (
    entry: OpenConversation,
    sets: readonly string[],
    paths?: readonly string[],
    isSeen = false,
  ): Promise<UndoResult> => {
    const result = await undo(entry, sets, paths);
    void report(() => changedFiles.closeGone());
    const { undone, left } = result;
    if (!isSeen || undone.length === 0 || left.length > 0) void report(() => tell(entry, sets, result));
    return result;
  };

  const redo = async (entry: OpenConversation, undone: string, paths?: readonly string[]): Promise<void> => {
    const { left } = await undo(entry, [undone], paths);
    if (left.length > 0) void report(() => showMessage('information', textOfLeft(left)));
  };

  const tell = async (entry: OpenConversation, sets: readonly string[], { id, undone, left }: UndoResult): Promise<void> => {
    const mine = left.filter(({ why }) => why === 'also_user').map(({ path }) => path);
    const compared = left.find(({ why, detail }) => (why === 'changed' && detail === undefined) || why === 'also_user');
    const offers = [
      ...(compared === undefined ? [] : [labels.openDiff]),
      ...(mine.length === 0 ? [] : [labels.undoAnyway]),
      ...(id === undefined ? [] : [labels.redo]),
    ];
    const choice = await showMessage('information', undoText(undone, left), ...offers);
    const has = (set: ChangeSet): boolean => sets.includes(set.id) && set.files.some(({ path }) => path === compared?.path);
    const set = entry.conversation.state.changes.findLast(has);
    if (choice === labels.openDiff && compared !== undefined && set !== undefined) await openChange(entry, set.id, compared.path);
    if (choice === labels.undoAnyway) await takeBack(entry, sets, mine);
    if (choice === labels.redo && id !== undefined) await redo(entry, id);
  };

  const openChange = async (entry: OpenConversation, setId: string, path: string): Promise<void> => {
    const set = entry.conversation.state.changes.find(({ id }) => id === setId);
    const file = set?.files.find((one) => one.path === path);
    const [net] = file === undefined ? [] : netChanges([{ id: setId, files: [asChanged(file)] }]);
    if (net === undefined) return;
    const { folder } = entry;
    if (net.isText) await changedFiles.compare(comparisonTitle(path, agent()), comparisonOf(entry, net, setId));
    else await openLocation({ path }, folder.path);
  };

  /** Returns the change set of the turn that a line of the page ends. */
  const setAt = (itemId: string): ChangeSet | undefined => {
    const { state } = current().conversation;
    const turnId = findEndedTurn(state, itemId);
    return turnId === undefined ? undefined : state.changes.find(({ id }) => id === turnId);
  };
  const undoAt = (itemId: string): ChangeSet | undefined => {
    const turn = setAt(itemId);
    return turn === undefined ? undefined : undoOf(current().conversation.state.changes, turn.id);
  };

  const compareFile = (file: FileToReview): Promise<void> =>
    changedFiles.compare(comparisonTitle(file.path, agent()), comparisonOf(current(), file));

  /** Compares the file to review that comes so many after the one in the active editor, in a circle. */
  const step = async (by: 1 | -1): Promise<void> => {
    const entry = current();
    const texts = reviewOf(entry.conversation.state.changes).files.filter(({ isText }) => isText);
    const active = changedFiles.active();
    const at = texts.findIndex(({ path }) => join(entry.folder.path, path) === active);
    const file = texts.at(at === -1 && by === -1 ? -1 : (at + by) % texts.length);
    if (file === undefined) throw new HostError('usage', { detail: 'There are no changes to review' });
    await compareFile(file);
  };

  return {
    filesIn,
    takeBack,
    compareFile,
    previousFile: (): Promise<void> => step(-1),
    nextFile: (): Promise<void> => step(1),
    /** Takes back what all turns did to a file to review. @returns whether it is as it was */
    async undoFileToReview(file: FileToReview): Promise<boolean> {
      const entry = current();
      const parts = partsOf(reviewOf(entry.conversation.state.changes), file);
      const sets = parts.map(({ set }) => set);
      const { undone } = await takeBack(entry, sets, [...new Set(parts.map(({ path }) => path))]);
      return undone.includes(file.path);
    },
    /** @param itemId the line below a turn; undefined: everything that is not reviewed */
    async reviewChanges(itemId?: string): Promise<void> {
      const entry = current();
      const turn = itemId === undefined ? undefined : setAt(itemId);
      const sets = turn === undefined ? reviewOf(entry.conversation.state.changes).sets : [turn];
      const complete = await Promise.all(sets.map(async (set) => ({ id: set.id, files: await filesIn(entry, set) })));
      await compareAll(
        entry,
        turn === undefined
          ? complete
          : complete.map(({ id, files }) => ({ id, files: files.filter(({ isUndone }) => isUndone !== true).map(asChanged) })),
        turn?.id,
      );
    },
    /** @param itemId the line below a turn; undefined: the last turn that is not undone */
    async undoTurn(itemId?: string): Promise<void> {
      const entry = current();
      const set =
        itemId === undefined ? entry.conversation.state.changes.findLast((one) => one.kind === 'turn' && !isTakenBack(one)) : setAt(itemId);
      if (set === undefined) throw new HostError('usage', { detail: 'There are no changes to undo in this conversation' });
      await takeBack(entry, [set.id], undefined, itemId !== undefined);
    },
    async redoTurn(itemId = ''): Promise<void> {
      const undone = undoAt(itemId);
      if (undone !== undefined) await redo(current(), undone.id);
    },
    async markReviewed(): Promise<void> {
      const { conversation } = current();
      const ids = reviewOf(conversation.state.changes).sets.map(({ id }) => id);
      if (ids.length > 0) await execute(conversation, { type: 'review_changes', ids });
    },
    async compareUnsaved(): Promise<void> {
      for (const { path } of changedUnderText(current().conversation.state, unsavedTexts.changed)) await compareWithSaved(path);
    },
    async openChange(itemId: string, path: string): Promise<void> {
      const set = setAt(itemId);
      if (set !== undefined) await openChange(current(), set.id, path);
    },
    async undoFile(itemId: string, path: string): Promise<void> {
      const set = setAt(itemId);
      if (set !== undefined) await takeBack(current(), [set.id], [path], true);
    },
    async redoFile(itemId: string, path: string): Promise<void> {
      const undone = undoAt(itemId);
      if (undone !== undefined) await redo(current(), undone.id, [path]);
    },
  };
}

/** Its change as the turn made it, whatever became of it. */
function asChanged({ isUndone: _undone, isReviewed: _reviewed, ...file }: ChangedFile): ChangedFile {
  return file;
}

/** The title of a tab. @param path relative to the folder */
export function comparisonTitle(path: string, agent: string): string {
  return `${nameOf(path)} (changed by ${agent})`;
}

/** @param turn what came after it is not part of the comparison; undefined: the file as it is now */
export function comparisonOf({ id, folder, conversation }: OpenConversation, file: FileToReview, turn?: string): Comparison {
  const { path, set, from, isNew, isGone } = file;
  const { changes } = conversation.state;
  const later = turn === undefined ? [] : changes.slice(changes.findIndex((one) => one.id === turn) + 1);
  const isLatest = !later.some(({ files }) => files.some((one) => one.path === path || one.from === path));
  return {
    folder: folder.path,
    path,
    before: isNew ? undefined : { id, set, path: from, side: 'before' },
    after: isGone ? undefined : isLatest || turn === undefined ? 'file' : { id, set: turn, path, side: 'after' },
  };
}

function undoText(undone: readonly string[], left: readonly LeftFile[]): string {
  const [first] = undone;
  const what = first !== undefined && undone.length === 1 ? nameOf(first) : counted(undone.length, 'file');
  const done = undone.length === 0 ? [] : [`Undid the changes in ${what}${left.length === 0 ? '' : '.'}`];
  return [...done, ...(left.length === 0 ? [] : [textOfLeft(left)])].join(' ') || 'There was nothing to undo';
}

/** Names the first file with the reason, and counts the others. */
function textOfLeft(left: readonly LeftFile[]): string {
  const [first] = left;
  if (first === undefined) return '';
  const others = left.length === 1 ? '' : ` ${counted(left.length - 1, 'more file')} ${left.length === 2 ? 'was' : 'were'} left, too.`;
  return `Left ${nameOf(first.path)} as it is. ${leftText(first)}${others}`;
}

function nameOf(path: string): string {
  return stripControls(path.slice(path.lastIndexOf('/') + 1));
}
