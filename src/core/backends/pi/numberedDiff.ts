/**
 * Reads what an edit changed from the result of omp and xcsh: a line consists of `+`, `-` or a space, its number, `|` and its text. Source:
 * omp 14.9.9.
 */
import * as z from 'zod/mini';
import type { ToolCallContent } from '../../session/model.js';

type Diff = Extract<ToolCallContent, { type: 'diff' }>;

const detailsSchema = z.object({
  diff: z.string(),
  perFileResults: z.optional(z.array(z.object({ path: z.string(), diff: z.string() }))),
});
const shape = /^([ +-])(\d{1,9})\|([^]*)$/;

/**
 * @param path the file, if the result is about one file and names none
 * @param absolute resolves a path in the result
 * @returns one diff per changed place; none if any line has a different format
 */
export function diffsInResult(details: unknown, path: string | undefined, absolute: (path: string) => string): readonly Diff[] {
  const found = detailsSchema.safeParse(details).data;
  if (found === undefined) return [];
  if (found.perFileResults !== undefined) return found.perFileResults.flatMap((one) => places(one.diff, absolute(one.path)));
  return path === undefined ? [] : places(found.diff, path);
}

function places(text: string, path: string): readonly Diff[] {
  if (text === '') return [];
  const diffs: Diff[] = [];
  let [before, after]: [string, string] = ['', ''];
  const end = (): void => {
    if (before !== after) diffs.push({ type: 'diff', path, oldText: before, newText: after });
    [before, after] = ['', ''];
  };
  for (const line of text.split('\n')) {
    const [, sign, , words] = shape.exec(line) ?? [];
    if (sign === undefined) return [];
    // Stands for unchanged lines that are left out. A real line with this text also splits the diff, and only that line is lost.
    if (sign === ' ' && words === '...') {
      end();
      continue;
    }
    if (sign !== '+') before += `${words}\n`;
    if (sign !== '-') after += `${words}\n`;
  }
  end();
  return diffs;
}
