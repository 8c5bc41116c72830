/** `session/request_permission` → what a person needs to decide. */
import { resolve } from 'node:path';
import type { FileAccess } from '../../services/files.js';
import type { NewRequest } from '../../services/hostServices.js';
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
  /** What the request tells of its tool call. */
  readonly events: readonly SessionEvent[];
  /** The agent announces to write this and sends no diff: worth a look at what is on disk before the user decides. */
  readonly unseenEdit: Extract<AnnouncedEdit, { type: 'whole' }> | undefined;
  readonly card: ToolCard | undefined;
}

export function mapPermission(state: MapState, request: WirePermission, at: number): MappedPermission {
  const { toolCall, options } = request;
  const { card, event } = foldPermissionRequest(state.tools, toolCall, at);
  const subject = describeSubject(state, request, card);
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

function describeSubject(state: MapState, { toolCall }: WirePermission, card: ToolCard | undefined): PermissionSubject {
  const { quirks } = state;
  const title = toolCall.title || card?.title || toolCall.toolCallId || 'Tool call';
  const asked = toolCall.content == null ? [] : absolute(quirks, state.tools.cwd, quirks.permissionContent(toolCall.content));
  return {
    itemId: card?.itemId,
    toolCallId: toolCall.toolCallId,
    title,
    toolKind: quirks.toolKind(title, toolCall.kind ?? card?.kind ?? 'other'),
    rawInput: toolCall.rawInput ?? card?.rawInput,
    content: asked.length > 0 || card === undefined ? asked : shownContent(card),
    locations: toolCall.locations ?? card?.locations ?? [],
  };
}

function absolute(quirks: AcpQuirks, cwd: string, content: readonly ToolCallContent[]): readonly ToolCallContent[] {
  return quirks.relativePaths ? content.map((part) => (part.type === 'diff' ? { ...part, path: resolve(cwd, part.path) } : part)) : content;
}

/** The diff of a whole write, from the file as it is now. */
export async function diffOfWrite(
  cwd: string,
  edit: Extract<AnnouncedEdit, { type: 'whole' }>,
  files: FileAccess,
): Promise<ToolCallContent | undefined> {
  const path = resolve(cwd, edit.path);
  const oldText = await files.peek(path);
  return oldText === undefined ? undefined : { type: 'diff', path, oldText, newText: edit.newText };
}

/** The request and its card with the diff that the host made. */
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
