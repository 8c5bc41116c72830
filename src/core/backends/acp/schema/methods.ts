/**
 * The names on the wire, and the parsers of results. Source: ACP v1 (SDK 2.4.0); `session/set_model` was removed there and is still in use.
 * The methods of single agents are in core/agents.
 */
import * as z from 'zod/mini';
import type {
  AgentCapabilities,
  AuthenticateRequest,
  AuthMethod,
  CloseSessionRequest,
  DeleteSessionRequest,
  InitializeRequest,
  InitializeResponse,
  ListSessionsRequest,
  LogoutRequest,
  NewSessionRequest,
  PromptRequest,
  SetSessionConfigOptionRequest,
  SetSessionModeRequest,
} from '@agentclientprotocol/sdk';
import { textMember } from '../../../base/fields.js';
import { isFields, itemParser, listOf, meta, orDefault, orNull } from './lenient.js';
import type { MethodSpec } from '../../../rpc/peer.js';
import { type PromptEnd, promptResult } from './promptEnd.js';
import { loadSessionResult, newSessionResult, setConfigOptionResult, setModeResult } from './session.js';

/** A page of the list. An entry is undefined if it could not be read. */
interface SessionPage {
  readonly sessions: readonly (ListedSession | undefined)[];
  /** Opaque. Absent at the end of the list. */
  readonly nextCursor: string | undefined;
}

interface ListedSession {
  readonly sessionId: string;
  readonly cwd: string;
  readonly title: string | undefined;
  /** Milliseconds since the epoch. */
  readonly updatedAt: number | undefined;
}

/** No agent has longer ones; every front end holds each of them. */
const idChars = 1_000;
const pathChars = 4_096;
const titleChars = 200;

/** `null` and a missing list are an empty one; anything else that is no list is an error. */
const sessionPage: z.ZodMiniType<SessionPage> = z.pipe(
  z.looseObject({ sessions: z.optional(z.nullable(z.array(z.unknown()))), nextCursor: orNull(z.string()) }),
  z.transform(
    ({ sessions, nextCursor }): SessionPage => ({
      sessions: (sessions ?? []).map(parseEntry),
      nextCursor: typeof nextCursor === 'string' && nextCursor !== '' ? nextCursor : undefined,
    }),
  ),
);

function parseEntry(entry: unknown): ListedSession | undefined {
  if (!isFields(entry)) return undefined;
  const { sessionId, cwd, title, updatedAt } = entry;
  if (!isTextUpTo(sessionId, idChars) || !isTextUpTo(cwd, pathChars)) return undefined;
  const words = typeof title === 'string' ? title.slice(0, titleChars).trim() : '';
  const at = typeof updatedAt === 'string' ? Date.parse(updatedAt) : NaN;
  return { sessionId, cwd, title: words === '' ? undefined : words, updatedAt: Number.isNaN(at) ? undefined : at };
}

function isTextUpTo(value: unknown, chars: number): value is string {
  return typeof value === 'string' && value !== '' && value.length <= chars;
}

/** Parses the handshake. Source: ACP v1, `InitializeResponse` of schema/v1/schema.json (SDK 2.4.0). */
const flag = orDefault(z.boolean(), false);
const marker = orNull(z.record(z.string(), z.unknown()));

const agentCapabilities: z.ZodMiniType<AgentCapabilities> = z.looseObject({
  loadSession: flag,
  promptCapabilities: orDefault(z.looseObject({ image: flag, audio: flag, embeddedContext: flag, _meta: meta }), {}),
  mcpCapabilities: orDefault(z.looseObject({ http: flag, sse: flag, _meta: meta }), {}),
  sessionCapabilities: orDefault(
    z.looseObject({
      list: marker,
      delete: marker,
      resume: marker,
      fork: marker,
      close: marker,
      additionalDirectories: marker,
      _meta: meta,
    }),
    {},
  ),
  auth: orDefault(z.looseObject({ logout: marker, _meta: meta }), {}),
  _meta: meta,
});

const authBase = { id: z.string(), name: z.string(), description: orNull(z.string()), _meta: meta };

const terminalAuth = z.looseObject({
  ...authBase,
  type: z.literal('terminal'),
  args: orDefault(z.array(z.string()), []),
  env: orDefault(z.record(z.string(), z.string()), {}),
});
const agentAuth = z.looseObject(authBase);

/**
 * The type `terminal` is special; everything else, including the removed `env_var`, is handled by the agent (RFD auth-methods, 2026-07-27).
 * An invalid terminal method is dropped, because it must never be passed to `authenticate`.
 */
const parseAuthMethod = (value: unknown): AuthMethod | undefined =>
  isFields(value) && value['type'] === 'terminal' ? itemParser<AuthMethod>(terminalAuth)(value) : itemParser<AuthMethod>(agentAuth)(value);

const initializeResult: z.ZodMiniType<InitializeResponse> = z.looseObject({
  protocolVersion: z.number(),
  agentCapabilities: orDefault(agentCapabilities, {}),
  authMethods: orDefault(listOf(parseAuthMethod), []),
  agentInfo: orNull(z.looseObject({ name: z.string(), version: z.catch(z.string(), ''), title: orNull(z.string()), _meta: meta })),
  _meta: meta,
});

export const PROTOCOL_VERSION = 1;

/** The peer passes `null`, which pages of the specification have for an empty result, on as `{}`. */
function reader<T>(schema: z.ZodMiniType<T>): (result: unknown) => T {
  return (result) => schema.parse(result);
}

/** The names of models as plain strings. */
const listModelsResult = z.pipe(
  z.looseObject({
    models: z.catch(
      listOf((item) => (typeof item === 'string' && item !== '' ? item : undefined)),
      [],
    ),
  }),
  z.transform(({ models }): readonly string[] => models),
);

const ignored = (result: unknown): void => void result;

function method<P, R>(name: string, parseResult: (result: unknown) => R): MethodSpec<P, R> {
  return { method: name, parseResult };
}

export type NewSessionResult = z.output<typeof newSessionResult>;

/** Source: ACP v1 of 2026-11, which became stable after SDK 2.4.0. `append`: after the agent's own. */
export interface SystemPrompt {
  readonly mode: 'append';
  readonly content: readonly { readonly type: 'text'; readonly text: string }[];
}

export type SetupParams = NewSessionRequest & { readonly systemPrompt?: SystemPrompt };
type ResumeParams = SetupParams & { readonly sessionId: string };

export const requests = {
  initialize: method<InitializeRequest, InitializeResponse>('initialize', reader(initializeResult)),
  authenticate: method<AuthenticateRequest, void>('authenticate', ignored),
  logout: method<LogoutRequest, void>('logout', ignored),
  newSession: method<SetupParams, NewSessionResult>('session/new', reader(newSessionResult)),
  loadSession: method<ResumeParams, z.output<typeof loadSessionResult>>('session/load', reader(loadSessionResult)),
  resumeSession: method<ResumeParams, z.output<typeof loadSessionResult>>('session/resume', reader(loadSessionResult)),
  forkSession: method<ResumeParams, NewSessionResult>('session/fork', reader(newSessionResult)),
  closeSession: method<CloseSessionRequest, void>('session/close', ignored),
  listSessions: method<ListSessionsRequest, SessionPage>('session/list', reader(sessionPage)),
  deleteSession: method<DeleteSessionRequest, void>('session/delete', ignored),
  setTitle: method<{ readonly sessionId: string; readonly title: string }, void>('session/set_title', ignored),
  prompt: method<PromptRequest, PromptEnd>('session/prompt', reader(promptResult)),
  setMode: method<SetSessionModeRequest, z.output<typeof setModeResult>>('session/set_mode', reader(setModeResult)),
  setModel: method<{ readonly sessionId: string; readonly modelId: string }, void>('session/set_model', ignored),
  setConfigOption: method<SetSessionConfigOptionRequest, z.output<typeof setConfigOptionResult>>(
    'session/set_config_option',
    reader(setConfigOptionResult),
  ),
  /** This host's own method. No agent has it, so each answers that it does not know it. */
  probe: method<Record<string, never>, void>('_acphost/ping', ignored),
} as const;

/** @param name a method of the agent's own, which is not part of ACP */
export function listModels(name: string): MethodSpec<{ readonly sessionId: string }, readonly string[]> {
  return method(name, reader(listModelsResult));
}

export function vendorRequest(name: string): MethodSpec<unknown, unknown> {
  return method(name, (result) => result);
}

export const notifications = { cancel: 'session/cancel' } as const;

/** The types of the SDK leave these out: the first two are in the unstable part of ACP, the last one became stable after SDK 2.4.0. */
export function offers(sessionCapabilities: unknown, name: 'fork' | 'title' | 'systemPrompt'): boolean {
  return isFields(sessionCapabilities) && sessionCapabilities[name] != null;
}

/** What the host answers and listens to. It answers any other request with -32601, and logs any other notification. */
export const incoming = {
  requestPermission: 'session/request_permission',
  createElicitation: 'elicitation/create',
  readTextFile: 'fs/read_text_file',
  writeTextFile: 'fs/write_text_file',
  createTerminal: 'terminal/create',
  terminalOutput: 'terminal/output',
  waitForTerminalExit: 'terminal/wait_for_exit',
  killTerminal: 'terminal/kill',
  releaseTerminal: 'terminal/release',
  elicitationComplete: 'elicitation/complete',
  update: 'session/update',
} as const;

/** Returns the agent's own words about a failed call if its answer contains them (peer.ts: data of `request_failed`). */
export function parseRpcFailure(
  data: unknown,
): { readonly code: number; readonly message: string; readonly reason: string | undefined } | undefined {
  if (!isFields(data) || typeof data['code'] !== 'number') return undefined;
  const detail = data['data'];
  const reason = textMember(detail, 'reason');
  return { code: data['code'], message: textMember(data, 'message') ?? '', reason };
}
