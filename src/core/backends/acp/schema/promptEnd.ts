/** Parses the answer to `session/prompt`: what ended a turn. Source: ACP v1, `PromptResponse` of schema/v1/schema.json (SDK 2.4.0). */
import type { StopReason } from '@agentclientprotocol/sdk';
import * as z from 'zod/mini';
import { isFields } from '../../../base/fields.js';
import type { Meta, TurnUsage } from '../../../session/model.js';
import { codeOf, type FailureCode, remediesOf, type Remedy, sessionFailureIn } from './air.js';

export const stopReasons = ['end_turn', 'max_tokens', 'max_turn_requests', 'refusal', 'cancelled'] as const satisfies readonly StopReason[];

/** Other spellings, without punctuation and in lower case. Anything else is not known to be a success. */
const spellings: ReadonlyMap<string, StopReason> = new Map([
  ...stopReasons.map((reason) => [plain(reason), reason] as const),
  ...['stop', 'stopped', 'complete', 'completed', 'done', 'success', 'endofturn'].map((word) => [word, 'end_turn'] as const),
  ...['canceled', 'aborted', 'interrupted'].map((word) => [word, 'cancelled'] as const),
]);

/** Members in which agents tell that a turn failed, in the answer or in its `_meta`, perhaps behind a prefix with their own name. */
const failureMembers: ReadonlySet<string> = new Set(['error', 'errormessage', 'errordetail', 'errordetails', 'failure', 'failurereason']);

const tokens = z.number().check(z.nonnegative());
const someTokens = z.catch(z.optional(tokens), undefined);
/** ACP, unstable: the tokens of a turn. Invalid numbers are left out. */
const turnUsage = z.catch(
  z.optional(
    z.pipe(
      z.object({
        totalTokens: tokens,
        inputTokens: tokens,
        outputTokens: tokens,
        thoughtTokens: someTokens,
        cachedReadTokens: someTokens,
        cachedWriteTokens: someTokens,
      }),
      z.transform(({ totalTokens, inputTokens, outputTokens, ...some }): TurnUsage => {
        const known = Object.entries(some).filter(([, count]) => count !== undefined);
        return { totalTokens, inputTokens, outputTokens, ...Object.fromEntries(known) };
      }),
    ),
  ),
  undefined,
);

/** How a turn ended: `told` is what the agent said about a failure, in any shape. */
export type PromptEnd =
  | {
      readonly type: 'ended';
      readonly stopReason: StopReason;
      readonly usage: TurnUsage | undefined;
      readonly meta?: Meta;
      readonly problem?: string;
    }
  | {
      readonly type: 'failed';
      readonly stopReason: string;
      readonly told: unknown;
      readonly code?: FailureCode;
      readonly remedies?: readonly Remedy[];
    };

/** An answer without a stop reason counts as a regular end, because pages of the specification show an empty one; `problem` is for the log. */
export const promptResult = z.pipe(
  z.looseObject({ stopReason: z.optional(z.unknown()), usage: turnUsage }),
  z.transform((result): PromptEnd => {
    const { stopReason: reported, usage, _meta: meta } = result;
    const stopReason = typeof reported === 'string' ? spellings.get(plain(reported)) : 'end_turn';
    const failure = stopReason === 'cancelled' ? undefined : sessionFailureIn(meta);
    if (failure?.severity === 'error') {
      const { title, details } = failure;
      const code = codeOf(failure);
      const told = { message: details == null ? title : `${title}\n${details}` };
      const remedies = remediesOf(failure);
      return { type: 'failed', stopReason: String(reported), told, ...(code && { code }), ...(remedies && { remedies }) };
    }
    const told = stopReason === 'cancelled' ? undefined : (failureIn(result) ?? failureIn(meta) ?? failureBelow(meta));
    if (stopReason === undefined || told !== undefined) return { type: 'failed', stopReason: String(reported), told };
    const problem = typeof reported === 'string' ? {} : { problem: 'the end of a turn has no `stopReason`' };
    return { type: 'ended', stopReason, usage, ...(isFields(meta) && { meta }), ...problem };
  }),
);

function failureIn(value: unknown): unknown {
  if (!isFields(value)) return undefined;
  return Object.entries(value).find(
    ([name, told]) =>
      failureMembers.has(plain(name.split(/[./]/).at(-1) ?? '')) && (isFields(told) || typeof told === 'string') && !isEmpty(told),
  )?.[1];
}

/** Agents put their own data below a name of their own. */
function failureBelow(meta: unknown): unknown {
  if (!isFields(meta)) return undefined;
  return Object.values(meta)
    .map(failureIn)
    .find((told) => told !== undefined);
}

function isEmpty(told: object | string): boolean {
  return typeof told === 'string' ? told.trim() === '' : Object.values(told).every((value) => value == null || value === '');
}

function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z]/g, '');
}
