/** Maps tasks on code to the commands of the service. */
import { fileURLToPath } from 'node:url';
import * as z from 'zod/mini';
import { HostError } from '../../base/errors.js';
import { parseJson } from '../../base/parseJson.js';
import { shortPath } from '../../base/paths.js';
import { type CodeSymbol, type CodeTask, functionNameOf, wholeRange } from '../../session/codeTask.js';
import type { Language, Task, TextContext } from './schema/messages.js';

export interface TaskSettings {
  /** The session's folder. */
  readonly cwd: string;
  readonly model: string;
  readonly language: Language;
  /** Whether optimize and fix get the selection as text, as the document shows it. */
  readonly selectedAsText: boolean;
}

const positionSchema = z.object({ line: z.number(), character: z.number() });
const rangeSchema = z.object({ start: positionSchema, end: positionSchema });
const symbolSchema: z.ZodMiniType<CodeSymbol> = z.object({
  name: z.string(),
  kind: z.string(),
  range: rangeSchema,
  get children() {
    return z.array(symbolSchema);
  },
});

/**
 * @param json from an editor
 * @returns undefined for anything that is not a list of symbols
 */
export function parseSymbols(json: string): readonly CodeSymbol[] | undefined {
  return z.array(symbolSchema).safeParse(parseJson(json)).data;
}

/** @throws HostError `usage` for a unit test if no function is found */
export function firstStep(task: CodeTask, settings: TaskSettings): Task {
  const { model, language } = settings;
  const file = shortPath(settings.cwd, fileURLToPath(task.uri));
  const context = ({ range, text }: CodeTask['selected']): TextContext => ({ filepath: file, range, text });
  const selected = context(task.selected);
  switch (task.kind) {
    case 'explain': {
      const { visible, whole } = task;
      const shown = visible ?? (whole === undefined ? task.selected : { range: wholeRange(whole), text: whole });
      return { cmd: 'exec_explain', language, selected_text: selected, visible_text: context(shown), model };
    }
    case 'docstring':
      return { cmd: 'exec_docstring', language, selected_text: selected, model };
    case 'optimize':
    case 'fix':
      return { cmd: `exec_${task.kind}`, language, selected_text: settings.selectedAsText ? task.selected.text : selected, model };
    case 'unittest':
      return {
        cmd: 'exec_unittest_recommend',
        language,
        file_content: task.whole ?? task.selected.text,
        filepath: file,
        func_name: nameOf(task),
        func_location: task.selected.range,
        func_symbols: task.symbols ?? [],
        model,
      };
  }
}

/**
 * @param answer the answer to the first step
 * @returns undefined if one step is enough
 */
export function secondStep(task: CodeTask, settings: TaskSettings, answer: string): Task | undefined {
  if (task.kind !== 'unittest') return undefined;
  const { model, language, cwd } = settings;
  return {
    cmd: 'exec_unittest_code',
    language,
    test_cases_str: answer,
    function_name: nameOf(task),
    file_path: shortPath(cwd, fileURLToPath(task.uri)),
    relevant_content: task.selected.text,
    reference_content: task.whole ?? '',
    model,
  };
}

function nameOf(task: CodeTask): string {
  const name = functionNameOf(task);
  if (name === undefined) throw new HostError('usage', { reason: 'function_unknown' });
  return name;
}
