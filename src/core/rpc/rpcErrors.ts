import { ResponseError } from 'vscode-jsonrpc/node';
import { HostError } from '../base/errors.js';
import { failureReason } from './failureReason.js';
import { ErrorCode, RpcError } from './peer.js';
import { readWireError } from './message.js';

/** Why a request has no result: the error that the agent answered, or a failure of the host in its place. */
export function toRequestError(method: string, error: unknown): HostError {
  const answered = readWireError(error);
  if (answered.data instanceof HostError) return answered.data;
  const { code, message, data } = answered;
  const detail = failureReason(answered);
  const facts = { method, code, message, ...(data === undefined ? {} : { data }), ...(detail === '' ? {} : { detail }) };
  return new HostError(code === ErrorCode.authRequired ? 'auth_required' : 'request_failed', facts);
}

/** A result that the parser of its method refused. Says where, never what: a result may hold secrets. */
export function toShapeError(method: string, cause: unknown): HostError {
  return new HostError('invalid_response', { reason: 'wrong_shape', method, ...firstIssue(cause) }, { cause });
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
