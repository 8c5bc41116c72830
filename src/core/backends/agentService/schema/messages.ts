/**
 * The messages to the agent service, its answers and its questions. Source: its protocol document of 2025-03-30; for the questions, whose form it does not
 * specify, ide_services of devchat-vscode (fb7e8c1).
 */
import * as z from 'zod/mini';
import { failureText } from '../../agentInput.js';

/** 0-based, in UTF-16 code units; the end is exclusive. */
interface WirePosition {
  readonly line: number;
  readonly character: number;
}

interface WireRange {
  readonly start: WirePosition;
  readonly end: WirePosition;
}

export interface TextContext {
  readonly filepath: string;
  readonly range: WireRange;
  readonly text: string;
}

interface SymbolNode {
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

const idSchema = z.union([z.number(), z.string()]);
const replySchema = z.looseObject({
  request_id: idSchema,
  models: z.catch(z.optional(z.array(z.unknown())), undefined),
  msg: z.optional(z.unknown()),
  error: z.optional(z.unknown()),
  success: z.optional(z.unknown()),
});
/** Accepts the members of the document and no others. */
const plainReplySchema = z.strictObject({
  request_id: idSchema,
  models: z.optional(z.array(z.string())),
  msg: z.optional(z.nullable(z.string())),
  error: z.optional(z.nullable(z.string())),
  stream_seq_id: z.optional(z.unknown()),
  stream_finish: z.optional(z.unknown()),
});
const questionSchema = z.looseObject({
  request_id: z.optional(idSchema),
  cmd: z.optional(z.string()),
  path: z.optional(z.string()),
  method: z.optional(z.string()),
  params: z.optional(z.record(z.string(), z.unknown())),
});

const ideServices = ['get_document_symbols', 'find_def_locations', 'find_type_def_locations'] as const;
type IdeService = (typeof ideServices)[number];

/** An answer without an error is a success, even if it says that a stream is unfinished, because no stream was requested. */
export type Reply = { readonly id: string } & (
  | { readonly error: string }
  | { readonly models: readonly string[] }
  | { readonly text: string }
);

/** A question of the service to its plugin. The service expects the answer under this id. */
export interface Question {
  readonly id: string | number | undefined;
  readonly service: IdeService;
  readonly params: Readonly<Record<string, unknown>>;
}

/**
 * @returns undefined for anything that is not an answer: a frame with the id of a request may also tell something that the document does
 * not know, such as progress
 */
export function parseReply(value: unknown): Reply | undefined {
  const { data } = replySchema.safeParse(value);
  if (data === undefined) return undefined;
  const { models, msg, error, success } = data;
  const id = String(data.request_id);
  const failure = failureText(error) ?? (success === false ? (failureText(data['message'] ?? msg) ?? 'success: false') : undefined);
  if (failure !== undefined) return { id, error: failure };
  if (models !== undefined) return { id, models: models.filter((model) => typeof model === 'string') };
  if (msg == null) return plainReplySchema.safeParse(value).success ? { id, text: '' } : undefined;
  return { id, text: typeof msg === 'string' ? msg : JSON.stringify(msg) };
}

/** Whether the value can only be an answer: it has the right shape and contains something. */
export function isPlainReply(value: unknown): boolean {
  const { data } = plainReplySchema.safeParse(value);
  return data !== undefined && [data.models, data.msg, data.error].some((said) => said != null);
}

/** @returns undefined for anything that is not a known question */
export function parseQuestion(value: unknown): Question | undefined {
  const { data } = questionSchema.safeParse(value);
  if (data === undefined) return undefined;
  const { request_id: id, cmd, path, method, params, ...others } = data;
  const names = [cmd, path, method].map((name) => name?.replace(/^\//, ''));
  const service = ideServices.find((known) => names.includes(known));
  return service === undefined ? undefined : { id, service, params: params ?? others };
}
