/** What an agent asks of its host. Source: ACP v1 (SDK 2.4.0); the question, which ACP has not: agentao 0.5.17, shared by 0.4.20. */
import type { RequestPermissionResponse, ToolCallUpdate } from '@agentclientprotocol/sdk';
import * as z from 'zod/mini';
import type { NewRequest } from '../../../services/hostServices.js';
import { joinChoices } from '../../../session/joinedChoices.js';
import { type PermissionOption, permissionOptionKinds, selectedOption, type UserAnswer } from '../../../session/userRequest.js';
import { itemParser, listOf, meta, orDefault, orNull } from './lenient.js';
import { toolCallUpdate } from './toolCall.js';

/**
 * An unknown kind must not cost the request: the agent waits for its answer for ever. The option stays on offer under the agent's own name, and the
 * host never chooses it, neither for consent nor for a no.
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
  /** `toolCallId` is empty where the agent sent none that can be read. */
  readonly toolCall: ToolCallUpdate;
  readonly options: readonly PermissionOption[];
  readonly _meta?: Readonly<Record<string, unknown>> | null;
}

export const parsePermissionRequest: (params: unknown) => WirePermission | undefined = itemParser<WirePermission>(permission);

export function permissionResult(answer: UserAnswer): RequestPermissionResponse {
  const optionId = selectedOption(answer);
  return optionId === undefined ? { outcome: { outcome: 'cancelled' } } : { outcome: { outcome: 'selected', optionId } };
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

/** A form of one field; without a list to choose from, free text. */
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

/** Flat, and always with an outcome: agentao takes every other form for "(user unavailable)". Several answers are one text. */
export function askUserResult(
  answer: UserAnswer,
): { readonly outcome: 'answered'; readonly text: string } | { readonly outcome: 'cancelled' } {
  const value = answer.type === 'accept' ? answer.values[answerField] : undefined;
  if (value === undefined) return { outcome: 'cancelled' };
  return { outcome: 'answered', text: typeof value === 'object' ? joinChoices(value) : String(value) };
}
