/** JSON-RPC 2.0 messages as an agent sends them, distinguished by shape, and described for those who read traffic. A missing `jsonrpc` member is accepted; other mistakes are not. */
import { isFields } from '../base/fields.js';
import { parseJson } from '../base/parseJson.js';
import type { CancelTarget, FrameDescriber, FrameDescription, StreamedPiece } from '../traffic/frameDescriber.js';
import { ErrorCode } from './peer.js';

/** ACP's notification that cancels a request by its id. vscode-jsonrpc uses the notification of LSP, which means the same. */
export const CANCEL_REQUEST = '$/cancel_request';

export interface WireNotification {
  readonly method: string;
  readonly params?: unknown;
  /** Some agents write absent members as `null`. */
  readonly id?: null;
}

export interface WireRequest {
  readonly method: string;
  readonly params?: unknown;
  readonly id: string | number;
}

export interface WireResponse {
  readonly id: string | number;
  readonly result?: unknown;
  readonly error?: unknown;
}

export interface WireError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** Whether an id can be returned unchanged. The transport carries all others as text (`base/exactId`), except `null`. */
export function isId(id: unknown): id is string | number {
  return typeof id === 'string' || Number.isSafeInteger(id);
}

export function isNotification(value: unknown): value is WireNotification {
  return isFields(value) && typeof value['method'] === 'string' && value['id'] == null;
}

export function isRequest(value: unknown): value is WireRequest {
  return isFields(value) && typeof value['method'] === 'string' && isId(value['id']);
}

/** Whether it contains a valid result or error is checked when its request is known. */
export function isResponse(value: unknown): value is WireResponse {
  return isFields(value) && value['method'] === undefined && isId(value['id']);
}

/** Whether a value that was found amid other text is a message. */
export function isMessage(value: unknown): boolean {
  return isNotification(value) || isResponse(value) || isRequest(value);
}

/** Returns the error with which an agent answers a request that it could not read, so that it does not know the id. */
export function unreadRequest(value: unknown): unknown {
  if (!isFields(value) || value['id'] !== null || value['method'] !== undefined || !isFields(value['error'])) return undefined;
  const { error } = value;
  return error['code'] === -32700 || error['code'] === -32600 ? error : undefined;
}

/** Returns what is wrong with a value that is none of the three kinds of messages. */
export function flawOf(value: unknown): string {
  if (Array.isArray(value)) return 'a batch, which ACP does not have';
  if (!isFields(value)) return 'not an object';
  const { id, method } = value;
  if (method !== undefined) return 'its method is not a text';
  return id === null ? 'its id is null' : 'it has neither an id nor a method';
}

/** Returns params by name: `{}` for missing ones and `null`, `undefined` for positional ones and scalars, which ACP does not have. */
export function namedParams(params: unknown): object | undefined {
  if (params === undefined || params === null) return {};
  return isFields(params) ? params : undefined;
}

/** Completes an error object; a missing message becomes empty. */
export function readWireError(error: unknown): WireError {
  if (!isFields(error)) return { code: -32603, message: typeof error === 'string' ? error : '' };
  return {
    code: Number.isSafeInteger(error['code']) ? (error['code'] as number) : -32603,
    message: typeof error['message'] === 'string' ? error['message'] : '',
    data: error['data'],
  };
}

/** Returns the id of a response of which only the beginning is known, because the rest was too long to read. */
export function responseIdInHead(head: string): number | undefined {
  const id = /^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(\d{1,15})\s*,\s*"(?:result|error)"/.exec(head)?.[1];
  return id === undefined ? undefined : Number(id);
}

/** What a protocol adds to JSON-RPC. */
export interface JsonRpcDialect {
  /** @param payload the params or the result */
  sessionOf(payload: unknown): string | undefined;
  /** What a notification cancels, other than `$/cancel_request`. */
  cancelOf(method: string, params: unknown): CancelTarget | undefined;
  stripContent(frame: unknown): unknown;
  streamed(frame: unknown): StreamedPiece | undefined;
  /** @param method the method of the request to which the response belongs */
  endsTexts(method: string): boolean;
}

/** Members whose strings are never content, and a member that contains no content. */
export const jsonRpcStructure = { structural: ['jsonrpc', 'method', 'id', 'requestId', 'code'], harmlessBelow: ['error'] } as const;

export function jsonRpcFrames(dialect: JsonRpcDialect): FrameDescriber {
  return {
    describe: (frame) => describe(frame, dialect),
    stripContent: (frame) => dialect.stripContent(frame),
    streamed: (frame) => dialect.streamed(frame),
    endsTexts: (kind, method) => kind === 'response' && dialect.endsTexts(method),
    parse: parseJson,
    format: (frame) => JSON.stringify(frame),
    withId: (response, id) => (isResponse(response) ? { ...response, id } : response),
    refuse: (request, message) =>
      isRequest(request) ? { jsonrpc: '2.0', id: request.id, error: { code: ErrorCode.methodNotFound, message } } : undefined,
  };
}

function describe(frame: unknown, dialect: JsonRpcDialect): FrameDescription {
  if (isNotification(frame)) {
    const { method, params } = frame;
    const cancels = method === CANCEL_REQUEST ? cancelledById(params) : dialect.cancelOf(method, params);
    return { kind: 'notification', method, session: dialect.sessionOf(params), cancels, payload: params };
  }
  if (isResponse(frame)) {
    const { id, error, result } = frame;
    if (error !== undefined && error !== null) return { kind: 'response', id, error: errorOf(error), payload: error };
    return { kind: 'response', id, session: dialect.sessionOf(result), payload: result };
  }
  if (!isRequest(frame)) return { kind: 'other', payload: frame };
  const { id, method, params } = frame;
  return { kind: 'request', id, method, session: dialect.sessionOf(params), payload: params };
}

function cancelledById(params: unknown): CancelTarget | undefined {
  const named = namedParams(params);
  const id: unknown = named !== undefined && 'requestId' in named ? named.requestId : undefined;
  return isId(id) ? { id } : undefined;
}

function errorOf(error: unknown): FrameDescription['error'] {
  const { code, message } = readWireError(error);
  return { code, message };
}
