/** ACP `session/request_permission`. Each request gets exactly one answer; a request that cannot be shown to the user gets `cancelled`. */
import { ErrorCode, RpcError } from '../../../rpc/peer.js';
import {
  type CloseReason,
  type PermissionOption,
  type PermissionOptionKind,
  selectedOption,
  type UserAnswer,
} from '../../../session/userRequest.js';
import { type AskingSession, askUser } from '../askingSession.js';
import { diffOfWrite, type MappedPermission, mapPermission, withDiff } from '../permission.js';
import type { Decision } from '../toolCards.js';
import { foldAnswer, foldDecision } from '../toolFold.js';
import { questionIn } from '../questionPermission.js';
import { incoming } from '../schema/methods.js';
import { parsePermissionRequest, permissionResult } from '../schema/requests.js';
import { type AcpFeature, type FeatureContext, refuse, warnOfCancel } from './feature.js';

const cancelled: UserAnswer = { type: 'cancel' };

export const permission: AcpFeature = { requests: { [incoming.requestPermission]: answerPermission } };

async function answerPermission(context: FeatureContext, params: unknown, signal: AbortSignal): Promise<unknown> {
  const request = parsePermissionRequest(params);
  if (request === undefined) throw new RpcError(ErrorCode.invalidParams, 'session/request_permission needs a sessionId');
  const session = await context.sessionOf(request.sessionId);
  if (session === undefined) return permissionResult(refuse(context, 'the session is not open', request.sessionId));
  const mapped = mapPermission(session.map, request, context.clock.now());
  for (const event of mapped.events) session.emit(event);
  if (session.cancelling) return permissionResult(cancelled);
  if (request.options.length === 0) warnOfCancel(context, 'it offers no options', request.sessionId);
  const until = session.signalOfTurn(signal);
  const question = questionIn(request, mapped.request.subject);
  const answer = await askUser(context.services, session, question?.request ?? (await complete(context, session, mapped)), until);
  const decision = question === undefined ? decisionOf(answer, request.options) : answer.type === 'accept' ? 'allowed' : refusalOf(answer);
  if (mapped.card !== undefined && decision !== undefined) session.emit(foldDecision(mapped.card, decision, context.clock.now()));
  return question === undefined ? permissionResult(answer) : question.result(answer);
}

/** Rejects the call if the request ends without a decision. Returns undefined if the turn or the connection has ended. */
function decisionOf(answer: UserAnswer, options: readonly PermissionOption[]): Decision | undefined {
  const optionId = selectedOption(answer);
  if (optionId === undefined) return refusalOf(answer);
  return decisions[options.find((option) => option.optionId === optionId)?.kind ?? 'other'];
}

const decisions: Readonly<Record<PermissionOptionKind, Decision | undefined>> = {
  allow_once: 'allowed',
  allow_always: 'allowed',
  reject_once: 'rejected',
  reject_always: 'rejected',
  other: undefined,
};

function refusalOf(answer: UserAnswer): Decision | undefined {
  return answer.type === 'cancel' && answer.why !== undefined && !unanswered.has(answer.why) ? undefined : 'rejected';
}

/** Records how a question ended that is no permission request. @param toolCallId the call that asked, if the agent names it */
export function noteAnswer({ map }: AskingSession, answer: UserAnswer, toolCallId: string | null | undefined = undefined): void {
  const isAnswered = answer.type === 'accept';
  if (isAnswered || refusalOf(answer) !== undefined) foldAnswer(map.tools, toolCallId ?? undefined, isAnswered);
}

/** The reasons with which a turn continues without a decision. */
const unanswered: ReadonlySet<CloseReason> = new Set(['deadline', 'not_interactive', 'no_options']);

/** If the agent sends no diff of what it will write, the host creates one from the current content of the file. */
async function complete(
  { clock, log, services }: FeatureContext,
  session: AskingSession,
  mapped: MappedPermission,
): Promise<MappedPermission['request']> {
  if (mapped.unseenEdit === undefined) return mapped.request;
  const diff = await diffOfWrite(session.cwd, mapped.unseenEdit, services.filesIn(session.folder, session.otherFolders));
  if (diff === undefined) {
    log.debug('Could not create a diff of a write by the agent', { path: mapped.unseenEdit.path });
    return mapped.request;
  }
  const { request, event } = withDiff(mapped, diff, clock.now());
  session.emit(event);
  return request;
}
