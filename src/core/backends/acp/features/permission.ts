/** ACP `session/request_permission`. Each request gets exactly one answer; a request that cannot be shown to the user gets `cancelled`. */
import type { RequestPermissionResponse } from '@agentclientprotocol/sdk';
import { resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { AnnouncedEdit } from '../../../agents/acpQuirks.js';
import { type AskingSession, askUser } from '../askingSession.js';
import { commandsIn } from '../../../session/commandInput.js';
import type { SessionEvent } from '../../../session/event.js';
import { type AcpFeature, type FeatureContext, refuse, warnOfCancel } from './feature.js';
import { isFields } from '../../../base/fields.js';
import type { FileAccess } from '../../../services/files.js';
import type { NewRequest } from '../../../services/hostServices.js';
import type { UpdateMap } from '../map.js';
import { incoming } from '../schema/methods.js';
import type { ToolCallContent } from '../../../session/model.js';
import { ErrorCode, RpcError } from '../../../rpc/peer.js';
import { questionIn } from '../questionPermission.js';
import { parsePermissionRequest, permissionResult, type WirePermission } from '../schema/requests.js';
import type { Decision, ToolCard } from '../toolCards.js';
import { attachDiff, foldAnswer, foldDecision, foldPermissionRequest, shownContent, type ToolEvent, withWholePaths } from '../toolFold.js';
import {
  type CloseReason,
  type PermissionOption,
  type PermissionOptionKind,
  type PermissionSubject,
  selectedOption,
  type UserAnswer,
} from '../../../session/userRequest.js';

const cancelled: UserAnswer = { type: 'cancel' };

export const permission: AcpFeature = { requests: { [incoming.requestPermission]: answerPermission } };

async function answerPermission(context: FeatureContext, params: unknown, signal: AbortSignal): Promise<unknown> {
  const request = parsePermissionRequest(params);
  if (request === undefined) throw new RpcError(ErrorCode.invalidParams, 'session/request_permission needs a sessionId');
  return requestPermission(context, request, signal);
}

/** Asks the user. @param signal as in AnswerRequest */
export async function requestPermission(
  context: FeatureContext,
  request: WirePermission,
  signal: AbortSignal,
): Promise<RequestPermissionResponse> {
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
  if (mapped.card !== undefined && decision !== undefined) noteDecision(session, mapped.card, decision, context.clock.now());
  return question === undefined ? permissionResult(answer) : question.result(answer);
}

function noteDecision(session: AskingSession, card: ToolCard, decision: Decision, at: number): void {
  const event = foldDecision(card, decision, at);
  // The call may have started a sub-agent, which ends with it.
  if (event !== undefined) for (const one of session.calls?.take(event, undefined, at) ?? [event]) session.emit(one);
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

export interface MappedPermission {
  readonly request: Extract<NewRequest, { kind: 'permission' }>;
  /** What the request says about its tool call. */
  readonly events: readonly SessionEvent[];
  /** The agent announces this write without a diff, so the host should read the file before the user decides. */
  readonly unseenEdit: Extract<AnnouncedEdit, { type: 'whole' }> | undefined;
  readonly card: ToolCard | undefined;
}

export function mapPermission(state: UpdateMap, request: WirePermission, at: number): MappedPermission {
  const { toolCall, options } = request;
  const before = announcedBefore(state, toolCall.toolCallId);
  const { card, event } = foldPermissionRequest(state.tools, toolCall, at);
  const subject = describeSubject(state, request, card, before);
  const edit = state.quirks.announcedEdit(subject.title, subject.rawInput);
  const hasDiff = subject.content.some((part) => part.type === 'diff');
  const always = options.some((option) => option.kind === 'allow_always' || option.kind === 'reject_always');
  const alwaysScope = always ? state.quirks.alwaysScope(subject.title) : undefined;
  return {
    request: {
      kind: 'permission',
      sessionId: request.sessionId,
      subject,
      options,
      ...(alwaysScope === undefined ? {} : { alwaysScope }),
    },
    events: event === undefined ? [] : [event],
    unseenEdit: edit?.type === 'whole' && !hasDiff ? edit : undefined,
    card,
  };
}

/** What the tool call said before its request, which may say less and then replaces it in the transcript. */
type Announced = Pick<ToolCard, 'rawInput' | 'content' | 'locations'>;

function announcedBefore({ tools }: UpdateMap, toolCallId: string): Announced | undefined {
  const card = tools.latest.get(toolCallId);
  if (card === undefined || card.period !== tools.period || card.ended) return undefined;
  return { rawInput: card.rawInput, content: shownContent(card), locations: card.locations };
}

function describeSubject(
  state: UpdateMap,
  { toolCall }: WirePermission,
  card: ToolCard | undefined,
  before: Announced | undefined,
): PermissionSubject {
  const { quirks } = state;
  const title = toolCall.title || card?.title || toolCall.toolCallId || 'Tool call';
  const asked = toolCall.content == null ? [] : withWholePaths(state.tools, quirks.permissionContent(toolCall.content));
  const content = asked.length > 0 || card === undefined ? asked : shownContent(card);
  const locations = toolCall.locations ?? card?.locations ?? [];
  return {
    itemId: card?.itemId,
    toolCallId: toolCall.toolCallId,
    title,
    toolKind: quirks.toolKind(title, toolCall.kind ?? card?.kind ?? 'other'),
    rawInput: mergeInput(before?.rawInput, toolCall.rawInput ?? card?.rawInput),
    content: [...content, ...unsaid(before?.content ?? [], content)],
    locations: [...locations, ...unsaidPlaces(before?.locations ?? [], locations)],
  };
}

/** What only the tool call said is not lost, but it never changes a command, or another member, that the request names itself. */
function mergeInput(before: unknown, asked: unknown): unknown {
  if (asked === undefined || asked === null) return before;
  if (!isFields(before) || !isFields(asked)) return asked;
  const differs = Object.entries(asked).some(([name, value]) => Object.hasOwn(before, name) && !isDeepStrictEqual(before[name], value));
  const isPart = Object.keys(asked).every((name) => Object.hasOwn(before, name));
  return differs || (!isPart && commandsIn(asked).length > 0) ? asked : { ...before, ...asked };
}

/** Two changes of a file are the same only if they change the same. */
function unsaid(before: readonly ToolCallContent[], asked: readonly ToolCallContent[]): readonly ToolCallContent[] {
  const known = new Set(asked.map((part) => JSON.stringify(part)));
  return before.filter((part) => !known.has(JSON.stringify(part)));
}

function unsaidPlaces(before: PermissionSubject['locations'], asked: PermissionSubject['locations']): PermissionSubject['locations'] {
  const known = new Set(asked.map(({ path }) => path));
  return before.filter(({ path }) => !known.has(path));
}

/** Creates the diff of a complete write from the current content of the file. */
export async function diffOfWrite(
  cwd: string,
  edit: Extract<AnnouncedEdit, { type: 'whole' }>,
  files: FileAccess,
): Promise<ToolCallContent | undefined> {
  const path = resolve(cwd, edit.path);
  const oldText = await files.peek(path);
  return oldText === undefined ? undefined : { type: 'diff', path, oldText, newText: edit.newText };
}

/** Adds the diff that the host created to the request and to its tool call. */
function withDiff(
  mapped: MappedPermission,
  diff: ToolCallContent,
  at: number,
): { readonly request: MappedPermission['request']; readonly event: ToolEvent | undefined } {
  const { request, card } = mapped;
  return {
    request: { ...request, subject: { ...request.subject, content: [diff, ...request.subject.content] } },
    event: card === undefined ? undefined : attachDiff(card, diff, at),
  };
}
