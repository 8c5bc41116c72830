/** The messages to the agent service. Source: its protocol document of 2025-03-30. */

/** 0-based, in UTF-16 code units; the end is exclusive. */
export interface WirePosition {
  readonly line: number;
  readonly character: number;
}

export interface WireRange {
  readonly start: WirePosition;
  readonly end: WirePosition;
}

export interface TextContext {
  readonly filepath: string;
  readonly range: WireRange;
  readonly text: string;
}

export interface SymbolNode {
  readonly name: string;
  readonly kind: string;
  readonly range: WireRange;
  readonly children: readonly SymbolNode[];
}

export const languages = ['en', 'zh'] as const;
export type Language = (typeof languages)[number];

interface ForModel {
  readonly model: string;
}

interface OfSelection<T> extends ForModel {
  readonly language: Language;
  readonly selected_text: T;
}

/** Calls of the model, one at a time per connection. `stream` is not sent, because the service does not support it yet. */
export type Task =
  | ({ readonly cmd: 'exec_chat'; readonly msg: string } & ForModel)
  | ({ readonly cmd: 'exec_explain'; readonly visible_text: TextContext } & OfSelection<TextContext>)
  | ({ readonly cmd: 'exec_docstring' } & OfSelection<TextContext>)
  /** The document shows a text here, but an object in all other commands. */
  | ({ readonly cmd: 'exec_optimize' | 'exec_fix' } & OfSelection<string | TextContext>)
  | ({
      readonly cmd: 'exec_unittest_recommend';
      readonly language: Language;
      readonly file_content: string;
      readonly filepath: string;
      readonly func_name: string;
      readonly func_location: WireRange;
      readonly func_symbols: readonly SymbolNode[];
    } & ForModel)
  | ({
      readonly cmd: 'exec_unittest_code';
      readonly language: Language;
      /** The answer to `exec_unittest_recommend`. */
      readonly test_cases_str: string;
      readonly function_name: string;
      readonly file_path: string;
      readonly relevant_content: string;
      readonly reference_content: string;
    } & ForModel);

export type Command = { readonly cmd: 'list_model' } | Task;
