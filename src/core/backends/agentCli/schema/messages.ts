/**
 * The messages to Agent-CLI, and its answers, which are parsed liberally: the names of the document and of the program, pieces as text and as
 * a list. Source: docs/remote_protocol.md of agent-cli at 4a832d7, and its source at
 * 392ac0a. The document has no name for `stream` of a request, and for the member of one piece.
 */
import * as z from 'zod/mini';
import { failureText } from '../../agentInput.js';
import { isFields } from '../../../base/fields.js';
import { parseJson } from '../../../base/parseJson.js';
import type { TurnUsage } from '../../../session/model.js';

const usageSchema = z.catch(
  z.nullish(z.object({ prompt_tokens: z.number(), completion_tokens: z.number(), total_tokens: z.number() })),
  undefined,
);
const frameSchema = z.object({
  request_id: z.union([z.string(), z.number()]),
  response: z.optional(z.unknown()),
  error: z.optional(z.unknown()),
  token_usage: usageSchema,
});
const completeSchema = z.object({ token_usage: usageSchema, interrupted: z._default(z.boolean(), false) });
const callSchema = z.object({ name: z.string(), arguments: z.optional(z.unknown()), description: z.nullish(z.string()) });
const resultSchema = z.object({ name: z.string(), result: z.optional(z.unknown()) });
const turnsSchema = z.object({ current_turns: z.number(), max_turns: z.number(), reason: z.nullish(z.string()) });
const piecesSchema = z.union([z.string(), z.array(z.string())]);
const toolErrorSchema = z.object({
  type: z.literal('tool_execution_error'),
  message: z.string(),
  details: z.optional(z.object({ tool: z.optional(z.string()), error: z.optional(z.string()) })),
});
const commandsSchema = z.object({ commands: z.array(z.object({ name: z.string(), description: z._default(z.string(), '') })) });

/** The id in the answer to a message that the server could not read. */
export const unreadableId = 'parse_error';

export type Part =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'piece'; readonly text: string }
  | { readonly type: 'complete'; readonly interrupted: boolean; readonly usage: TurnUsage | undefined }
  | { readonly type: 'call'; readonly name: string; readonly args: unknown }
  | { readonly type: 'result'; readonly name: string; readonly result: unknown; readonly isFailure: boolean }
  | { readonly type: 'confirm_call'; readonly name: string; readonly args: unknown; readonly description: string | undefined }
  | { readonly type: 'confirm_turns'; readonly current: number; readonly max: number; readonly reason: string | undefined }
  /** A part of an unknown kind or of the wrong shape. */
  | { readonly type: 'unknown'; readonly name: string };

export interface ServerError {
  /** In the server's own words. */
  readonly message: string;
  /** Present if the error is about a tool: its name, and what went wrong. */
  readonly tool?: { readonly name: string | undefined; readonly error: string };
}

export interface Frame {
  readonly id: string;
  readonly parts: readonly Part[];
  readonly error: ServerError | undefined;
  readonly usage: TurnUsage | undefined;
}

/** @returns undefined for anything that is not an answer of this protocol */
export function parseFrame(value: unknown): Frame | undefined {
  const { success, data } = frameSchema.safeParse(value);
  if (!success) return undefined;
  const failure = failureText(data.error);
  const error = failure === undefined ? undefined : toError(failure);
  return { id: String(data.request_id), parts: partsOf(data.response), error, usage: toUsage(data.token_usage) };
}

/**
 * @param text the answer to `GetCommands`, which is JSON inside JSON
 * @returns undefined if it is not
 */
export function parseCommands(text: string): z.output<typeof commandsSchema>['commands'] | undefined {
  return commandsSchema.safeParse(parseJson(text)).data?.commands;
}

function partsOf(response: unknown): readonly Part[] {
  if (typeof response === 'string') return [{ type: 'unknown', name: response }];
  if (typeof response !== 'object' || response === null) return [];
  return Object.entries(response).flatMap(([name, payload]) => partOf(name, payload));
}

function partOf(name: string, payload: unknown): readonly Part[] {
  const unknown: readonly Part[] = [{ type: 'unknown', name }];
  switch (name) {
    case 'Text':
      // It ends the turn, whether or not it says anything.
      return typeof payload === 'string' || payload === null ? [{ type: 'text', text: payload ?? '' }] : unknown;
    case 'Stream':
    case '': {
      const { data } = piecesSchema.safeParse(payload);
      return data === undefined ? unknown : [{ type: 'piece', text: typeof data === 'string' ? data : data.join('') }];
    }
    case 'Complete':
    case 'StreamComplete': {
      // Only the completion matters, whatever else the part contains.
      const { data } = completeSchema.safeParse(payload);
      return [{ type: 'complete', interrupted: data?.interrupted ?? false, usage: toUsage(data?.token_usage) }];
    }
    case 'ToolCall': {
      const { data } = callSchema.safeParse(payload);
      return data === undefined ? unknown : [{ type: 'call', name: data.name, args: data.arguments }];
    }
    case 'ToolResult': {
      const { data } = resultSchema.safeParse(payload);
      if (data === undefined) return unknown;
      return [{ type: 'result', name: data.name, result: data.result, isFailure: isFailure(data.result) }];
    }
    case 'ToolConfirmationRequest': {
      const { data } = callSchema.safeParse(payload);
      if (data === undefined) return unknown;
      return [{ type: 'confirm_call', name: data.name, args: data.arguments, description: data.description ?? undefined }];
    }
    case 'TurnConfirmationRequest': {
      const { data } = turnsSchema.safeParse(payload);
      if (data === undefined) return unknown;
      return [{ type: 'confirm_turns', current: data.current_turns, max: data.max_turns, reason: data.reason ?? undefined }];
    }
    case 'Multi':
      return Array.isArray(payload) ? payload.flatMap(partsOf) : unknown;
    default:
      return unknown;
  }
}

/** The protocol has no member for it. Results of tools say it as MCP does, or with `success`. */
function isFailure(result: unknown): boolean {
  return isFields(result) && (result['success'] === false || result['isError'] === true || failureText(result['error']) !== undefined);
}

function toUsage(usage: z.output<typeof usageSchema>): TurnUsage | undefined {
  if (usage == null) return undefined;
  return { inputTokens: usage.prompt_tokens, outputTokens: usage.completion_tokens, totalTokens: usage.total_tokens };
}

/** @param text a sentence, or JSON that says which tool failed */
function toError(text: string): ServerError {
  const { data } = toolErrorSchema.safeParse(parseJson(text));
  if (data === undefined) return { message: text };
  const { message, details } = data;
  const error = details?.error ?? message;
  return { message: details?.error === undefined ? message : `${message}: ${error}`, tool: { name: details?.tool, error } };
}

export type Input =
  | { readonly Text: string }
  | { readonly Image: { readonly data: string; readonly mime_type: string } }
  | { readonly File: { readonly filename: string; readonly content_type: string; readonly data: string } }
  | { readonly Multi: readonly Input[] }
  | { readonly Instruction: { readonly command: string; readonly parameters: unknown } }
  | {
      readonly ToolConfirmationResponse: {
        readonly name: string;
        readonly arguments: unknown;
        readonly approved: boolean;
        readonly reason?: string;
      };
    }
  | { readonly TurnConfirmationResponse: { readonly confirmed: boolean; readonly reason?: string } }
  | 'GetCommands'
  | 'Interrupt'
  | 'Regenerate'
  | 'ClearContext';

/** Overrides the server's own configuration; a server that does not support a member ignores it. */
export interface RequestConfig {
  readonly ask_before_tool_execution?: boolean;
  readonly max_tokens?: number;
  readonly max_context_num?: number;
  readonly prompt?: string;
}

export interface Request {
  readonly request_id: string;
  readonly input: Input;
  readonly config?: RequestConfig;
  readonly stream: boolean;
  readonly use_tools: boolean;
}

export function inputName(input: unknown): string | undefined {
  if (typeof input === 'string') return input;
  return typeof input === 'object' && input !== null ? Object.keys(input)[0] : undefined;
}
