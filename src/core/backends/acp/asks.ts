/** Requests of the agent to its user. Each gets exactly one answer; whatever cannot be put before a person is `cancelled`. */
import type { Clock } from '../../base/clock.js';
import type { Logger } from '../../base/logger.js';
import { peekFile } from '../../node/peekFile.js';
import { ErrorCode, RpcError } from '../../rpc/peer.js';
import type { HostServices } from '../../services/hostServices.js';
import type { AskAnswer } from '../../session/model.js';
import { diffOfWrite, mapPermission, type MappedPermission, withDiff } from './permission.js';
import { askUserResult, parseAskUserRequest, parsePermissionRequest, permissionResult } from './schema/requests.js';
import type { AcpSession } from './acpSession.js';

export interface AskParts {
  readonly services: HostServices;
  readonly clock: Clock;
  readonly log: Logger;
  /** Waits for a session that is being opened. */
  sessionOf(sessionId: string): Promise<AcpSession | undefined>;
}

const cancelled: AskAnswer = { type: 'cancelled' };

/** @param signal aborted when the agent withdraws its request, and when the connection ends */
export async function answerPermission(parts: AskParts, params: unknown, signal: AbortSignal): Promise<unknown> {
  const request = parsePermissionRequest(params);
  if (request === undefined) throw new RpcError(ErrorCode.invalidParams, 'session/request_permission needs a sessionId');
  const session = await parts.sessionOf(request.sessionId);
  if (session === undefined) return permissionResult(refuse(parts, 'the session is not open', request.sessionId));
  const mapped = mapPermission(session.map, request, parts.clock.now());
  for (const event of mapped.events) session.emit(event);
  if (session.cancelling) return permissionResult(cancelled);
  if (request.options.length === 0) return permissionResult(refuse(parts, 'it offers no options', request.sessionId));
  const until = session.signalOfTurn(signal);
  const answer = await parts.services.ask(await completeAsk(parts, session, mapped), until);
  const offered = answer.type === 'selected' && request.options.some((option) => option.optionId === answer.optionId);
  return permissionResult(offered ? answer : cancelled);
}

export async function answerQuestion(parts: AskParts, params: unknown, signal: AbortSignal): Promise<unknown> {
  const request = parseAskUserRequest(params);
  if (request === undefined) throw new RpcError(ErrorCode.invalidParams, 'A question needs a sessionId');
  const session = await parts.sessionOf(request.sessionId);
  if (session === undefined) return askUserResult(refuse(parts, 'the session is not open', request.sessionId));
  if (session.cancelling) return askUserResult(cancelled);
  const options = request.options ?? [];
  const answer = await parts.services.ask(
    {
      kind: 'question',
      sessionId: session.id,
      header: request.header ?? undefined,
      question: request.question,
      options,
      multiple: request.multiple ?? false,
      allowCustom: options.length === 0 || (request.allowCustom ?? true),
    },
    session.signalOfTurn(signal),
  );
  return askUserResult(answer);
}

function refuse({ log }: AskParts, why: string, sessionId: string): AskAnswer {
  log.warn(`A request of the agent was answered "cancelled": ${why}`, { sessionId });
  return cancelled;
}

/** Where the agent sends no diff of what it will write, the host makes one from the file as it is now. */
async function completeAsk({ clock, log }: AskParts, session: AcpSession, mapped: MappedPermission): Promise<MappedPermission['ask']> {
  if (mapped.unseenEdit === undefined) return mapped.ask;
  const diff = await diffOfWrite(session.cwd, mapped.unseenEdit, peekFile);
  if (diff === undefined) {
    log.debug('No diff could be made of what the agent wants to write', { path: mapped.unseenEdit.path });
    return mapped.ask;
  }
  const { ask, event } = withDiff(mapped, diff, clock.now());
  session.emit(event);
  return ask;
}
