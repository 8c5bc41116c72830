import { ResponseError } from 'vscode-jsonrpc/node';
import { HostError } from '../base/errors.js';
import { ErrorCode, RpcError } from './peer.js';
import type { WireError } from './message.js';

/** What the agent answered instead of a result. */
export function toRequestError(method: string, error: WireError): HostError {
  const data = { method, code: error.code, message: error.message, ...(error.data === undefined ? {} : { data: error.data }) };
  return error.code === ErrorCode.authRequired
    ? new HostError('auth_required', error.message, { data })
    : new HostError('request_failed', error.message, { data });
}

/** A result that the parser of its method refused. Says where, never what: a result may hold secrets. */
export function toShapeError(method: string, cause: unknown): HostError {
  const issue = firstIssue(cause);
  const where = issue === undefined || issue.path === '' ? '' : ` at "${issue.path}"`;
  return new HostError('invalid_response', `The agent's answer to ${method} has the wrong shape${where}.`, {
    cause,
    data: { method, ...(issue ?? {}) },
  });
}

/** Parsers are zod's, but nothing here needs to know more of it than the shape of its errors. */
function firstIssue(error: unknown): { readonly path: string; readonly issue: string } | undefined {
  if (!(error instanceof Error) || !('issues' in error) || !Array.isArray(error.issues)) return undefined;
  const issue: unknown = error.issues[0];
  if (typeof issue !== 'object' || issue === null || !('path' in issue) || !Array.isArray(issue.path)) return undefined;
  return { path: issue.path.map(String).join('.'), issue: 'message' in issue && typeof issue.message === 'string' ? issue.message : '' };
}

/** What a handler threw, as the agent may see it: an RpcError as it is, of everything else only that it happened. */
export function toResponseError(method: string, error: unknown): ResponseError<unknown> {
  if (error instanceof RpcError) return new ResponseError(error.code, error.message, error.data);
  return new ResponseError(ErrorCode.internalError, `The host failed to handle ${method}.`);
}
