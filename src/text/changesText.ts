/** What turns changed in a folder, and what was not taken back, in words. */
import type { ChangeSet, ChangesProblem, LeftFile, LeftReason } from '../core/index.js';
import { counted, sentence } from './sentence.js';

/** Returns `3 files +18 −2`: the number of files, and of added and removed lines. */
export function countText({ fileCount, added, removed }: Pick<ChangeSet, 'fileCount' | 'added' | 'removed'>): string {
  return `${counted(fileCount, 'file')} ${linesText({ added, removed })}`;
}

/** Returns `+18 −2`: the number of added and removed lines. */
export function linesText({ added, removed }: { readonly added: number; readonly removed: number }): string {
  return `+${added} −${removed}`;
}

const lefts: Readonly<Record<LeftReason, (detail: string) => string>> = {
  changed: () => 'It was changed since, so undoing would lose that change.',
  unkept: () => "Its content wasn't saved, because the file is too large or may contain secrets.",
  also_user: () => 'You saved it during the turn, or it was changed after an interruption, so the change may be yours.',
  refused: (detail) => sentence(detail === '' ? "It couldn't be changed" : `It couldn't be changed: ${detail}`),
};

/** Returns why an undo left a file as it is: one sentence, without the name of the file. */
export function leftText({ why, detail = '' }: LeftFile): string {
  return lefts[why](detail);
}

const problems: Readonly<Record<ChangesProblem, string>> = {
  late: 'The agent began before the files were recorded, so some of its changes may be missing.',
  shared: 'Another conversation worked in the folder at the same time, so some of these changes may come from it.',
  interrupted: 'ACP Host ended unexpectedly during the turn, so some of these changes may have been made later.',
};

/** Returns a sentence that says why the changes of a turn may not be exactly those of its agent. */
export function problemText(problem: ChangesProblem): string {
  return problems[problem];
}
