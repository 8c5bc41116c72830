/**
 * Every message between the extension and the page of the traffic inspector, in both directions. Nothing is posted to the page before its
 * `ready`.
 */
import * as z from 'zod/mini';

/** The first four are kinds of messages according to the agent's protocol; the others are everything else in the list. */
export const trafficKinds = ['request', 'response', 'notification', 'other', 'noise', 'stderr', 'process', 'gap'] as const;

export const outcomeSchema = z.enum(['ok', 'error', 'abandoned', 'lost']);
export type TrafficOutcome = z.infer<typeof outcomeSchema>;

/** One line of the list. All texts are redacted. */
export const trafficRowSchema = z.object({
  /** Increases; never reused. */
  key: z.number(),
  /** The label of the agent. */
  agent: z.string(),
  /** Milliseconds since the epoch. */
  at: z.number(),
  /** As seen from the host. */
  direction: z.enum(['sent', 'received']),
  kind: z.enum(trafficKinds),
  /** The name of the request or notification; for a response, that of its request. */
  method: z.optional(z.string()),
  /** The id with which its protocol pairs it, if there is one. */
  id: z.optional(z.string()),
  session: z.optional(z.string()),
  /** Its content on one line, cut. */
  text: z.string(),
  /** Length on the wire. */
  bytes: z.number(),
  /** Present for a settled request and for a response. */
  outcome: z.optional(outcomeSchema),
  durationMs: z.optional(z.number()),
  /** For a response, the key of its request if that is in the list; for a request, the key of its response. */
  partner: z.optional(z.number()),
});
export type TrafficRow = z.infer<typeof trafficRowSchema>;

/** The outcome of a request that is already in the list. */
export const trafficChangeSchema = z.object({
  key: z.number(),
  outcome: outcomeSchema,
  durationMs: z.number(),
  partner: z.optional(z.number()),
});
export type TrafficChange = z.infer<typeof trafficChangeSchema>;

/** The page and the host hold this many rows; older ones are dropped. */
export const trafficRowLimit = 2000;

export const trafficHostMessageSchema = z.discriminatedUnion('type', [
  /** All rows, which replace those of the page. */
  z.object({ type: z.literal('all'), rows: z.array(trafficRowSchema) }),
  z.object({ type: z.literal('more'), rows: z.array(trafficRowSchema), changes: z.array(trafficChangeSchema) }),
  /** The whole message, indented. `cut`: the message was too long to be recorded completely. */
  z.object({ type: z.literal('detail'), key: z.number(), text: z.string(), cut: z.boolean() }),
]);
export type TrafficHostMessage = z.infer<typeof trafficHostMessageSchema>;

const keys = z.array(z.number());

export const trafficPageMessageSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ready') }),
  /** Nothing is posted while paused; what arrives in the meantime is posted afterwards. */
  z.object({ type: z.literal('pause'), paused: z.boolean() }),
  z.object({ type: z.literal('clear') }),
  z.object({ type: z.literal('detail'), key: z.number() }),
  z.object({ type: z.literal('copy'), keys }),
  z.object({ type: z.literal('export'), keys }),
  z.object({ type: z.literal('reportProblem') }),
  /** The page reports an error of its own for the log. */
  z.object({ type: z.literal('pageError'), message: z.string() }),
]);
export type TrafficPageMessage = z.infer<typeof trafficPageMessageSchema>;
