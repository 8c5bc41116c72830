/** Maps the params of a client to the host's types, and the host's errors to the client's. The SDK has checked the shapes of the params. */
import { isAbsolute } from 'node:path';
import {
  type ClientCapabilities,
  type NewSessionRequest,
  RequestError,
  type ContentBlock as WireBlock,
  type McpServer as WireMcpServer,
} from '@agentclientprotocol/sdk';
import { type ContentBlock, type HostError, type HostErrorCode, isFields, type McpServer, textMember, toHostError } from '../core/index.js';
import { errorMessage } from '../text/errorText.js';

export function toContentBlock({ annotations, ...block }: WireBlock): ContentBlock {
  return annotations == null ? block : { ...block, annotations: { ...annotations } };
}

export function toMcpServer(server: WireMcpServer): McpServer {
  if ('type' in server) {
    const { type, name, url, headers } = server;
    return { type, name, url, headers };
  }
  const { name, command, args, env } = server;
  return { name, command, args, env };
}

/** @throws RequestError for a relative path */
export function absolute(cwd: string): string {
  if (isAbsolute(cwd)) return cwd;
  throw RequestError.invalidParams({ cwd }, 'cwd must be an absolute path');
}

/** For unchecked params: the SDK's own parser would report a wrong shape on the console. */
export function sessionIdIn(params: unknown): string | undefined {
  return textMember(params, 'sessionId');
}

/** What a client declares. The SDK drops the two members of our own. */
export interface Declared extends ClientCapabilities {
  /** Whether it knows plans by their id, and plans in Markdown. */
  readonly namedPlans: boolean;
  readonly subagents: boolean;
}

/** @param params those of `initialize` as they arrived */
export function newerCapabilities(params: unknown): Pick<Declared, 'namedPlans' | 'subagents'> {
  const { plan, subagents } = fieldsOf(fieldsOf(params)['clientCapabilities']);
  return { namedPlans: isFields(plan), subagents: isFields(subagents) };
}

type Fork = NewSessionRequest & { readonly sessionId: string };

/** `session/fork` is in the unstable part of ACP, which the SDK's agent() does not parse. @throws RequestError */
export function parseFork(params: unknown): Fork {
  const { sessionId, cwd, mcpServers, _meta: meta } = fieldsOf(params);
  const servers: unknown = mcpServers ?? [];
  if (typeof sessionId !== 'string' || typeof cwd !== 'string' || !isListOf(servers, isServer))
    throw RequestError.invalidParams(undefined, 'A fork needs a sessionId, a cwd and MCP servers as for a new session');
  return { sessionId, cwd, mcpServers: [...servers], ...(isFields(meta) && { _meta: meta }) };
}

function isServer(value: unknown): value is WireMcpServer {
  const { type, name, url, headers, command, args, env } = fieldsOf(value);
  if (typeof name !== 'string') return false;
  if (type === 'http' || type === 'sse') return typeof url === 'string' && isListOf(headers, isVariable);
  return typeof command === 'string' && isListOf(args, isText) && isListOf(env, isVariable);
}

function isVariable(value: unknown): value is { readonly name: string; readonly value: string } {
  return isText(fieldsOf(value)['name']) && isText(fieldsOf(value)['value']);
}

const isText = (value: unknown): value is string => typeof value === 'string';

function isListOf<T>(value: unknown, isOne: (item: unknown) => item is T): value is readonly T[] {
  return Array.isArray(value) && value.every(isOne);
}

const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> => (isFields(value) ? value : {});

/** The codes of JSON-RPC and ACP; every other failure is an internal error. */
const codes: Partial<Readonly<Record<HostErrorCode, number>>> = {
  auth_required: -32000,
  session_unknown: -32002,
  session_busy: -32600,
  usage: -32602,
  unsupported: -32602,
  cancelled: -32800,
};
const internalError = -32603;
/** An error of the agent: it could not read what this program sent, which is no fault of the client. */
const parseError = -32700;

/**
 * @param label the agent's name for users
 * @throws RequestError the answer to the client: a sentence, and as data the host's code and what the agent sent as its own
 */
export async function answeringErrors<T>(answer: () => Promise<T>, label: string): Promise<T> {
  try {
    return await answer();
  } catch (thrown) {
    if (thrown instanceof RequestError) throw thrown;
    const error = toHostError(thrown);
    const { reason } = error.params;
    const ours = { code: error.code, ...(reason === undefined ? {} : { reason }) };
    const { data } = error.params;
    // What the agent says about it counts.
    const told = isFields(data) ? { ...ours, ...data } : (data ?? ours);
    throw new RequestError(codes[error.code] ?? agentCodeOf(error) ?? internalError, errorMessage(error.toData(), label), told);
  }
}

/** The code with which an agent that speaks JSON-RPC refused the request. */
function agentCodeOf({ code, params }: HostError): number | undefined {
  if (code !== 'request_failed' && code !== 'provider_failed') return undefined;
  const { code: given } = params;
  return typeof given === 'number' && Number.isInteger(given) && given !== parseError ? given : undefined;
}
