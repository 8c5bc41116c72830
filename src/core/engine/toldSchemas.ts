/**
 * What an engine tells, parsed where it arrives: the engine may be of another version. The reducers leave out what they do not know inside of
 * an event.
 */
import * as z from 'zod/mini';
import { isFields } from '../base/fields.js';
import type { ConversationEvent } from '../conversation/events.js';
import { type ConversationState, emptyConversation } from '../conversation/state.js';
import type { EngineLogLine, EngineNotice, TrafficTold } from './contract.js';
import { readErrorData } from '../link/wire.js';
import { wholeSession } from '../session/reducer.js';
import type { Replicated } from './replica.js';

const revision = z.number();
const event = z.custom<{ readonly type: string }>((value) => isFields(value) && typeof value['type'] === 'string');
const told = z.discriminatedUnion('type', [
  z.object({ type: z.literal('snapshot'), state: z.looseObject({ revision }) }),
  z.object({ type: z.literal('batch'), after: revision, batch: z.object({ revision, events: z.array(event) }) }),
  z.object({ type: z.literal('closed') }),
]);

/**
 * The states and events are the engine's own: what a reducer cannot use is as good as missing.
 * @returns undefined for anything else
 */
export function parseReplicated<State, Event>(message: unknown): Replicated<State, Event> | undefined {
  return told.safeParse(message).success ? (message as Replicated<State, Event>) : undefined;
}

const parts = new Set<string>([...Object.keys(emptyConversation('', '')), 'session_shown', 'change_sets', 'asked']);

/** Like `parseReplicated`, without the parts of a conversation that this version does not know, and with those that the engine does not know. */
export function parseConversation(message: unknown): Replicated<ConversationState, ConversationEvent> | undefined {
  const replicated = parseReplicated<ConversationState, ConversationEvent>(message);
  if (replicated?.type === 'snapshot') {
    const state = Object.fromEntries(Object.entries(replicated.state).filter(([part]) => parts.has(part))) as ConversationState;
    return { type: 'snapshot', state: { ...state, ...(state.session && { session: wholeSession(state.session) }) } };
  }
  const isKnown = ({ type }: ConversationEvent): boolean => parts.has(type);
  if (replicated?.type !== 'batch' || replicated.batch.events.every(isKnown)) return replicated;
  const { after, batch } = replicated;
  return { type: 'batch', after, batch: { ...batch, events: batch.events.filter(isKnown) } };
}

const line: z.ZodMiniType<EngineLogLine> = z.object({
  level: z.catch(z.enum(['debug', 'info', 'warn', 'error']), 'info'),
  text: z.string(),
});
const traffic: z.ZodMiniType<TrafficTold> = z.object({ process: z.number() });
const notice = z.discriminatedUnion('type', [
  z.object({ type: z.literal('failed'), error: z.object({ code: z.string(), params: z.record(z.string(), z.unknown()) }) }),
  z.object({
    type: z.literal('removed'),
    removed: z.object({ conversations: z.number(), lastUsedAt: z.number(), totalBytes: z.number() }),
  }),
]);

export const parseLogLine = (message: unknown): EngineLogLine | undefined => line.safeParse(message).data;
export const parseTraffic = (message: unknown): TrafficTold | undefined => traffic.safeParse(message).data;

/** Reads the code of an error that this version does not know as `internal`. */
export function parseNotice(message: unknown): EngineNotice | undefined {
  const { data } = notice.safeParse(message);
  if (data?.type !== 'failed') return data;
  const error = readErrorData(data.error)?.toData();
  return error && { type: 'failed', error };
}
