import { ResponseError } from 'vscode-jsonrpc/node';
import { HostError } from '../base/errors.js';
import { failureReason } from './failureReason.js';
import { ErrorCode, RpcError } from './peer.js';
import { readWireError } from './message.js';

/** Returns why a request has no result: the error that the agent sent, or a failure of the host. */
export function toRequestError(method: string, error: unknown): HostError {
  const answered = readWireError(error);
  if (answered.data instanceof HostError) return answered.data;
  const { code, message, data } = answered;
  const detail = failureReason(answered);
  const facts = { method, code, message, ...(data === undefined ? {} : { data }), ...(detail === '' ? {} : { detail }) };
  return new HostError(code === ErrorCode.authRequired ? 'auth_required' : 'request_failed', facts);
}

/** Returns the error for a result that the parser rejected. It says where, but not what, because a result may contain secrets. */
export function toShapeError(method: string, cause: unknown): HostError {
  return new HostError('invalid_response', { reason: 'wrong_shape', method, ...firstIssue(cause) }, { cause });
}

/** The parsers use zod, but this only needs to know the shape of its errors. */
function firstIssue(error: unknown): { readonly path: string; readonly issue: string } | undefined {
  if (!(error instanceof Error) || !('issues' in error) || !Array.isArray(error.issues)) return undefined;
  const issue: unknown = error.issues[0];
  if (typeof issue !== 'object' || issue === null || !('path' in issue) || !Array.isArray(issue.path)) return undefined;
  return { path: issue.path.map(String).join('.'), issue: 'message' in issue && typeof issue.message === 'string' ? issue.message : '' };
}

/** Converts what a handler threw to what the agent may see: an RpcError unchanged, and for everything else only that it failed. */
export function toResponseError(method: string, error: unknown): ResponseError<unknown> {
  if (error instanceof RpcError) return new ResponseError(error.code, error.message, error.data);
  return new ResponseError(ErrorCode.internalError, `The host failed to handle ${method}.`);
}
