/** Every message between the extension and the page of the traffic inspector, both ways. Nothing is posted to the page before its `ready`. */
import * as z from 'zod/mini';

/** The first four are kinds of messages, as the agent's protocol is described; the others are what else there is to see. */
export const trafficKinds = ['request', 'response', 'notification', 'other', 'noise', 'stderr', 'process', 'gap'] as const;

export const outcomeSchema = z.enum(['ok', 'error', 'abandoned', 'lost']);
export type TrafficOutcome = z.infer<typeof outcomeSchema>;

/** One line of the list. All texts are redacted. */
export const trafficRowSchema = z.object({
  /** Counts up; never used twice. */
  key: z.number(),
  /** For people. */
  agent: z.string(),
  /** Milliseconds since the epoch. */
  at: z.number(),
  /** Seen from the host. */
  direction: z.enum(['sent', 'received']),
  kind: z.enum(trafficKinds),
  /** What is asked or told. Of a response: that of its request. */
  method: z.optional(z.string()),
  /** What its protocol pairs it by, if anything. */
  id: z.optional(z.string()),
  session: z.optional(z.string()),
  /** Its contents on one line, cut. */
  text: z.string(),
  /** Length on the wire. */
  bytes: z.number(),
  /** Of a request once it is settled, and of a response. */
  outcome: z.optional(outcomeSchema),
  durationMs: z.optional(z.number()),
  /** Of a response: the key of its request, where that is in the list. Of a request: the key of its response. */
  partner: z.optional(z.number()),
});
export type TrafficRow = z.infer<typeof trafficRowSchema>;

/** What became of a request that is in the list already. */
export const trafficChangeSchema = z.object({
  key: z.number(),
  outcome: outcomeSchema,
  durationMs: z.number(),
  partner: z.optional(z.number()),
});
export type TrafficChange = z.infer<typeof trafficChangeSchema>;

/** The page and the host keep so many rows; older ones go. */
export const trafficRowLimit = 2000;

export const trafficHostMessageSchema = z.discriminatedUnion('type', [
  /** All that there is, in the place of what the page has. */
  z.object({ type: z.literal('all'), rows: z.array(trafficRowSchema) }),
  z.object({ type: z.literal('more'), rows: z.array(trafficRowSchema), changes: z.array(trafficChangeSchema) }),
  /** The whole message, indented. `cut`: it was too long to be kept whole. */
  z.object({ type: z.literal('detail'), key: z.number(), text: z.string(), cut: z.boolean() }),
]);
export type TrafficHostMessage = z.infer<typeof trafficHostMessageSchema>;

const keys = z.array(z.number());

export const trafficPageMessageSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ready') }),
  /** Paused, nothing is posted; what comes meanwhile is kept and posted afterwards. */
  z.object({ type: z.literal('pause'), paused: z.boolean() }),
  z.object({ type: z.literal('clear') }),
  z.object({ type: z.literal('detail'), key: z.number() }),
  z.object({ type: z.literal('copy'), keys }),
  z.object({ type: z.literal('export'), keys }),
  z.object({ type: z.literal('reportProblem') }),
  /** The page found something wrong in itself; for the log. */
  z.object({ type: z.literal('pageError'), message: z.string() }),
]);
export type TrafficPageMessage = z.infer<typeof trafficPageMessageSchema>;
