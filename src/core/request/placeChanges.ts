import { resolve } from 'node:path';
import { fitOf, type PlacedHunk } from './changeFit.js';
import type { DiffPart, FileText, PlacedChange, ProposedFile, RequestPart } from './description.js';

/** Further changes are not placed: the files that are searched for the changes of a request have this many characters together. */
const mostSearched = 50_000_000;

interface Draft {
  readonly label: string;
  readonly before: string | null;
  /** Undefined: one of the changes does not fit. */
  readonly after: string | undefined;
}

export interface PlacedChanges {
  readonly parts: readonly RequestPart[];
  /** The files that all of their changes fit. */
  readonly files: readonly ProposedFile[];
}

/**
 * Says of each change where it is in its file, as the file is now.
 * @param textOf takes an absolute path; returns undefined for a text that can't be shown
 */
export function placeChanges(parts: readonly RequestPart[], cwd: string, textOf: (path: string) => FileText | undefined): PlacedChanges {
  const drafts = new Map<string, Draft>();
  let searched = 0;
  const placed = parts.map((part): RequestPart => {
    if (part.type !== 'diff') return part;
    const path = resolve(cwd, part.path);
    const file = textOf(path);
    searched += file?.text?.length ?? 0;
    if (file === undefined || searched > mostSearched) {
      drafts.set(path, { label: part.label, before: null, after: undefined });
      return part;
    }
    const own = placeIn(file, part);
    const draft = drafts.get(path);
    const before = draft === undefined ? (own.isInSaved ? (file.saved ?? '') : file.text) : draft.before;
    const current = draft === undefined ? before : draft.after;
    const next = draft === undefined ? own.fit : current === undefined ? undefined : fitOf(current, part.change, part.way);
    const after = next !== undefined && 'after' in next ? next.after : own.fit.type === 'applied' ? (current ?? '') : undefined;
    drafts.set(path, { label: part.label, before, after });
    // A change may only fit what the ones before it leave.
    return { ...part, placed: next !== undefined && 'after' in next && !('after' in own.fit) ? { ...own, fit: next } : own };
  });
  const files = [...drafts].flatMap(([path, { label, before, after }]) =>
    after === undefined ? [] : [{ path, label, isNew: before === null, after }],
  );
  return { parts: placed, files };
}

/** What does not fit the unsaved text, or is all of what is saved, is for the saved file: an agent reads only that one. */
function placeIn({ text, saved }: FileText, { change, way }: DiffPart): PlacedChange {
  const fit = fitOf(text, change, way);
  const inSaved = saved === undefined ? fit : fitOf(saved, change, way);
  const isInSaved = (fit.type === 'mismatch' && 'after' in inSaved) || (fit.type !== 'whole' && inSaved.type === 'whole');
  return { fit: isInSaved ? inSaved : fit, isInSaved };
}

/** Returns the texts to compare for a change; undefined if nobody knows the text of the file. */
export function shownHunk({ change: { oldText, newText }, placed }: DiffPart): PlacedHunk | undefined {
  if (placed === undefined) return undefined;
  const { fit } = placed;
  switch (fit.type) {
    case 'part':
    case 'everywhere':
      return fit.hunk;
    case 'replaces':
      return { oldText: fit.before, newText, firstLine: 1 };
    case 'whole':
    case 'new':
      return { oldText: oldText ?? '', newText, firstLine: 1 };
    default:
      return { oldText: oldText ?? '', newText, firstLine: undefined };
  }
}
