/** How a command ended. ACP has no place for it, so agents put it into a tool call's raw output, each in its own form. */
import { isFields } from '../../base/fields.js';
import type { ToolExit } from '../../session/model.js';

const codeMembers = ['exitCode', 'exit_code', 'exit'] as const;
/** Where raw output is wrapped once more. */
const wrappers = ['metadata', 'contents', 'result', 'output'] as const;

/** @returns undefined where it says nothing of an exit */
export function exitIn(rawOutput: unknown): ToolExit | undefined {
  const code =
    codeIn(rawOutput) ??
    wrapped(rawOutput)
      .map(codeIn)
      .findLast((found) => found !== undefined);
  return code === undefined ? undefined : { code };
}

/** What a command printed, where the raw output alone has it. */
export function outputIn(rawOutput: unknown): string | undefined {
  if (typeof rawOutput === 'string') return rawOutput === '' ? undefined : rawOutput;
  if (!isFields(rawOutput)) return undefined;
  const texts = (names: readonly string[]): readonly string[] =>
    names.flatMap((name) => {
      const text = rawOutput[name];
      return typeof text === 'string' && text !== '' ? [text] : [];
    });
  return texts(['formatted_output', 'aggregated_output', 'output'])[0] ?? (texts(['stdout', 'stderr']).join('\n') || undefined);
}

function codeIn(value: unknown): number | undefined {
  if (!isFields(value)) return undefined;
  return codeMembers.map((name) => value[name]).find((code): code is number => typeof code === 'number' && Number.isInteger(code));
}

function wrapped(value: unknown): readonly unknown[] {
  return isFields(value) ? wrappers.flatMap((name) => value[name]) : [];
}
