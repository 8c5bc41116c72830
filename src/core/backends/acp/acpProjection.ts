/**
 * Maps session events to ACP updates, for machine-readable output and for editors that speak ACP. The result is ACP whatever protocol the
 * agent speaks. For an ACP agent, the result is what the agent sent, except for what the adapter made unambiguous
 * (test/core/backends/acpProjection.test.ts lists it).
 */
import { isDeepStrictEqual } from 'node:util';
import type { SessionUpdate } from '@agentclientprotocol/sdk';
import { withoutAbsent } from '../../base/fields.js';
import type { SessionEvent, ToolPatch } from '../../session/event.js';
import type { ContentBlock, Meta, SelectOption, SubagentStatus, ToolCallContent } from '../../session/model.js';
import type { PermissionSubject } from '../../session/userRequest.js';
import { MODE_OPTION_ID, type SessionOption } from '../../session/sessionOption.js';
import { toConfigOption, toModes } from './acpOptions.js';
import { promptIdMeta } from './schema/delivery.js';
import { exitIn } from './toolOutput.js';

export { deliveryIn, deliveryMeta, deliveryOffer, forkedAfter, promptIdIn, queueMeta } from './schema/delivery.js';

/** An ACP update; `sessionUpdate` names its kind, which may be one that only this agent knows. */
export type AcpUpdate = { readonly sessionUpdate: string } & Meta;

/** ACP's `SessionModeState`. A program that uses the library compiles without the SDK, so its types are written out. */
interface AcpModes {
  currentModeId: string;
  availableModes: { id: string; name: string; description?: string | null }[];
}

type AcpChoice = { value: string; name: string; description?: string | null };

/** ACP's `SessionConfigOption`. */
type AcpConfigOption = { id: string; name: string; description?: string | null; category?: string | null } & (
  | { type: 'boolean'; currentValue: boolean }
  | { type: 'select'; currentValue: string; options: AcpChoice[] | { group: string; name: string; options: AcpChoice[] }[] }
);

/** What a session offers, as in ACP's answers to `session/new` and `session/load`. */
export interface AcpOffer {
  readonly modes?: AcpModes;
  readonly configOptions: AcpConfigOption[];
}

/** ACP's `ToolCallUpdate` in a permission request. */
interface AcpToolCall extends Pick<PermissionSubject, 'toolCallId' | 'title'> {
  kind: PermissionSubject['toolKind'];
  rawInput?: unknown;
  content: AcpToolContent[];
  locations: { path: string; line?: number | null }[];
}

type WithOwnAnnotations<T> = T extends unknown ? Omit<T, 'annotations'> & { annotations?: Record<string, unknown> } : never;
/** ACP's `ContentBlock`. */
type AcpBlock = WithOwnAnnotations<ContentBlock>;
/** ACP's `ToolCallContent`. */
type AcpToolContent =
  | { type: 'content'; content: AcpBlock }
  | Extract<ToolCallContent, { type: 'diff' }>
  | Omit<Extract<ToolCallContent, { type: 'terminal' }>, 'output'>;

interface AcpOptionsForm {
  /** Also lists the mode among the options, for clients that support options: they ignore `modes` (ACP, "Session Config Options"). */
  readonly listsMode?: boolean;
}

export function toAcpOffer(options: readonly SessionOption[], { listsMode = false }: AcpOptionsForm = {}): AcpOffer {
  const mode = modeOf(options);
  const configOptions = options.filter((option) => listsMode || option !== mode).map(toConfigOption);
  return mode === undefined ? { configOptions } : { modes: toModes(mode), configOptions };
}

/** Returns the subject of a permission as the tool call of ACP's request. */
export function toAcpPermission({ toolCallId, title, toolKind, rawInput, content, locations }: PermissionSubject): AcpToolCall {
  return {
    toolCallId,
    title,
    kind: toolKind,
    ...(rawInput === undefined ? {} : { rawInput }),
    content: content.map(toWireContent),
    locations: locations.map((location) => ({ ...location })),
  };
}

const messageKinds = { agent: 'agent_message_chunk', thought: 'agent_thought_chunk', user: 'user_message_chunk' } as const;

/** Maps the events of one session. Remembers which tool calls and options it has reported. */
export class AcpProjection {
  readonly #tools = new Set<string>();
  readonly #form: AcpOptionsForm;
  #options: readonly SessionOption[];

  /** @param options those that were reported when the session was opened */
  constructor(options: readonly SessionOption[] = [], form: AcpOptionsForm = {}) {
    this.#options = options;
    this.#form = form;
  }

  /** @returns nothing for events that are not updates in ACP (turns, requests, the queue), and for notices of the host itself */
  project(event: SessionEvent): readonly AcpUpdate[] {
    switch (event.type) {
      case 'message':
        return [
          withMeta({ sessionUpdate: messageKinds[event.role], content: toWireBlock(event.content), ...idOf(event) }, withPromptId(event)),
        ];
      case 'tool':
        return event.origin === 'host' ? [] : [withMeta(this.#tool(event), metaWithExit(event))];
      case 'subagent':
        return [toSubagent(event)];
      case 'plan':
        return [withMeta(toPlan(event), event)];
      case 'commands':
        return [
          withMeta(
            { sessionUpdate: 'available_commands_update', availableCommands: event.commands.map(({ host: _, ...command }) => command) },
            event,
          ),
        ];
      case 'options':
        return this.#changedOptions(event.options).map((update) => withMeta(update, event));
      case 'info':
        return [
          withMeta(
            {
              sessionUpdate: 'session_info_update',
              ...withoutAbsent({ title: event.title, updatedAt: event.updatedAt }),
            },
            event,
          ),
        ];
      case 'usage': {
        // ACP can't say that it is unknown.
        if (event.usage === undefined) return [];
        const { used, size, cost } = event.usage;
        return [withMeta({ sessionUpdate: 'usage_update', used, size, ...(cost === undefined ? {} : { cost: { ...cost } }) }, event)];
      }
      case 'notice': {
        const { severity, title, description } = event;
        return [withMeta({ sessionUpdate: 'notice', severity, title, ...(description === undefined ? {} : { description }) }, event)];
      }
      case 'compaction':
        return [withMeta(toCompaction(event), event)];
      case 'extension':
        return [{ ...event.payload, sessionUpdate: event.kind }];
      default:
        return [];
    }
  }

  #tool({ id, toolCallId, patch, origin }: Extract<SessionEvent, { type: 'tool' }>): SessionUpdate {
    // The agent itself reported the end of a call whose question the user closed.
    const isFailed = patch.status === 'cancelled' && origin !== 'host';
    const fields = { toolCallId, ...toWirePatch(isFailed ? { ...patch, status: 'failed' } : patch) };
    // A call without a title is reported as an update, as it arrived.
    if (this.#tools.has(id) || patch.title === undefined) return { sessionUpdate: 'tool_call_update', ...fields };
    this.#tools.add(id);
    return { sessionUpdate: 'tool_call', ...fields, title: patch.title };
  }

  #changedOptions(options: readonly SessionOption[]): readonly SessionUpdate[] {
    const before = this.#options;
    this.#options = options;
    const mode = modeOf(options);
    const { configOptions } = toAcpOffer(options, this.#form);
    const updates: SessionUpdate[] = [];
    if (mode !== undefined && mode.currentValue !== modeOf(before)?.currentValue) {
      updates.push({ sessionUpdate: 'current_mode_update', currentModeId: mode.currentValue });
    }
    if (!isDeepStrictEqual(configOptions, toAcpOffer(before, this.#form).configOptions)) {
      updates.push({ sessionUpdate: 'config_option_update', configOptions });
    }
    return updates;
  }
}

function modeOf(options: readonly SessionOption[]): SelectOption | undefined {
  return options.find((option): option is SelectOption => option.id === MODE_OPTION_ID && option.type === 'select');
}

function withMeta(update: SessionUpdate | AcpUpdate, { meta }: { readonly meta?: Meta }): AcpUpdate {
  return meta === undefined ? { ...update } : { ...update, _meta: meta };
}

/**
 * ACP has no member for the exit of a command. Several agents report it like this, and editors read it. If the agent has already reported
 * the exit, it is not added again.
 */
function metaWithExit({ meta, toolCallId, patch }: Extract<SessionEvent, { type: 'tool' }>): { readonly meta?: Meta } {
  const { exit, rawOutput } = patch;
  const isReported = meta?.['terminal_exit'] !== undefined || exitIn(rawOutput) !== undefined;
  if (exit === undefined || isReported) return meta === undefined ? {} : { meta };
  const { code = null, signal = null } = exit;
  return { meta: { ...meta, terminal_exit: { terminal_id: toolCallId, exit_code: code, signal } } };
}

function withPromptId(event: Extract<SessionEvent, { type: 'message' }>): { readonly meta?: Meta } {
  return event.promptId === undefined ? event : { meta: { ...event.meta, ...promptIdMeta(event.promptId) } };
}

function idOf({ messageId }: { readonly messageId?: string }): { readonly messageId?: string } {
  return messageId === undefined ? {} : { messageId };
}

function toWireBlock(block: ContentBlock): AcpBlock {
  const { annotations, ...rest } = block;
  return annotations == null ? rest : { ...rest, annotations: { ...annotations } };
}

/** ACP has no status for calls that an agent left open. A call that the user did not permit counts as failed. */
function toWirePatch({ toolKind, status, content, locations, exit: _exit, caveat: _caveat, ...rest }: ToolPatch): Meta {
  return {
    ...rest,
    ...withoutAbsent({
      kind: toolKind,
      status: status === 'cancelled' || status === 'unreported' ? undefined : status === 'rejected' ? 'failed' : status,
      content: content?.map(toWireContent),
      locations: locations?.map((location) => ({ ...location })),
    }),
  };
}

function toWireContent(part: ToolCallContent): AcpToolContent {
  if (part.type === 'content') return { ...part, content: toWireBlock(part.content) };
  if (part.type === 'diff') return { ...part };
  const { output: _, ...terminal } = part;
  return terminal;
}

function toPlan({ planId, entries, text }: Extract<SessionEvent, { type: 'plan' }>): AcpUpdate {
  const copied = entries.map((entry) => ({ ...entry }));
  if (planId === undefined) return { sessionUpdate: 'plan', entries: copied };
  if (text !== undefined) {
    const path = text.path === undefined ? {} : { path: text.path };
    return { sessionUpdate: 'plan_update', plan: { type: 'markdown', planId, content: text.markdown, ...path } };
  }
  return entries.length === 0
    ? { sessionUpdate: 'plan_removed', planId }
    : { sessionUpdate: 'plan_update', plan: { type: 'items', planId, entries: copied } };
}

/** A sub-agent that agents of other kinds tell of has an ID of this program's own. */
function toSubagent({ agentId, patch, toolId }: Extract<SessionEvent, { type: 'subagent' }>): AcpUpdate {
  const { title, description, status, error, canStop } = patch;
  return {
    sessionUpdate: 'subagent_update',
    sessionId: agentId,
    ...withoutAbsent({
      title,
      description,
      capabilities: canStop === undefined ? undefined : canStop ? { cancel: {} } : {},
      state: status && toState(status, error ?? undefined),
      _meta: toolId === undefined ? undefined : { 'acp-host': { toolCall: toolId } },
    }),
  };
}

function toState(status: SubagentStatus, error: string | undefined): Meta {
  switch (status) {
    case 'running':
    case 'requires_action':
    case 'unknown':
      return { state: status };
    case 'idle':
      return { state: 'idle', stopReason: 'end_turn' };
    case 'cancelled':
      return { state: 'idle', stopReason: 'cancelled' };
    case 'failed':
      return { state: 'idle', stopReason: 'error', error: { code: -32603, message: error ?? 'The sub-agent failed' } };
    case 'unreported':
      return { state: 'unknown' };
  }
}

function toCompaction({ id, status, summary, summaryChunk, error }: Extract<SessionEvent, { type: 'compaction' }>): SessionUpdate {
  if (summaryChunk !== undefined)
    return { sessionUpdate: 'compaction_summary_chunk', compactionId: id, content: toWireBlock(summaryChunk) };
  return {
    sessionUpdate: 'compaction_update',
    compactionId: id,
    status: status ?? 'in_progress',
    ...withoutAbsent({ summary: summary?.map(toWireBlock), error }),
  };
}
