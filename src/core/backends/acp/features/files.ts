/** ACP `fs/*`: the agent reads and writes files through what the editor shows. */
import { FileRefusal, type FileRefusalReason } from '../../../services/agentFiles.js';
import type { AgentFiles } from '../../../services/hostServices.js';
import { ErrorCode, RpcError } from '../../../rpc/peer.js';
import type { AskingSession } from '../askingSession.js';
import { incoming } from '../schema/methods.js';
import { parseReadTextFile, parseWriteTextFile } from '../schema/requests.js';
import { type AcpFeature, type FeatureContext, openSession } from './feature.js';

export const files: AcpFeature = {
  capabilities: ({ files: isOffered }) => (isOffered ? { fs: { readTextFile: true, writeTextFile: true } } : {}),
  requests: { [incoming.readTextFile]: readTextFile, [incoming.writeTextFile]: writeTextFile },
};

async function readTextFile(context: FeatureContext, params: unknown, signal: AbortSignal): Promise<unknown> {
  const request = parseReadTextFile(params);
  const { session, access } = await filesOf(context, incoming.readTextFile, request.sessionId);
  try {
    return { content: await access.readText(request.path, request, session.signalOfTurn(signal)) };
  } catch (error) {
    const isEmpty = error instanceof FileRefusal && error.reason === 'missing' && session.map.quirks.readsMissingAsEmpty === true;
    if (isEmpty) return { content: '' };
    throw answerTo(error, request.path);
  }
}

async function writeTextFile(context: FeatureContext, params: unknown, signal: AbortSignal): Promise<unknown> {
  const request = parseWriteTextFile(params);
  const { session, access } = await filesOf(context, incoming.writeTextFile, request.sessionId);
  if (session.cancelling) throw new RpcError(ErrorCode.requestCancelled, 'The turn is canceled');
  try {
    await access.writeText(request.path, request.content, session.signalOfTurn(signal));
    return {};
  } catch (error) {
    throw answerTo(error, request.path);
  }
}

async function filesOf(
  context: FeatureContext,
  method: string,
  sessionId: string,
): Promise<{ readonly session: AskingSession; readonly access: AgentFiles }> {
  const { services, report } = context;
  if (services.agentFiles === undefined) {
    report(`request ${method}`);
    throw new RpcError(ErrorCode.methodNotFound, 'Method not found', { method });
  }
  const session = await openSession(context, sessionId);
  return { session, access: (session.files ??= services.agentFiles(session.id, session.folder, session.otherFolders, session.subagent)) };
}

/** What an agent can do about it. */
const refusals: Readonly<Record<FileRefusalReason, (error: FileRefusal, path: string) => RpcError>> = {
  // ACP's own words (SDK 2.4.0, `RequestError.resourceNotFound`), by which some agents tell a missing file from a failure.
  missing: (_, path) => new RpcError(ErrorCode.resourceNotFound, `Resource not found: ${path}`, { uri: path }),
  relative: () => new RpcError(ErrorCode.invalidParams, 'The path must be absolute'),
  other_machine: () => new RpcError(ErrorCode.invalidParams, 'The file is on another machine'),
  too_long: () => new RpcError(ErrorCode.invalidParams, 'The path, or a name in it, is too long'),
  leads_nowhere: () =>
    new RpcError(ErrorCode.invalidParams, 'The path leads over something that is not a folder, or over links in a circle'),
  rejected: () => new RpcError(ErrorCode.internalError, 'The user did not allow this'),
  not_readable: () => new RpcError(ErrorCode.invalidParams, 'This is a device or a pipe, or it is larger than 10 MB'),
  folder: () => new RpcError(ErrorCode.invalidParams, 'This is a folder'),
  read_only: () => new RpcError(ErrorCode.invalidParams, 'The file is read-only'),
  too_large: () => new RpcError(ErrorCode.invalidParams, 'The text is larger than 10 MB'),
  not_text: () => new RpcError(ErrorCode.invalidParams, 'This is not a text file'),
  encoding: () => new RpcError(ErrorCode.invalidParams, 'The file is in ISO 8859-1, which lacks some of these characters'),
  changed: () => new RpcError(ErrorCode.internalError, 'The file has changed since it was read: read it again first'),
  moved: () => new RpcError(ErrorCode.internalError, 'The path leads somewhere else now'),
  unsaved: () => new RpcError(ErrorCode.internalError, 'The file has unsaved changes, and the editor could not change it'),
  editor_hangs: () =>
    new RpcError(
      ErrorCode.internalError,
      'The editor does not respond, so nothing is known of unsaved changes in the file: try again later',
    ),
  failed: ({ message }) => new RpcError(ErrorCode.internalError, message),
};

/** Returns what the agent is told instead of a result. */
function answerTo(error: unknown, path: string): unknown {
  return error instanceof FileRefusal ? refusals[error.reason](error, path) : error;
}
