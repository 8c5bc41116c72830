/** Requests of the agent to its user. Each gets exactly one answer; whatever cannot be put before a person is `cancelled`. */
import type { Clock } from '../../base/clock.js';
import type { Logger } from '../../base/logger.js';
import { ErrorCode, RpcError } from '../../rpc/peer.js';
import type { HostServices } from '../../services/hostServices.js';
import type { UserAnswer } from '../../session/userRequest.js';
import { diffOfWrite, mapPermission, type MappedPermission, withDiff } from './permission.js';
import { askUserForm, askUserResult, parseAskUserRequest, parsePermissionRequest, permissionResult } from './schema/requests.js';
import type { AcpSession } from './acpSession.js';

export interface RequestParts {
  readonly services: HostServices;
  readonly clock: Clock;
  readonly log: Logger;
  /** Waits for a session that is being opened. */
  sessionOf(sessionId: string): Promise<AcpSession | undefined>;
}

const cancelled: UserAnswer = { type: 'cancel' };

/** @param signal aborted when the agent withdraws its request, and when the connection ends */
export async function answerPermission(parts: RequestParts, params: unknown, signal: AbortSignal): Promise<unknown> {
  const request = parsePermissionRequest(params);
  if (request === undefined) throw new RpcError(ErrorCode.invalidParams, 'session/request_permission needs a sessionId');
  const session = await parts.sessionOf(request.sessionId);
  if (session === undefined) return permissionResult(refuse(parts, 'the session is not open', request.sessionId));
  const mapped = mapPermission(session.map, request, parts.clock.now());
  for (const event of mapped.events) session.emit(event);
  if (session.cancelling) return permissionResult(cancelled);
  if (request.options.length === 0) return permissionResult(refuse(parts, 'it offers no options', request.sessionId));
  const until = session.signalOfTurn(signal);
  return permissionResult(await parts.services.requestUser(await complete(parts, session, mapped), until));
}

export async function answerQuestion(parts: RequestParts, params: unknown, signal: AbortSignal): Promise<unknown> {
  const request = parseAskUserRequest(params);
  if (request === undefined) throw new RpcError(ErrorCode.invalidParams, 'A question needs a sessionId');
  const session = await parts.sessionOf(request.sessionId);
  if (session === undefined) return askUserResult(refuse(parts, 'the session is not open', request.sessionId));
  if (session.cancelling) return askUserResult(cancelled);
  return askUserResult(await parts.services.requestUser(askUserForm(request), session.signalOfTurn(signal)));
}

function refuse({ log }: RequestParts, why: string, sessionId: string): UserAnswer {
  log.warn(`A request of the agent was answered "cancelled": ${why}`, { sessionId });
  return cancelled;
}

/** Where the agent sends no diff of what it will write, the host makes one from the file as it is now. */
async function complete(
  { clock, log, services }: RequestParts,
  session: AcpSession,
  mapped: MappedPermission,
): Promise<MappedPermission['request']> {
  if (mapped.unseenEdit === undefined) return mapped.request;
  const diff = await diffOfWrite(session.cwd, mapped.unseenEdit, services.files);
  if (diff === undefined) {
    log.debug('No diff could be made of what the agent wants to write', { path: mapped.unseenEdit.path });
    return mapped.request;
  }
  const { request, event } = withDiff(mapped, diff, clock.now());
  session.emit(event);
  return request;
}
