/** The patches that many agents let their models write (`*** Begin Patch`), as Codex defines them. */

export type PatchedFile = {
  readonly path: string;
} & (
  | { readonly type: 'added'; readonly text: string }
  | { readonly type: 'deleted' }
  /** Each hunk says what it replaces, except for one that adds lines at the end. `movedTo`: the file gets this path, too. */
  | { readonly type: 'updated'; readonly hunks: readonly PatchHunk[]; readonly movedTo?: string }
);

export interface PatchHunk {
  /** Whole lines; empty: the new text is added at the end of the file. */
  readonly oldText: string;
  readonly newText: string;
}

const begin = '*** Begin Patch';
const end = '*** End Patch';
const header = /^\*\*\* (Add|Delete|Update) File: (\S.*)$/;
const move = /^\*\*\* Move to: (\S.*)$/;
const endOfFile = /^\*\*\* End of File$/;

/** Returns what the patch does, in its order; undefined if a line of the text is not of this form, so that nothing is left out. */
export function filesOfPatch(text: string): readonly PatchedFile[] | undefined {
  const lines = text.trim().split(/\r?\n/);
  if (lines.shift() !== begin || lines.pop() !== end) return undefined;
  const files: { readonly act: string; readonly path: string; readonly body: string[] }[] = [];
  for (const line of lines) {
    const [, act, path = ''] = header.exec(line) ?? [];
    if (act !== undefined) files.push({ act, path, body: [] });
    else if (files.length === 0) return undefined;
    else files.at(-1)?.body.push(line);
  }
  const found = files.map(fileOf).filter((file) => file !== undefined);
  return found.length === 0 || found.length < files.length ? undefined : found;
}

function fileOf({ act, path, body }: { readonly act: string; readonly path: string; readonly body: readonly string[] }) {
  switch (act) {
    case 'Add':
      return addedFile(path, body);
    case 'Delete':
      return deletedFile(path, body);
    default:
      return updatedFile(path, body);
  }
}

function addedFile(path: string, body: readonly string[]): PatchedFile | undefined {
  if (!body.every((line) => line.startsWith('+'))) return undefined;
  return { type: 'added', path, text: textOf(body) };
}

function deletedFile(path: string, body: readonly string[]): PatchedFile | undefined {
  return body.length === 0 ? { type: 'deleted', path } : undefined;
}

function updatedFile(path: string, body: readonly string[]): PatchedFile | undefined {
  const movedTo = move.exec(body[0] ?? '')?.[1];
  const hunks: string[][] = [[]];
  for (const line of movedTo === undefined ? body : body.slice(1)) {
    if (line.startsWith('@@')) hunks.push([]);
    else if (endOfFile.test(line)) continue;
    // Models write an empty line where a line of context is empty.
    else if (line === '' || /^[ +-]/.test(line)) hunks.at(-1)?.push(line === '' ? ' ' : line);
    else return undefined;
  }
  const found = hunks.filter((hunk) => hunk.length > 0).map(hunkOf);
  if (found.length === 0 && movedTo === undefined) return undefined;
  return { type: 'updated', path, hunks: found, ...(movedTo === undefined ? {} : { movedTo }) };
}

function hunkOf(lines: readonly string[]): PatchHunk {
  return {
    oldText: textOf(lines.filter((line) => !line.startsWith('+'))),
    newText: textOf(lines.filter((line) => !line.startsWith('-'))),
  };
}

/** @param lines each behind its mark */
function textOf(lines: readonly string[]): string {
  return lines.map((line) => `${line.slice(1)}\n`).join('');
}
