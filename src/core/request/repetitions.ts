import { isFields } from '../base/fields.js';
import type { DiffPart, RequestPart } from './description.js';

type Change = DiffPart['change'];

/** The search for an argument reads each diff. A request with more arguments than this shows all of them. */
const mostArguments = 16;

/**
 * Removes an argument, a path or a text of the agent that another part already contains.
 * @param rawInput has the values of the arguments
 */
export function withoutRepetitions(parts: readonly RequestPart[], rawInput: unknown): readonly RequestPart[] {
  const diffs = parts.filter((part) => part.type === 'diff');
  const commands = new Set(parts.flatMap((part) => (part.type === 'command' ? [part.text] : [])));
  const diffPaths = new Set(diffs.flatMap(({ path, label }) => [path, label]));
  const changes = diffs.map(({ change }) => change);
  const repeated = repeatedTexts(parts, diffs);
  const repeatsDiffs = (name: string): boolean => isFields(rawInput) && areEditsShown(rawInput[name], changes);
  return parts.filter((part) => {
    switch (part.type) {
      case 'path':
        return !diffPaths.has(part.path) && !diffPaths.has(part.label);
      case 'argument':
        return !repeated.has(part.text) && !repeatsDiffs(part.name);
      case 'text':
        return !commands.has(part.text) && !commands.has(bare(part.text));
      default:
        return true;
    }
  });
}

/** Returns the texts of arguments that a diff also shows. If two arguments have the same text, both remain: the diff may mean either. */
function repeatedTexts(parts: readonly RequestPart[], diffs: readonly DiffPart[]): ReadonlySet<string> {
  const all = parts.flatMap((part) => (part.type === 'argument' ? [part.text] : []));
  if (all.length > mostArguments) return new Set();
  const texts = new Set(all.filter((text) => all.indexOf(text) === all.lastIndexOf(text)));
  return new Set(
    diffs.flatMap(({ change }) =>
      [...texts].flatMap((text) => {
        if (isWhole(text, change)) return [text];
        const other = replacementOf(text, change);
        return other !== undefined && texts.has(other) ? [text, other] : [];
      }),
    ),
  );
}

/**
 * Returns the text that replaces `text` in the diff of a whole file, either once or at every occurrence. Undefined if the diff changes
 * anything else.
 */
function replacementOf(text: string, { oldText, newText }: Change): string | undefined {
  if (text === '' || oldText == null || oldText === newText) return undefined;
  const [before = '', ...rest] = oldText.split(text);
  if (rest.length === 0) return undefined;
  return [1, rest.length]
    .map((count) => newText.slice(before.length, before.length + text.length + (newText.length - oldText.length) / count))
    .find((other) => oldText.replace(text, () => other) === newText || oldText.replaceAll(text, () => other) === newText);
}

function isWhole(text: string, { oldText, newText }: Change): boolean {
  return isSameText(newText, text) || isSameText(oldText ?? '', text);
}

/** Ignores the line feed that an agent may add at the end of a file. */
function isSameText(one: string, other: string): boolean {
  return one.trim() !== '' && one.trimEnd() === other.trimEnd();
}

/** Returns the text without a code fence or backquotes around it. A fence that says more than a language stays. */
function bare(text: string): string {
  const trimmed = text.trim();
  const [, fence = ''] = /^(`{3,})[\w+-]*\n/.exec(trimmed) ?? [];
  const isFenced = fence !== '' && trimmed.endsWith(`\n${fence}`) && trimmed.length > 2 * fence.length + 1;
  if (isFenced) return trimmed.slice(trimmed.indexOf('\n') + 1, -fence.length).trim();
  return (/^`([^`]*)`$/.exec(trimmed)?.[1] ?? trimmed).trim();
}

/** A list of edits in the input of a tool call, and whether diffs show each of them. */
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
function areEditsShown(value: unknown, changes: readonly ShownChange[]): boolean {
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
