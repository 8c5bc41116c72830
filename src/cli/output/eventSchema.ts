/** The lines of `acp-host run --format json` and `acp-host chat --format json`. Documented in docs/cli.md. */
import * as z from 'zod/mini';
import { frontEndPrograms } from '../../core/index.js';
import { recoveryChoices } from '../arguments/optionValues.js';
import { changedFile, changesProblems, turnOutcome, versioned } from './reportSchema.js';

/** Passed on as the agent sent it; ACP v1 defines its contents. */
const acpObject = z.looseObject({});

const agentEvent = z.strictObject({
  ...versioned,
  event: z.literal('agent'),
  state: z.enum(['starting', 'ready', 'busy', 'waiting', 'reconnecting', 'stopped', 'failed']),
  /** The name that `--agent` accepts, or `custom` for `--command`. */
  agent: z.string(),
  /** `starting`: what the start is waiting for. `next_minute`: the agent can't load a session in the minute in which it was created. */
  awaiting: z.optional(z.enum(['initialize', 'session', 'next_minute'])),
  /** `waiting`: the number of open requests from the agent. */
  asks: z.optional(z.number()),
  /** `ready`: how the agent introduced itself. */
  info: z.optional(
    z.strictObject({
      name: z.string(),
      title: z.optional(z.string()),
      version: z.optional(z.string()),
      protocolVersion: z.number(),
    }),
  ),
  /** `reconnecting`: the number of this automatic restart, 1-based, and the maximum. */
  attempt: z.optional(z.number()),
  of: z.optional(z.number()),
  /** `reconnecting`: the time until the restart; absent once it begins. */
  retryInMs: z.optional(z.number()),
  /** `reconnecting` and `failed`: a message for users. */
  reason: z.optional(z.string()),
  /** How the process ended, if known. */
  exit: z.optional(z.strictObject({ code: z.nullable(z.number()), signal: z.nullable(z.string()) })),
});

const sessionEvent = z.strictObject({
  ...versioned,
  event: z.literal('session'),
  sessionId: z.string(),
  /** Absolute. */
  cwd: z.string(),
  /** `loaded` and `resumed`: resumed by `session/load` or `session/resume`; `fresh`: a new session instead of one that the agent can't resume; `forked`: a session that the agent made from the one in `continues`; `attached`: it was open before, and its last turn follows from the beginning. */
  how: z.enum(['new', 'loaded', 'resumed', 'fresh', 'forked', 'attached']),
  /** `fresh` and `forked`: the session that it continues. */
  continues: z.optional(z.string()),
  capabilities: acpObject,
  modes: z.optional(acpObject),
  configOptions: z.array(acpObject),
});

/** The sub-agent that asks; absent: the agent itself. */
const askingSubagent = z.optional(z.strictObject({ id: z.string(), name: z.string() }));

/**
 * Left out, besides what ACP doesn't define: members that are null, empty `locations`, a `kind` that didn't change, a status that would make
 * an ended call run again, an echo of the prompt, options and modes that already apply, and, for agents known to send them, thoughts that
 * repeat the answer.
 */
const updateEvent = z.strictObject({
  ...versioned,
  event: z.literal('update'),
  sessionId: z.string(),
  /** The sub-agent that says or does it, by the `sessionId` of its `subagent_update`; absent: the agent itself. */
  subagent: z.optional(z.string()),
  /** The tool call, by an id that is unique in the session, as the agent's own need not be. `stop` takes it. */
  item: z.optional(z.string()),
  /** No turn is running. */
  late: z.optional(z.literal(true)),
  update: z.looseObject({ sessionUpdate: z.string() }),
});

const toolCall = z.strictObject({
  toolCallId: z.string(),
  title: z.string(),
  kind: z.string(),
  rawInput: z.optional(z.unknown()),
  content: z.array(acpObject),
  locations: z.array(acpObject),
});

const permissionRequest = z.strictObject({
  ...versioned,
  event: z.literal('permission'),
  phase: z.literal('request'),
  sessionId: z.string(),
  /** Identifies the request in an answer. */
  id: z.string(),
  subagent: askingSubagent,
  toolCall,
  /** Other calls that the answer may apply to, at most 64, and the number of those that are left out. */
  calls: z.optional(z.array(toolCall)),
  moreCalls: z.optional(z.number()),
  /** The `kind` is ACP's, or `other`, which is never chosen for the user. An option without an ID, or with an ambiguous one, is left out. */
  options: z.array(z.looseObject({ optionId: z.string(), name: z.string(), kind: z.string() })),
});

/** By the name of the field; an array for a field that accepts several values. */
export const fieldValues = z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]));

/** Why the request ended without a decision. */
const why = z.optional(z.string());
/** Where the user answered. */
const by = z.optional(z.enum(frontEndPrograms));

const permissionAnswer = z.strictObject({
  ...versioned,
  event: z.literal('permission'),
  phase: z.literal('answer'),
  sessionId: z.string(),
  id: z.string(),
  outcome: z.enum(['selected', 'cancelled']),
  optionId: z.optional(z.string()),
  why,
  by,
});

const questionRequest = z.strictObject({
  ...versioned,
  event: z.literal('question'),
  phase: z.literal('request'),
  sessionId: z.string(),
  id: z.string(),
  subagent: askingSubagent,
  header: z.optional(z.string()),
  question: z.string(),
  options: z.array(z.string()),
  /** Accepts several options; then the text of the answer is `A, B`. */
  multiple: z.boolean(),
  /** Accepts a text that is not an option. */
  allowCustom: z.boolean(),
  /** `FormField`s. Present if one text cannot answer it; the answer is then `values`, by the names of the fields. */
  fields: z.optional(z.array(z.looseObject({ type: z.string(), name: z.string(), required: z.boolean() }))),
  /** A page to open; the answer is `opened` or `declined`. */
  url: z.optional(z.string()),
  /** A text to edit; the answer is the whole text. */
  prefill: z.optional(z.string()),
});

const questionAnswer = z.strictObject({
  ...versioned,
  event: z.literal('question'),
  phase: z.literal('answer'),
  sessionId: z.string(),
  id: z.string(),
  outcome: z.enum(['answered', 'declined', 'cancelled']),
  text: z.optional(z.string()),
  /** Replaces `text` if there are several fields. */
  values: z.optional(fieldValues),
  why,
  by,
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
  /** `failed`: the agent responded with an error; `interrupted`: the agent exited unexpectedly. An `error` event precedes both. */
  outcome: turnOutcome,
  /** `ended`: as in ACP; `interrupted`: `interrupted`. */
  stopReason: z.optional(z.string()),
  /** The agent ended the turn without a reply. */
  silent: z.optional(z.boolean()),
  /** The tokens of the turn, if the agent reports them; as in ACP. */
  usage: z.optional(
    z.strictObject({
      totalTokens: z.number(),
      inputTokens: z.number(),
      outputTokens: z.number(),
      thoughtTokens: z.optional(z.number()),
      cachedReadTokens: z.optional(z.number()),
      cachedWriteTokens: z.optional(z.number()),
    }),
  ),
});

/** What a turn changed in the folder, after its end. There is none if it changed nothing, or if that is not known. */
const changesEvent = z.strictObject({
  ...versioned,
  event: z.literal('changes'),
  sessionId: z.string(),
  turnId: z.string(),
  /** Of all files. */
  fileCount: z.number(),
  added: z.number(),
  removed: z.number(),
  /** At most 100 of them, by their paths. */
  files: z.array(changedFile),
  problems: changesProblems,
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

const silenceEvent = z.strictObject({
  ...versioned,
  event: z.literal('silence'),
  sessionId: z.string(),
  turnId: z.string(),
  /** How long the agent has sent nothing, in milliseconds. */
  silentMs: z.number(),
  /** The reason, for users; absent if the agent did not report one. */
  reason: z.optional(z.string()),
  /** The agent is retrying its model provider. */
  retry: z.optional(
    z.strictObject({
      attempt: z.optional(z.number()),
      of: z.optional(z.number()),
      retryInMs: z.number(),
      /** The HTTP status that the provider returned. */
      status: z.optional(z.number()),
    }),
  ),
  /** The last line that the agent wrote to stderr in this turn, secrets redacted. */
  stderrLine: z.optional(z.string()),
});

const noticeEvent = z.strictObject({
  ...versioned,
  event: z.literal('notice'),
  /** Absent if the notice does not belong to a session. */
  sessionId: z.optional(z.string()),
  severity: z.enum(['info', 'warning', 'error']),
  /** Stable. */
  code: z.string(),
  /** For users. */
  message: z.string(),
});

const recoveryEvent = z.strictObject({
  ...versioned,
  event: z.literal('recovery'),
  /** The session that the agent can't resume. */
  sessionId: z.string(),
  /** As in `error`. */
  code: z.string(),
  /** For users. */
  reason: z.string(),
  /** The values that `recover` accepts; only `fresh` if nothing of the conversation was saved. */
  choices: z.array(z.enum(recoveryChoices)),
  /** What `context` sends with the next prompt. */
  context: z.optional(
    z.strictObject({
      text: z.string(),
      /** Length of the text, in UTF-16 code units. */
      length: z.number(),
      turns: z.number(),
      /** The number of earlier turns that did not fit. */
      omittedTurns: z.number(),
    }),
  ),
});

const queueEvent = z.strictObject({
  ...versioned,
  event: z.literal('queue'),
  sessionId: z.string(),
  /** The agent's own queue after the event, oldest first. */
  prompts: z.array(z.strictObject({ id: z.string(), text: z.string() })),
});

const lateEvent = z.strictObject({
  ...versioned,
  event: z.literal('late'),
  sessionId: z.string(),
  /** What still works although no turn is running, oldest first; it ends with the session. `canStop`: by itself. */
  running: z.array(
    z.discriminatedUnion('kind', [
      z.strictObject({ kind: z.literal('subagent'), id: z.string(), title: z.string(), canStop: z.boolean() }),
      z.strictObject({ kind: z.literal('command'), id: z.string(), title: z.string(), canStop: z.boolean() }),
    ]),
  ),
});

/** The only line of `acp-host run --detach` if nothing failed. */
const detachedEvent = z.strictObject({
  ...versioned,
  event: z.literal('detached'),
  /** Of the conversation. */
  id: z.string(),
});

/** Every line of `acp-host run --format json`, `acp-host chat --format json` and `acp-host attach --format json`. */
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
  changesEvent,
  errorEvent,
  recoveryEvent,
  noticeEvent,
  silenceEvent,
  queueEvent,
  lateEvent,
  detachedEvent,
]);

export type EventLine = z.infer<typeof eventLine>;

export type Unversioned<T> = T extends unknown ? Omit<T, 'schemaVersion'> : never;
