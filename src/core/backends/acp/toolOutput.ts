/**
 * What a command printed, and how it ended. ACP has no member for the end, so agents put it into the raw output of a tool call, each in its
 * own form.
 */
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

/** Whether the raw output says that the tool failed, although the agent may report that the call is completed. */
export function hasFailed(rawOutput: unknown): boolean {
  if (Array.isArray(rawOutput)) return rawOutput.some((part) => isFields(part) && hasFailed(part));
  return isFields(rawOutput) && (rawOutput['success'] === false || rawOutput['isError'] === true || rawOutput['is_error'] === true);
}

/** Returns the texts of a result of MCP, or of a list of results. */
export function resultIn(rawOutput: unknown): string | undefined {
  const parts = Array.isArray(rawOutput) ? rawOutput : isFields(rawOutput) ? rawOutput['content'] : undefined;
  if (!Array.isArray(parts)) return undefined;
  const texts = parts.flatMap((part) => {
    if (isFields(part) && typeof part['text'] === 'string') return [part['text']];
    return outputIn(part) ?? [];
  });
  return texts.join('\n') || undefined;
}

/** Returns what a command printed if only the raw output contains it, and otherwise why it failed. */
export function outputIn(rawOutput: unknown): string | undefined {
  if (typeof rawOutput === 'string') return rawOutput === '' ? undefined : rawOutput;
  const result = resultIn(rawOutput);
  if (!isFields(rawOutput) || result !== undefined) return result;
  const texts = (names: readonly string[]): readonly string[] =>
    names.flatMap((name) => {
      const text = rawOutput[name];
      return typeof text === 'string' && text !== '' ? [text] : [];
    });
  const printed = texts(['formatted_output', 'aggregated_output', 'output'])[0] ?? (texts(['stdout', 'stderr']).join('\n') || undefined);
  if (printed !== undefined) return printed;
  const [outcome = ''] = texts(['result']);
  const { error } = rawOutput;
  const errors = [...texts(['error']), ...(isFields(error) && typeof error['message'] === 'string' ? [error['message']] : [])].filter(
    (one) => !outcome.includes(one),
  );
  return [outcome, ...errors].filter((text) => text !== '').join('\n') || undefined;
}

function codeIn(value: unknown): number | undefined {
  if (!isFields(value)) return undefined;
  return codeMembers.map((name) => value[name]).find((code): code is number => typeof code === 'number' && Number.isInteger(code));
}

function wrapped(value: unknown): readonly unknown[] {
  return isFields(value) ? wrappers.flatMap((name) => value[name]) : [];
}
