/** JSON-RPC 2.0 messages as they come from an agent, told apart by shape. A missing `jsonrpc` member is forgiven, nothing else is. */

/** ACP's cancellation of any request, by its id; vscode-jsonrpc has one of its own (LSP's), of the same meaning. */
export const CANCEL_REQUEST = '$/cancel_request';

export interface WireNotification {
  readonly method: string;
  readonly params?: unknown;
}

export interface WireRequest extends WireNotification {
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

type Members = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** An id that can be echoed unchanged: `null` is none, and a number beyond 2^53 was changed by JSON.parse already. */
export function isId(id: unknown): id is string | number {
  return typeof id === 'string' || Number.isSafeInteger(id);
}

export function isNotification(value: unknown): value is WireNotification {
  return isObject(value) && typeof value['method'] === 'string' && value['id'] === undefined;
}

export function isRequest(value: unknown): value is WireRequest {
  return isObject(value) && typeof value['method'] === 'string' && isId(value['id']);
}

/** Whether it answers properly, with a result or an error, is seen only where it is known what it answers. */
export function isResponse(value: unknown): value is WireResponse {
  return isObject(value) && value['method'] === undefined && isId(value['id']);
}

/** By-name params: missing and `null` are `{}`; positional ones and scalars, which ACP does not have, are `undefined`. */
export function namedParams(params: unknown): object | undefined {
  if (params === undefined || params === null) return {};
  return isObject(params) ? params : undefined;
}

/** An error object with what it lacks filled in; a missing message is empty. */
export function readWireError(error: unknown): WireError {
  if (!isObject(error)) return { code: -32603, message: typeof error === 'string' ? error : '' };
  return {
    code: Number.isSafeInteger(error['code']) ? (error['code'] as number) : -32603,
    message: typeof error['message'] === 'string' ? error['message'] : '',
    data: error['data'],
  };
}

/** The id of a response of which only the head is known, because the rest was too long to be read. */
export function responseIdInHead(head: string): number | undefined {
  const id = /^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(\d{1,15})\s*,\s*"(?:result|error)"/.exec(head)?.[1];
  return id === undefined ? undefined : Number(id);
}
