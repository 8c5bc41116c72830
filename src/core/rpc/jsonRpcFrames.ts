/** Describes the frames of any protocol over JSON-RPC 2.0. Pure. */
import { parseJson } from '../base/parseJson.js';
import type { CancelTarget, FrameDescriber, FrameDescription, StreamedPiece } from '../traffic/frameDescriber.js';
import { CANCEL_REQUEST, isId, isNotification, isRequest, isResponse, namedParams, readWireError } from './message.js';
import { ErrorCode } from './peer.js';

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
