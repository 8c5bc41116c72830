/** Maps `session/request_permission` to what the user needs to decide. */
import { resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { isFields } from '../../base/fields.js';
import type { FileAccess } from '../../services/files.js';
import type { NewRequest } from '../../services/hostServices.js';
import { commandsIn } from '../../session/commandInput.js';
import type { SessionEvent } from '../../session/event.js';
import type { ToolCallContent } from '../../session/model.js';
import type { PermissionSubject } from '../../session/userRequest.js';
import type { MapState } from './map.js';
import type { AcpQuirks, AnnouncedEdit } from '../../agents/acpQuirks.js';
import type { WirePermission } from './schema/requests.js';
import type { ToolCard } from './toolCards.js';
import { attachDiff, foldPermissionRequest, shownContent, type ToolEvent } from './toolFold.js';

export interface MappedPermission {
  readonly request: Extract<NewRequest, { kind: 'permission' }>;
  /** What the request says about its tool call. */
  readonly events: readonly SessionEvent[];
  /** The agent announces this write without a diff, so the host should read the file before the user decides. */
  readonly unseenEdit: Extract<AnnouncedEdit, { type: 'whole' }> | undefined;
  readonly card: ToolCard | undefined;
}

export function mapPermission(state: MapState, request: WirePermission, at: number): MappedPermission {
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

function announcedBefore({ tools }: MapState, toolCallId: string): Announced | undefined {
  const card = tools.latest.get(toolCallId);
  if (card === undefined || card.period !== tools.period || card.ended) return undefined;
  return { rawInput: card.rawInput, content: shownContent(card), locations: card.locations };
}

function describeSubject(
  state: MapState,
  { toolCall }: WirePermission,
  card: ToolCard | undefined,
  before: Announced | undefined,
): PermissionSubject {
  const { quirks } = state;
  const title = toolCall.title || card?.title || toolCall.toolCallId || 'Tool call';
  const asked = toolCall.content == null ? [] : absolute(quirks, state.tools.cwd, quirks.permissionContent(toolCall.content));
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

function absolute(quirks: AcpQuirks, cwd: string, content: readonly ToolCallContent[]): readonly ToolCallContent[] {
  return quirks.relativePaths ? content.map((part) => (part.type === 'diff' ? { ...part, path: resolve(cwd, part.path) } : part)) : content;
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
export function withDiff(
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
