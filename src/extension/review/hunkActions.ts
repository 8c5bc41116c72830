/** What the user decides about one hunk of a file to review. */
import * as vscode from 'vscode';
import { type Chip, DisposableStore, HostError, undoHunk } from '../../core/index.js';
import type { LinesOfFile } from '../../text/changesText.js';
import { undoneChip } from '../chat/sharedDraft.js';
import { partsOf, reviewOf } from '../chat/toReview.js';
import { execute, type OpenConversation } from '../conversation/openConversations.js';
import { replaceText, save } from '../editor/openTexts.js';
import { showMessage } from '../window/windowMessages.js';
import type { FilesToReview, NamedHunk, ReviewedFile, ReviewParts } from './filesToReview.js';

/**
 * Both arguments are those of a lens: the document as a URI, and the name of the hunk. Without them, it is the hunk at the cursor.
 * @throws HostError `usage` if there is none, `changes_unknown`
 */
type HunkAt = readonly [uri?: string, name?: string];

interface FoundHunk extends ReviewedFile {
  readonly document: vscode.TextDocument;
  readonly hunk: NamedHunk;
  readonly others: readonly NamedHunk[];
}

/** A hunk that was undone in this window. The editor may bring it back. */
interface Undone extends ReviewedFile {
  readonly uri: string;
  /** What is to be reviewed again then. */
  readonly parts: ReturnType<typeof partsOf>;
  readonly name: string;
  readonly chip: Chip;
  /** Whether the draft had the note when the hunk came back: it may have been sent, or removed. */
  hadNote: boolean;
  isBack: boolean;
}

/** A new file that was removed again in this window. A Redo may bring it back. */
interface UndoneFile extends ReviewedFile {
  readonly chip: Chip;
  isGone: boolean;
}

export function createHunkActions(files: FilesToReview, { notesOf, compare, undoFile, report }: ReviewParts) {
  const store = new DisposableStore();
  let undone: readonly Undone[] = [];
  let undoneFiles: readonly UndoneFile[] = [];

  const find = async (...[uri, name]: HunkAt): Promise<FoundHunk> => {
    const editor = vscode.window.activeTextEditor;
    const document =
      uri === undefined ? editor?.document : vscode.workspace.textDocuments.find((one) => one.uri.toString() === uri && !one.isClosed);
    const reviewed = document && files.find(document.uri);
    const hunks = document && reviewed && (await files.hunksOf(reviewed, document));
    const line = editor?.selection.active.line ?? 0;
    const hunk = hunks?.find((one) => (name === undefined ? isAt(one, line) : one.name === name));
    if (document === undefined || reviewed === undefined || hunks === undefined || hunk === undefined)
      throw new HostError('usage', {
        detail: name === undefined ? 'Place the cursor in a change that is to be reviewed' : 'This change is not there any more',
      });
    return { ...reviewed, document, hunk, others: hunks.filter((one) => one !== hunk) };
  };

  const partsNow = ({ entry, file }: ReviewedFile) => partsOf(reviewOf(entry.conversation.state.changes), file);
  const markFile = async (reviewed: ReviewedFile): Promise<void> => {
    const { entry } = reviewed;
    for (const { set, path } of partsNow(reviewed))
      await execute(entry.conversation, { type: 'review_changes', ids: [set], paths: [path] });
  };

  const tellMixed = async ({ entry, file }: ReviewedFile): Promise<void> => {
    await compare(entry, file);
    void report(() => showMessage('information', 'You changed these lines since, so they are left as they are. Edit them on the right.'));
  };

  /** What brought a hunk back also brings it back to be reviewed, and takes the note back. */
  const onUndoOrRedo = async (document: vscode.TextDocument): Promise<void> => {
    const known = new Map<string, Promise<readonly NamedHunk[]>>();
    const hunksOf = (one: Undone): Promise<readonly NamedHunk[]> => {
      const key = JSON.stringify([one.entry.id, one.file]);
      const hunks = known.get(key) ?? files.hunksOf(one, document);
      known.set(key, hunks);
      return hunks;
    };
    for (const one of undone.filter(({ uri }) => uri === document.uri.toString())) {
      const { entry, name, chip, parts } = one;
      const hunks = await hunksOf(one);
      const isBack = hunks.some((hunk) => hunk.name === name);
      if (isBack === one.isBack) continue;
      one.isBack = isBack;
      const notes = notesOf(entry);
      if (isBack) {
        one.hadNote = notes.notes.some(({ id }) => id === chip.id);
        notes.removeChip(chip.id);
      } else if (one.hadNote) notes.addChip(chip);
      if (isBack) for (const part of parts) await execute(entry.conversation, { type: 'review_again', ...part });
      else if (hunks.length === 0) await markFile(one);
    }
  };
  store.add(
    vscode.workspace.onDidChangeTextDocument(({ document, reason }) => {
      if (reason !== undefined && undone.length > 0) void report(() => onUndoOrRedo(document));
    }),
  );
  store.add(
    vscode.workspace.onDidCloseTextDocument(({ uri }) => {
      undone = undone.filter((one) => !one.isBack || one.uri !== uri.toString());
    }),
  );
  store.add(
    files.onChange(() => {
      undoneFiles = undoneFiles.filter((one) => {
        const isThere = reviewOf(one.entry.conversation.state.changes).files.some(({ path }) => path === one.file.path);
        const isBack = isThere && one.isGone;
        one.isGone ||= !isThere;
        if (isBack) notesOf(one.entry).removeChip(one.chip.id);
        return !isBack;
      });
    }),
  );

  return {
    /** Whether the editor may bring back what the user undid in the files of a conversation. */
    mayBringBack: (entry: OpenConversation): boolean => [...undone, ...undoneFiles].some((one) => one.entry === entry),
    async undoHunk(...at: HunkAt): Promise<void> {
      const found = await find(...at);
      const { entry, file, document, hunk, others } = found;
      if (hunk.isMixed) return tellMixed(found);
      const chip = undoneChip(linesOf(found), hunk);
      const text = undoHunk(document.getText(), hunk, document.eol === vscode.EndOfLine.CRLF ? '\r\n' : '\n');
      if (file.isNew && text === '') {
        if (!(await undoFile(entry, file))) return;
        notesOf(entry).addChip(chip);
        undoneFiles = [...undoneFiles, { entry, file, chip, isGone: files.find(document.uri) === undefined }];
        return;
      }
      const isSaved = await edit(document, text);
      notesOf(entry).addChip(chip);
      const uri = document.uri.toString();
      undone = [...undone, { entry, file, parts: partsNow(found), uri, name: hunk.name, chip, hadNote: true, isBack: false }];
      if (others.length === 0) await markFile(found);
      if (!isSaved) throw new HostError('usage', { detail: "The change is undone, but the file couldn't be saved. Save it" });
    },
    async commentHunk(...at: HunkAt): Promise<void> {
      const { firstLine, lastLine } = linesOf(await find(...at));
      // VS Code's own command, which also moves the focus to the comment.
      const range = { startLineNumber: firstLine, endLineNumber: lastLine, endColumn: 1 };
      await vscode.commands.executeCommand('workbench.action.addComment', { range });
    },
    async reviewHunk(...at: HunkAt): Promise<void> {
      const found = await find(...at);
      const { entry, file, hunk, others } = found;
      if (others.length === 0) await markFile(found);
      else await execute(entry.conversation, { type: 'review_hunk', set: file.set, path: file.from, hunk: hunk.name });
    },
    dispose: (): void => store.dispose(),
  };
}

function isAt({ line, now }: NamedHunk, cursor: number): boolean {
  // Lines that are gone were between two.
  return now.length === 0 ? cursor === line || cursor === line - 1 : cursor >= line && cursor < line + now.length;
}

function linesOf({ file, hunk, document }: FoundHunk): LinesOfFile {
  const firstLine = Math.min(hunk.line + 1, document.lineCount);
  return { path: file.path, firstLine, lastLine: Math.max(firstLine, hunk.line + hunk.now.length) };
}

/**
 * As one step that the user can undo. What the user had not saved stays so.
 * @returns false if the file should be saved, and couldn't be
 * @throws HostError `usage` if nothing was changed
 */
async function edit(document: vscode.TextDocument, text: string): Promise<boolean> {
  const mustSave = !document.isDirty;
  const all = new vscode.WorkspaceEdit();
  if (!replaceText(all, document, text)) return true;
  if (!(await vscode.workspace.applyEdit(all)))
    throw new HostError('usage', { detail: "The editor didn't change the file. Check that it can be edited, and try again" });
  return !mustSave || save(document);
}
