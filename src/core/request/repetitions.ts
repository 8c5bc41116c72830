import { isFields } from '../base/fields.js';
import type { RequestPart } from './description.js';
import { areEditsShown } from './editLists.js';

type DiffPart = Extract<RequestPart, { type: 'diff' }>;
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
