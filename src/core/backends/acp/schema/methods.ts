/**
 * The names on the wire, and the parsers of results. Source: ACP v1 (SDK 2.4.0); `session/set_model` was removed there and is still in use.
 * The methods of single agents are in core/agents.
 */
import type {
  AuthenticateRequest,
  CloseSessionRequest,
  InitializeRequest,
  InitializeResponse,
  LoadSessionRequest,
  NewSessionRequest,
  PromptRequest,
  ResumeSessionRequest,
  SetSessionConfigOptionRequest,
  SetSessionModeRequest,
} from '@agentclientprotocol/sdk';
import * as z from 'zod/mini';
import type { MethodSpec } from '../../../rpc/peer.js';
import { initializeResult } from './initialize.js';
import { isFields, listOf } from './lenient.js';
import { type PromptEnd, promptResult } from './promptEnd.js';
import { loadSessionResult, newSessionResult, setConfigOptionResult, setModeResult } from './session.js';

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

export const requests = {
  initialize: method<InitializeRequest, InitializeResponse>('initialize', reader(initializeResult)),
  authenticate: method<AuthenticateRequest, void>('authenticate', ignored),
  newSession: method<NewSessionRequest, z.output<typeof newSessionResult>>('session/new', reader(newSessionResult)),
  loadSession: method<LoadSessionRequest, z.output<typeof loadSessionResult>>('session/load', reader(loadSessionResult)),
  resumeSession: method<ResumeSessionRequest, z.output<typeof loadSessionResult>>('session/resume', reader(loadSessionResult)),
  closeSession: method<CloseSessionRequest, void>('session/close', ignored),
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

export const notifications = { cancel: 'session/cancel' } as const;

/** What the host answers and listens to. It answers any other request with -32601, and logs any other notification. */
export const incoming = {
  requestPermission: 'session/request_permission',
  createElicitation: 'elicitation/create',
  elicitationComplete: 'elicitation/complete',
  update: 'session/update',
} as const;

/** Returns the agent's own words about a failed call if its answer contains them (peer.ts: data of `request_failed`). */
export function parseRpcFailure(
  data: unknown,
): { readonly code: number; readonly message: string; readonly reason: string | undefined } | undefined {
  if (!isFields(data) || typeof data['code'] !== 'number') return undefined;
  const detail = data['data'];
  const reason = isFields(detail) && typeof detail['reason'] === 'string' ? detail['reason'] : undefined;
  return { code: data['code'], message: typeof data['message'] === 'string' ? data['message'] : '', reason };
}
