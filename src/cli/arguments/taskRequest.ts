/** The options of a task on a part of a file. */
import { codeTaskKinds, type OptionWish, type TextPosition } from '../../core/index.js';
import type { TaskRequest } from './request.js';
import { usageError } from './usageError.js';

export const taskOptions = {
  task: { type: 'string' },
  file: { type: 'string' },
  range: { type: 'string' },
  language: { type: 'string' },
  'selected-text-as': { type: 'string' },
} as const;

type TaskValues = { readonly [K in keyof typeof taskOptions]?: string | undefined };

/**
 * Returns undefined if no task is specified.
 * @throws HostError `usage`
 */
export function taskRequest(values: TaskValues, prompt: string): TaskRequest | undefined {
  const { task, file, range, language, 'selected-text-as': selectedTextAs } = values;
  if (task === undefined) {
    const [needless] =
      Object.entries({ file, range, language, 'selected-text-as': selectedTextAs }).find(([, value]) => value !== undefined) ?? [];
    if (needless !== undefined) throw usageError(`--${needless} requires --task`);
    return undefined;
  }
  const kind = codeTaskKinds.find((known) => known === task);
  if (kind === undefined) throw usageError(`--task must be one of ${codeTaskKinds.join(', ')}, not "${task}"`);
  if (prompt.trim() !== '') throw usageError('--task takes no prompt');
  if (file === undefined || range === undefined) throw usageError('--task requires --file and --range');
  const [, startLine, startColumn, endLine, endColumn] = /^L?(\d+):(\d+)-L?(\d+):(\d+)$/.exec(range) ?? [];
  const start = position(startLine, startColumn);
  const end = position(endLine, endColumn);
  const isBackward = start === undefined || end === undefined || end.line < start.line;
  if (isBackward || (end.line === start.line && end.character <= start.character))
    throw usageError(`--range must be L1:C1-L2:C2, both from 1 and the end exclusive, not "${range}"`);
  return { kind, file, range: { start, end } };
}

/**
 * Returns the options that the task sets in the session.
 * @throws HostError `usage`
 */
export function taskOptionWishes({ language, 'selected-text-as': selectedTextAs }: TaskValues): readonly OptionWish[] {
  return [...wish('language', language, ['en', 'zh']), ...wish('selected-text-as', selectedTextAs, ['string', 'object'], 'selected_text')];
}

function wish(name: string, value: string | undefined, known: readonly string[], id = name): readonly OptionWish[] {
  if (value === undefined) return [];
  if (!known.includes(value)) throw usageError(`--${name} must be one of ${known.join(', ')}, not "${value}"`);
  return [{ id, value }];
}

function position(line: string | undefined, column: string | undefined): TextPosition | undefined {
  const place = { line: Number(line) - 1, character: Number(column) - 1 };
  return place.line >= 0 && place.character >= 0 ? place : undefined;
}
