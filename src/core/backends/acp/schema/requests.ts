/**
 * Parses the requests of an agent to its host. Source: ACP v1 (SDK 2.4.0). The question is not in ACP; its source is agentao 0.5.17, and
 * 0.4.20 has the same.
 */
import type { RequestPermissionResponse, ToolCallUpdate } from '@agentclientprotocol/sdk';
import { isAbsolute } from 'node:path';
import * as z from 'zod/mini';
import type { NewRequest } from '../../../services/hostServices.js';
import { ErrorCode, RpcError } from '../../../rpc/peer.js';
import { joinChoices } from '../../../session/joinedChoices.js';
import { type PermissionOption, permissionOptionKinds, selectedOption, type UserAnswer } from '../../../session/userRequest.js';
import { itemParser, listOf, meta, orDefault, orNull } from './lenient.js';
import { incoming } from './methods.js';
import { toolCallUpdate } from './toolCall.js';

/**
 * An unknown kind must not invalidate the request, because the agent would wait for its answer forever. The option is offered under the
 * agent's name for it, and the host never chooses it itself, neither to accept nor to refuse.
 */
const option: z.ZodMiniType<PermissionOption> = z.looseObject({
  optionId: z.string(),
  name: z.catch(z.string(), ''),
  kind: z.catch(z.enum(permissionOptionKinds), 'other'),
});

function parseOption(value: unknown): PermissionOption | undefined {
  const parsed = itemParser(option)(value);
  return parsed === undefined || parsed.name !== '' ? parsed : { ...parsed, name: parsed.optionId };
}

const permission = z.looseObject({
  sessionId: z.string(),
  toolCall: z.catch(toolCallUpdate, { toolCallId: '' }),
  options: z.catch(listOf(parseOption), []),
  _meta: meta,
});

export interface WirePermission {
  readonly sessionId: string;
  /** `toolCallId` is empty if the agent sent no valid tool call. */
  readonly toolCall: ToolCallUpdate;
  readonly options: readonly PermissionOption[];
  readonly _meta?: Readonly<Record<string, unknown>> | null;
}

export const parsePermissionRequest: (params: unknown) => WirePermission | undefined = itemParser<WirePermission>(permission);

export function permissionResult(answer: UserAnswer): RequestPermissionResponse {
  const optionId = selectedOption(answer);
  return optionId === undefined ? { outcome: { outcome: 'cancelled' } } : { outcome: { outcome: 'selected', optionId } };
}

/** @returns a parser that throws an RpcError with the names of the members that are missing or invalid */
function paramsParser<T>(what: string, schema: z.ZodMiniType<T>): (params: unknown) => T {
  return (params) => {
    const result = schema.safeParse(params);
    if (result.success) return result.data;
    const names = new Set(result.error.issues.map(({ path: [name = 'object as its params'] }) => String(name)));
    throw new RpcError(ErrorCode.invalidParams, `${what} needs a valid ${[...names].join(', ')}`);
  };
}

/** Source: ACP v1, `ReadTextFileRequest`: lines count from 1. */
export const parseReadTextFile = paramsParser(
  incoming.readTextFile,
  z.looseObject({ sessionId: z.string(), path: z.string(), line: count(), limit: count() }),
);

export const parseWriteTextFile = paramsParser(
  incoming.writeTextFile,
  z.looseObject({ sessionId: z.string(), path: z.string(), content: z.string() }),
);

/** No program can get a NUL. */
const word = z.string().check(z.refine((text) => !text.includes('\0')));
const variable = itemParser(z.looseObject({ name: z.string().check(z.regex(/^[^=\0]+$/)), value: word }));

/** Source: ACP v1, `CreateTerminalRequest`. A folder that is not absolute is invalid. */
export const parseCreateTerminal = paramsParser(
  incoming.createTerminal,
  z.pipe(
    z.looseObject({
      sessionId: z.string(),
      command: word,
      args: nullAsAbsent(z.array(word)),
      env: nullAsAbsent(listOf(variable)),
      cwd: nullAsAbsent(word.check(z.refine(isAbsolute))),
      outputByteLimit: count(),
    }),
    z.transform(({ args, env, ...rest }) => ({
      ...rest,
      args: args ?? [],
      env: Object.fromEntries((env ?? []).map(({ name, value }) => [name, value])),
    })),
  ),
);

export const parseTerminalId = paramsParser('A terminal', z.looseObject({ sessionId: z.string(), terminalId: z.string() }));

function nullAsAbsent<T>(schema: z.ZodMiniType<T>) {
  return z.pipe(
    z.optional(z.nullable(schema)),
    z.transform((value): T | undefined => value ?? undefined),
  );
}

/** An invalid number is not taken for an absent one: the agent would get something else than it asked for. */
function count() {
  return nullAsAbsent(z.number().check(z.int(), z.nonnegative()));
}

const question = z.looseObject({
  sessionId: z.string(),
  question: z.catch(z.string(), ''),
  header: orNull(z.string()),
  options: orNull(listOf((item) => (typeof item === 'string' ? item : undefined))),
  multiple: orDefault(z.boolean(), false),
  allowCustom: orDefault(z.boolean(), true),
});

export interface AskUserRequest {
  readonly sessionId: string;
  readonly question: string;
  readonly header?: string | null;
  readonly options?: readonly string[] | null;
  readonly multiple?: boolean;
  readonly allowCustom?: boolean;
}

export const parseAskUserRequest: (params: unknown) => AskUserRequest | undefined = itemParser<AskUserRequest>(question);

const answerField = 'answer';

/** Returns a form with one field; free text if there is no list to choose from. */
export function askUserForm({ sessionId, question: message, header, options, multiple, allowCustom }: AskUserRequest): NewRequest {
  const field = { name: answerField, required: true } as const;
  const choices = (options ?? []).map((value) => ({ value, label: value }));
  return {
    kind: 'form',
    sessionId,
    ...(header == null ? {} : { title: header }),
    message,
    fields: [
      choices.length === 0
        ? { ...field, type: 'text', multiline: true }
        : { ...field, type: multiple === true ? 'multiselect' : 'select', choices, allowCustom: allowCustom ?? true },
    ],
  };
}

/**
 * The result is flat and always has an outcome, because agentao takes any other form for "(user unavailable)". Several answers become one
 * text.
 */
export function askUserResult(
  answer: UserAnswer,
): { readonly outcome: 'answered'; readonly text: string } | { readonly outcome: 'cancelled' } {
  const value = answer.type === 'accept' ? answer.values[answerField] : undefined;
  if (value === undefined) return { outcome: 'cancelled' };
  return { outcome: 'answered', text: typeof value === 'object' ? joinChoices(value) : String(value) };
}
