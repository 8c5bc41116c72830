/**
 * Maps ACP v1 updates to session events. Pure except for the state that is passed in: the same updates in the same order result in the same
 * events.
 */
import { fileURLToPath } from 'node:url';
import type { ContentBlock as WireBlock } from '@agentclientprotocol/sdk';
import type { AcpQuirks } from '../../agents/acpQuirks.js';
import { promptIdIn } from './schema/delivery.js';
import type { AgentInfo } from '../agentBackend.js';
import { usableCommands } from '../agentInput.js';
import type { SessionEvent } from '../../session/event.js';
import type { ContentBlock, MessageRole, Meta } from '../../session/model.js';
import { toAcceptedContent } from '../promptContent.js';
import { AcpQueue } from './acpQueue.js';
import { beginPeriod, createToolFold, type ToolFold } from './toolCards.js';
import { closeOpenCards, foldToolCall, foldToolCallUpdate } from './toolFold.js';
import type { SessionUpdate } from './schema/updates.js';

/** What must be remembered about a session to understand its next update. */
export interface MapState {
  readonly quirks: AcpQuirks;
  readonly tools: ToolFold;
  /** The agent's text since the last other update. It is compared with thoughts, because some agents repeat it. */
  streamedText: string;
  /** The rest of the running turn's prompt while the agent echoes it. */
  echo: string;
  readonly queue: AcpQueue;
  inTurn: boolean;
  /** The name of the period outside of turns. */
  readonly period: string;
  /** The number of prompts outside of turns, which divide a replay into turns. */
  replayed: number;
  lastKind: SessionUpdate['sessionUpdate'] | undefined;
  /** The ids of the plans that the agent has told about or removed since the turn began. */
  readonly plans: Set<string>;
  /** Whose session it is, if it is that of a sub-agent. */
  readonly subagentId: string | undefined;
  /** Who says the messages between sessions, by their ids. */
  readonly sessionMessages: Map<string, MessageRole>;
}

/** More plans than anybody reads in a turn. */
const mostPlans = 64;

/** @param period the name of the period outside of turns, which no earlier process may have used */
export function createMapState(quirks: AcpQuirks, cwd: string, period: string, subagentId?: string): MapState {
  return {
    quirks,
    tools: createToolFold(cwd, quirks, period),
    streamedText: '',
    echo: '',
    queue: new AcpQueue(),
    inTurn: false,
    period,
    replayed: 0,
    lastKind: undefined,
    plans: new Set(),
    subagentId,
    sessionMessages: new Map(),
  };
}

export function beginTurn(state: MapState, turnId: string, content: readonly ContentBlock[]): void {
  beginPeriod(state.tools, turnId);
  state.plans.clear();
  state.queue.beginTurn();
  state.inTurn = true;
  state.streamedText = '';
  state.echo = content.map((block) => (block.type === 'text' ? block.text : '')).join('');
}

/** Call this at the end of a turn or of a replay: the tool calls that the agent left open will not continue. */
export function endTurn(state: MapState, at: number, isCancelled: boolean): readonly SessionEvent[] {
  state.inTurn = false;
  state.echo = '';
  return closeOpenCards(state.tools, at, isCancelled);
}

/** Updates of options result in no event here, because acpOptions.ts handles them. */
export function mapUpdate(state: MapState, update: SessionUpdate, at: number): SessionEvent | undefined {
  // An echo of the prompt precedes the answer. Afterwards, the same text is another message of the user.
  if (isAnswer(update)) state.echo = '';
  const event = mapOne(state, update, at);
  state.lastKind = update.sessionUpdate;
  return event;
}

function isAnswer({ sessionUpdate: kind }: SessionUpdate): boolean {
  return kind === 'agent_message_chunk' || kind === 'agent_thought_chunk' || kind === 'tool_call';
}

function mapOne(state: MapState, update: SessionUpdate, at: number): SessionEvent | undefined {
  switch (update.sessionUpdate) {
    case 'agent_message_chunk':
      if (state.quirks.repeatsTextAsThought) rememberText(state, update.content);
      return message('agent', update, at);
    case 'agent_thought_chunk':
      return isRepeated(state, update.content) ? undefined : message('thought', update, at);
    case 'user_message_chunk':
      return mapUserChunk(state, update, at);
    case 'tool_call':
      return foldToolCall(state.tools, update, at);
    case 'tool_call_update':
      return foldToolCallUpdate(state.tools, update, at);
    case 'plan':
      return { type: 'plan', at, entries: update.entries, ...metaOf(update) };
    case 'plan_update':
      return mapPlan(state, update, at);
    case 'plan_removed':
      // It may be a plan of an earlier turn, or of an earlier process.
      return isShown(state, update.planId) ? { type: 'plan', at, planId: update.planId, entries: [], ...metaOf(update) } : undefined;
    case 'available_commands_update':
      return { type: 'commands', at, commands: usableCommands(update.availableCommands), ...metaOf(update) };
    case 'current_mode_update':
    case 'config_option_update':
      return undefined;
    case 'session_info_update':
      return {
        type: 'info',
        at,
        ...(update.title === undefined ? {} : { title: update.title }),
        ...(update.updatedAt === undefined ? {} : { updatedAt: update.updatedAt }),
        ...metaOf(update),
      };
    case 'usage_update':
      return { type: 'usage', at, usage: { used: update.used, size: update.size, cost: update.cost ?? undefined }, ...metaOf(update) };
    case 'notice':
      return {
        type: 'notice',
        at,
        severity: severityOf(update.severity),
        title: update.title,
        ...(update.description == null ? {} : { description: update.description }),
        ...metaOf(update),
      };
    case 'compaction_update':
      return {
        type: 'compaction',
        at,
        id: update.compactionId,
        status: update.status,
        ...(update.summary === undefined ? {} : { summary: update.summary ?? [] }),
        ...(update.error === undefined ? {} : { error: update.error }),
        ...metaOf(update),
      };
    case 'compaction_summary_chunk':
      return { type: 'compaction', at, id: update.compactionId, summaryChunk: update.content, ...metaOf(update) };
    case 'session_message':
      return mapSessionMessage(state, update, at);
    case 'session_message_chunk': {
      const role = state.sessionMessages.get(update.messageId) ?? roleOf(state, {});
      return { type: 'message', at, role, messageId: update.messageId, content: update.content, ...metaOf(update) };
    }
    // It is about another session.
    case 'subagent_update':
      return undefined;
  }
}

type SessionMessage = Extract<SessionUpdate, { sessionUpdate: 'session_message' }>;

/** What is said to a sub-agent is its prompt. In the session of the agent, it is no answer to the user. */
function roleOf({ subagentId }: MapState, { senderSessionId }: Partial<SessionMessage>): MessageRole {
  if (subagentId === undefined) return 'thought';
  return senderSessionId === subagentId ? 'agent' : 'user';
}

/** More messages than anybody reads; of others, only the first part is known to be theirs. */
const mostSessionMessages = 1_000;

/** An agent may repeat a message, but what was said stays. */
function mapSessionMessage(state: MapState, update: SessionMessage, at: number): SessionEvent | undefined {
  const { messageId, content } = update;
  const isKnown = state.sessionMessages.has(messageId);
  const role = roleOf(state, update);
  if (state.sessionMessages.size < mostSessionMessages) state.sessionMessages.set(messageId, role);
  const text = (content ?? []).map((block) => (block.type === 'text' ? block.text : `[${block.type}]`)).join('\n\n');
  if (isKnown || text === '') return undefined;
  return { type: 'message', at, role, messageId, content: { type: 'text', text }, ...metaOf(update) };
}

type PlanUpdate = Extract<SessionUpdate, { sessionUpdate: 'plan_update' }>;

/** @returns undefined if there are too many plans */
function mapPlan(state: MapState, update: PlanUpdate, at: number): SessionEvent | undefined {
  const { plan } = update;
  const { planId } = plan;
  if (!isShown(state, planId)) return undefined;
  const event = { type: 'plan', at, planId, entries: [], ...metaOf(update) } as const;
  switch (plan.type) {
    case 'items':
      return { ...event, entries: plan.entries };
    case 'markdown':
      return { ...event, text: { markdown: plan.content, ...(plan.path == null || plan.path === '' ? {} : { path: plan.path }) } };
    case 'file':
      return { ...event, text: { markdown: '', ...pathOf(plan.uri) } };
  }
}

function isShown({ plans }: MapState, planId: string): boolean {
  if (plans.size >= mostPlans && !plans.has(planId)) return false;
  plans.add(planId);
  return true;
}

function pathOf(uri: string): { readonly path?: string } {
  try {
    return { path: fileURLToPath(uri) };
  } catch {
    return {};
  }
}

export function metaOf({ _meta: meta }: { readonly _meta?: Meta | null }): { readonly meta?: Meta } {
  return meta == null ? {} : { meta };
}

export function toWireMeta(meta: Meta | undefined): { readonly _meta?: Record<string, unknown> } {
  return meta === undefined ? {} : { _meta: { ...meta } };
}

type Chunk = Extract<SessionUpdate, { sessionUpdate: 'user_message_chunk' | 'agent_message_chunk' | 'agent_thought_chunk' }>;

/** Nine of ten messages pass through here, so this creates no unnecessary objects. */
function message(role: MessageRole, update: Chunk, at: number): Extract<SessionEvent, { type: 'message' }> {
  const { content, messageId, _meta: meta } = update;
  if (meta != null) return { type: 'message', at, role, ...(messageId == null ? {} : { messageId }), content, meta };
  return messageId == null ? { type: 'message', at, role, content } : { type: 'message', at, role, messageId, content };
}

/** Some agents echo the prompt, which the host already shows. Outside of a turn, in a replay, a user message begins the next turn. */
function mapUserChunk(state: MapState, update: Chunk, at: number): SessionEvent | undefined {
  if (update.content.type === 'text' && update.content.text !== '' && state.echo.startsWith(update.content.text)) {
    state.echo = state.echo.slice(update.content.text.length);
    return undefined;
  }
  if (!state.inTurn && state.lastKind !== 'user_message_chunk') {
    beginPeriod(state.tools, `${state.period}.${++state.replayed}`);
    state.plans.clear();
  }
  const event = message('user', update, at);
  const promptId = promptIdIn(update._meta);
  return promptId !== undefined && state.queue.hasSent(promptId) ? { ...event, promptId } : event;
}

const severities = ['info', 'warning', 'error'] as const;

function severityOf(severity: string): (typeof severities)[number] {
  return severities.find((known) => known === severity) ?? 'info';
}

function rememberText(state: MapState, content: ContentBlock): void {
  if (state.lastKind !== 'agent_message_chunk') state.streamedText = '';
  if (content.type === 'text') state.streamedText += content.text;
}

function isRepeated(state: MapState, content: ContentBlock): boolean {
  if (!state.quirks.repeatsTextAsThought || content.type !== 'text') return false;
  const thought = content.text.trim();
  return thought !== '' && thought === state.streamedText.trim();
}

/**
 * Converts a prompt to ACP's blocks: always `text` and `resource_link`, the rest according to `promptCapabilities`.
 * @throws HostError like toAcceptedContent
 */
export function toPromptBlocks(content: readonly ContentBlock[], accepted: AgentInfo['promptContent'], quirks: AcpQuirks): WireBlock[] {
  return toAcceptedContent(content, accepted).map((block) => quirks.promptBlock(block));
}
