/** What an edit changed, as the result of omp and xcsh tells it: a line is `+`, `-` or a space, its number, `|` and its text. Source: omp 14.9.9. */
import * as z from 'zod/mini';
import type { ToolCallContent } from '../../session/model.js';

type Diff = Extract<ToolCallContent, { type: 'diff' }>;

const detailsSchema = z.object({
  diff: z.string(),
  perFileResults: z.optional(z.array(z.object({ path: z.string(), diff: z.string() }))),
});
const shape = /^([ +-])(\d{1,9})\|([^]*)$/;

/** @param path where the result is about one file and names none @param absolute of a path that the result names @returns one diff for each place that changed; none where a line is no such line */
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
    // Unchanged lines were left out here. A line that is really so divides the diff, and nothing of it is lost but itself.
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
