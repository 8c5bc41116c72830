/** JSON-RPC 2.0 messages as an agent sends them, distinguished by shape. A missing `jsonrpc` member is accepted; other mistakes are not. */

import { isFields } from '../base/fields.js';

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
