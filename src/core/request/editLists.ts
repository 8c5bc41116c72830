/** A list of edits in the input of a tool call, and whether diffs show each of them. */
import { isFields } from '../base/fields.js';

interface Edit {
  readonly before: string;
  readonly after: string;
}

interface ShownChange {
  readonly oldText?: string | null;
  readonly newText: string;
}

/** Each edit is searched in each diff. A list with more edits than this is shown. */
const mostEdits = 64;

/** Returns false for an entry with any other member, because no diff shows that. */
export function areEditsShown(value: unknown, changes: readonly ShownChange[]): boolean {
  if (!Array.isArray(value) || value.length === 0 || value.length > mostEdits) return false;
  const edits = value.map(editOf).filter((edit) => edit !== undefined);
  if (edits.length < value.length) return false;
  return haveOwnDiffs(edits, changes) || changes.some((change) => isResult(edits, change));
}

/** Reads the names that agents use: `old_string` and `new_string`, `old_text`, `oldText`, `old_str`. */
function editOf(entry: unknown): Edit | undefined {
  if (!isFields(entry) || Object.keys(entry).length !== 2) return undefined;
  const textOf = (name: RegExp): unknown => Object.entries(entry).find(([key]) => name.test(key))?.[1];
  const [before, after] = [textOf(/^old(?:_?str|_?string|_?text)?$/i), textOf(/^new(?:_?str|_?string|_?text)?$/i)];
  return typeof before === 'string' && typeof after === 'string' && before !== after ? { before, after } : undefined;
}

function haveOwnDiffs(edits: readonly Edit[], changes: readonly ShownChange[]): boolean {
  const left = [...changes];
  return edits.every(({ before, after }) => {
    const own = left.findIndex(({ oldText, newText }) => (oldText ?? '') === before && newText === after);
    if (own !== -1) left.splice(own, 1);
    return own !== -1;
  });
}

/**
 * Whether the edits, each at the only place of its text, make the new text out of the old one. They must not overlap, because a diff does
 * not show what a later edit replaces again.
 */
function isResult(edits: readonly Edit[], { oldText, newText }: ShownChange): boolean {
  const text = oldText ?? '';
  const placed = edits.map((edit) => ({ ...edit, at: edit.before === '' ? -1 : text.indexOf(edit.before) }));
  if (placed.some(({ before, at }) => at === -1 || text.includes(before, at + 1))) return false;
  let end = 0;
  let result = '';
  for (const { before, after, at } of placed.toSorted((one, other) => one.at - other.at)) {
    if (at < end) return false;
    result += text.slice(end, at) + after;
    end = at + before.length;
  }
  return result + text.slice(end) === newText;
}
