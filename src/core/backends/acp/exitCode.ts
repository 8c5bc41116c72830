/** Reads how a command ended. ACP has no member for it, so agents put it into the raw output of a tool call, each in its own form. */
import { isFields } from '../../base/fields.js';
import type { ToolExit } from '../../session/model.js';

const codeMembers = ['exitCode', 'exit_code', 'exit'] as const;
/** Members that wrap the raw output once more. */
const wrappers = ['metadata', 'contents', 'result', 'output'] as const;

/** @returns undefined if the raw output does not mention an exit */
export function exitIn(rawOutput: unknown): ToolExit | undefined {
  const code =
    codeIn(rawOutput) ??
    wrapped(rawOutput)
      .map(codeIn)
      .findLast((found) => found !== undefined);
  return code === undefined ? undefined : { code };
}

/** Returns what a command printed if only the raw output contains it. */
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
