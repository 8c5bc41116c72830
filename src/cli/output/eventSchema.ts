/** The lines of `acp-host run --format json` and `acp-host chat --format json`. Documented in docs/cli.md. */
import * as z from 'zod/mini';
import { recoveryChoices } from '../arguments/request.js';
import { turnOutcome, versioned } from './schemaVersion.js';

/** Passed on as the agent sent it; ACP v1 says what is in it. */
const acpObject = z.looseObject({});

const agentEvent = z.strictObject({
  ...versioned,
  event: z.literal('agent'),
  state: z.enum(['starting', 'ready', 'busy', 'waiting', 'reconnecting', 'stopped', 'failed']),
  /** The id by which `--agent` names it, or `custom` for `--command`. */
  agent: z.string(),
  /** `starting`: what it waits for. */
  awaiting: z.optional(z.enum(['process', 'initialize', 'session'])),
  /** `waiting`: how many requests of the agent are open. */
  asks: z.optional(z.number()),
  /** `ready`: what the agent said of itself. */
  info: z.optional(
    z.strictObject({
      name: z.string(),
      title: z.optional(z.string()),
      version: z.optional(z.string()),
      protocolVersion: z.number(),
    }),
  ),
  /** `reconnecting`: which start by itself this is, 1-based, and how many there are at most. */
  attempt: z.optional(z.number()),
  of: z.optional(z.number()),
  /** `reconnecting`: when it is started; absent once it is. */
  retryInMs: z.optional(z.number()),
  /** `reconnecting` and `failed`: for people. */
  reason: z.optional(z.string()),
  /** How the process ended, where that is known. */
  exit: z.optional(z.strictObject({ code: z.nullable(z.number()), signal: z.nullable(z.string()) })),
});

const sessionEvent = z.strictObject({
  ...versioned,
  event: z.literal('session'),
  sessionId: z.string(),
  /** Absolute. */
  cwd: z.string(),
  /** `loaded` and `resumed`: taken up, by the agent's `session/load` or `session/resume`; `fresh`: a new one in the place of one that the agent does not take up. */
  how: z.enum(['new', 'loaded', 'resumed', 'fresh']),
  /** `fresh`: the session that it goes on from. */
  continues: z.optional(z.string()),
  capabilities: acpObject,
  modes: z.optional(acpObject),
  configOptions: z.array(acpObject),
});

const updateEvent = z.strictObject({
  ...versioned,
  event: z.literal('update'),
  sessionId: z.string(),
  update: z.looseObject({ sessionUpdate: z.string() }),
});

const permissionRequest = z.strictObject({
  ...versioned,
  event: z.literal('permission'),
  phase: z.literal('request'),
  sessionId: z.string(),
  /** What an answer names it by. */
  id: z.string(),
  toolCall: z.strictObject({
    toolCallId: z.string(),
    title: z.string(),
    kind: z.string(),
    rawInput: z.optional(z.unknown()),
    content: z.array(acpObject),
    locations: z.array(acpObject),
  }),
  options: z.array(z.looseObject({ optionId: z.string(), name: z.string(), kind: z.string() })),
});

/** Why it was cancelled without anybody's decision. */
const why = z.optional(z.string());

const permissionAnswer = z.strictObject({
  ...versioned,
  event: z.literal('permission'),
  phase: z.literal('answer'),
  sessionId: z.string(),
  id: z.string(),
  outcome: z.enum(['selected', 'cancelled']),
  optionId: z.optional(z.string()),
  why,
});

const questionRequest = z.strictObject({
  ...versioned,
  event: z.literal('question'),
  phase: z.literal('request'),
  sessionId: z.string(),
  id: z.string(),
  header: z.optional(z.string()),
  question: z.string(),
  options: z.array(z.string()),
  /** Several options may be chosen; the text of the answer is then `A, B`. */
  multiple: z.boolean(),
  /** A text that is no option is allowed. */
  allowCustom: z.boolean(),
});

const questionAnswer = z.strictObject({
  ...versioned,
  event: z.literal('question'),
  phase: z.literal('answer'),
  sessionId: z.string(),
  id: z.string(),
  outcome: z.enum(['answered', 'cancelled']),
  text: z.optional(z.string()),
  why,
});

const turnStart = z.strictObject({
  ...versioned,
  event: z.literal('turn'),
  phase: z.literal('start'),
  sessionId: z.string(),
  turnId: z.string(),
});

const turnEnd = z.strictObject({
  ...versioned,
  event: z.literal('turn'),
  phase: z.literal('end'),
  sessionId: z.string(),
  turnId: z.string(),
  /** `failed`: the agent answered with an error; `interrupted`: it was lost. An `error` event came before. */
  outcome: turnOutcome,
  /** ACP's own of a turn that ended; `interrupted` of one that was cut. */
  stopReason: z.optional(z.string()),
  /** The agent ended the turn and showed nothing. */
  silent: z.optional(z.boolean()),
});

const errorEvent = z.strictObject({
  ...versioned,
  event: z.literal('error'),
  code: z.string(),
  message: z.string(),
  data: z.optional(acpObject),
  /** The last lines of the agent's stderr, secrets redacted. */
  stderrTail: z.optional(z.string()),
});

const recoveryEvent = z.strictObject({
  ...versioned,
  event: z.literal('recovery'),
  /** The session that the agent does not take up. */
  sessionId: z.string(),
  /** As of `error`. */
  code: z.string(),
  /** For people. */
  reason: z.string(),
  /** What `recover` may be; `fresh` alone where nothing of the conversation was kept. */
  choices: z.array(z.enum(recoveryChoices)),
  /** What `context` sends with the next prompt. */
  context: z.optional(
    z.strictObject({
      text: z.string(),
      /** Of the text, in UTF-16 code units. */
      length: z.number(),
      turns: z.number(),
      /** Earlier turns that found no room in it. */
      omittedTurns: z.number(),
    }),
  ),
});

/** Every line of `acp-host run --format json` and `acp-host chat --format json`. */
export const eventLine = z.union([
  agentEvent,
  sessionEvent,
  updateEvent,
  permissionRequest,
  permissionAnswer,
  questionRequest,
  questionAnswer,
  turnStart,
  turnEnd,
  errorEvent,
  recoveryEvent,
]);

export type EventLine = z.infer<typeof eventLine>;
