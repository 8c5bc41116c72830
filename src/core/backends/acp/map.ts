/** Maps ACP v1 updates to session events: the same updates in the same order result in the same events. */
import { fileURLToPath } from 'node:url';
import type { ContentBlock as WireBlock } from '@agentclientprotocol/sdk';
import type { AcpQuirks } from '../../agents/acpQuirks.js';
import { promptIdIn, type ReportedPrompt } from './schema/delivery.js';
import type { AgentInfo } from '../agentBackend.js';
import { usableCommands } from '../agentInput.js';
import type { SessionEvent } from '../../session/event.js';
import type { ContentBlock, MessageRole, Meta, QueuedPrompt } from '../../session/model.js';
import { toAcceptedContent } from '../promptContent.js';
import { beginPeriod, createToolFold, type ToolFold } from './toolCards.js';
import { closeOpenCards, foldToolCall, foldToolCallUpdate } from './toolFold.js';
import type { SessionUpdate } from './schema/updates.js';
import { randomUUID } from 'node:crypto';

/** More plans than anybody reads in a turn. */
const mostPlans = 64;
/** More messages than anybody reads; of others, only the first part is known to be theirs. */
const mostSessionMessages = 1_000;

/** Maps the updates of one session, and remembers what it takes to understand the next one. */
export class UpdateMap {
  readonly quirks: AcpQuirks;
  readonly tools: ToolFold;
  readonly queue = new AcpQueue();
  /** The name of the period outside of turns. */
  readonly period: string;
  /** Whose session it is, if it is that of a sub-agent. */
  readonly #subagentId: string | undefined;
  /** The agent's text since the last other update. It is compared with thoughts, because some agents repeat it. */
  #streamedText = '';
  /** The rest of the running turn's prompt while the agent echoes it. */
  #echo = '';
  #inTurn = false;
  /** The number of prompts outside of turns, which divide a replay into turns. */
  #replayed = 0;
  #lastKind: SessionUpdate['sessionUpdate'] | undefined;
  /** The ids of the plans that the agent has told about or removed since the turn began. */
  readonly #plans = new Set<string>();
  /** Who says the messages between sessions, by their ids. */
  readonly #sessionMessages = new Map<string, MessageRole>();

  /** @param period the name of the period outside of turns, which no earlier process may have used */
  constructor(quirks: AcpQuirks, cwd: string, period: string, subagentId?: string) {
    this.quirks = quirks;
    this.tools = createToolFold(cwd, quirks, period);
    this.period = period;
    this.#subagentId = subagentId;
  }

  get inTurn(): boolean {
    return this.#inTurn;
  }

  beginTurn(turnId: string, content: readonly ContentBlock[]): void {
    beginPeriod(this.tools, turnId);
    this.#plans.clear();
    this.queue.beginTurn();
    this.#inTurn = true;
    this.#streamedText = '';
    this.#echo = content.map((block) => (block.type === 'text' ? block.text : '')).join('');
  }

  /** Call this at the end of a turn or of a replay: the tool calls that the agent left open will not continue. */
  endTurn(at: number, isCancelled: boolean): readonly SessionEvent[] {
    this.#inTurn = false;
    this.#echo = '';
    return closeOpenCards(this.tools, at, isCancelled);
  }

  /** Updates of options result in no event here, because acpOptions.ts handles them. */
  toEvent(update: SessionUpdate, at: number): SessionEvent | undefined {
    // An echo of the prompt precedes the answer. Afterwards, the same text is another message of the user.
    if (isAnswer(update)) this.#echo = '';
    const event = this.#map(update, at);
    this.#lastKind = update.sessionUpdate;
    return event;
  }

  #map(update: SessionUpdate, at: number): SessionEvent | undefined {
    switch (update.sessionUpdate) {
      case 'agent_message_chunk':
        if (this.quirks.repeatsTextAsThought) this.#rememberText(update.content);
        return message('agent', update, at);
      case 'agent_thought_chunk':
        return this.#isRepeated(update.content) ? undefined : message('thought', update, at);
      case 'user_message_chunk':
        return this.#userChunk(update, at);
      case 'tool_call':
        return foldToolCall(this.tools, update, at);
      case 'tool_call_update':
        return foldToolCallUpdate(this.tools, update, at);
      case 'plan':
        return { type: 'plan', at, entries: update.entries, ...metaOf(update) };
      case 'plan_update':
        return this.#plan(update, at);
      case 'plan_removed':
        // It may be a plan of an earlier turn, or of an earlier process.
        return this.#isShown(update.planId) ? { type: 'plan', at, planId: update.planId, entries: [], ...metaOf(update) } : undefined;
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
        return this.#sessionMessage(update, at);
      case 'session_message_chunk': {
        const role = this.#sessionMessages.get(update.messageId) ?? this.#roleOf({});
        return { type: 'message', at, role, messageId: update.messageId, content: update.content, ...metaOf(update) };
      }
      // It is about another session.
      case 'subagent_update':
        return undefined;
    }
  }

  /** Some agents echo the prompt, which the host already shows. Outside of a turn, in a replay, a user message begins the next turn. */
  #userChunk(update: Chunk, at: number): SessionEvent | undefined {
    if (update.content.type === 'text' && update.content.text !== '' && this.#echo.startsWith(update.content.text)) {
      this.#echo = this.#echo.slice(update.content.text.length);
      return undefined;
    }
    if (!this.#inTurn && this.#lastKind !== 'user_message_chunk') {
      beginPeriod(this.tools, `${this.period}.${++this.#replayed}`);
      this.#plans.clear();
    }
    const event = message('user', update, at);
    const promptId = promptIdIn(update._meta);
    return promptId !== undefined && this.queue.hasSent(promptId) ? { ...event, promptId } : event;
  }

  #rememberText(content: ContentBlock): void {
    if (this.#lastKind !== 'agent_message_chunk') this.#streamedText = '';
    if (content.type === 'text') this.#streamedText += content.text;
  }

  #isRepeated(content: ContentBlock): boolean {
    if (!this.quirks.repeatsTextAsThought || content.type !== 'text') return false;
    const thought = content.text.trim();
    return thought !== '' && thought === this.#streamedText.trim();
  }

  /** @returns undefined if there are too many plans */
  #plan(update: PlanUpdate, at: number): SessionEvent | undefined {
    const { plan } = update;
    const { planId } = plan;
    if (!this.#isShown(planId)) return undefined;
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

  #isShown(planId: string): boolean {
    if (this.#plans.size >= mostPlans && !this.#plans.has(planId)) return false;
    this.#plans.add(planId);
    return true;
  }

  /** An agent may repeat a message, but what was said stays. */
  #sessionMessage(update: SessionMessage, at: number): SessionEvent | undefined {
    const { messageId, content } = update;
    const isKnown = this.#sessionMessages.has(messageId);
    const role = this.#roleOf(update);
    if (this.#sessionMessages.size < mostSessionMessages) this.#sessionMessages.set(messageId, role);
    const text = (content ?? []).map((block) => (block.type === 'text' ? block.text : `[${block.type}]`)).join('\n\n');
    if (isKnown || text === '') return undefined;
    return { type: 'message', at, role, messageId, content: { type: 'text', text }, ...metaOf(update) };
  }

  /** What is said to a sub-agent is its prompt. In the session of the agent, it is no answer to the user. */
  #roleOf({ senderSessionId }: Partial<SessionMessage>): MessageRole {
    if (this.#subagentId === undefined) return 'thought';
    return senderSessionId === this.#subagentId ? 'agent' : 'user';
  }
}

function isAnswer({ sessionUpdate: kind }: SessionUpdate): boolean {
  return kind === 'agent_message_chunk' || kind === 'agent_thought_chunk' || kind === 'tool_call';
}

type SessionMessage = Extract<SessionUpdate, { sessionUpdate: 'session_message' }>;

type PlanUpdate = Extract<SessionUpdate, { sessionUpdate: 'plan_update' }>;

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

const severities = ['info', 'warning', 'error'] as const;

function severityOf(severity: string): (typeof severities)[number] {
  return severities.find((known) => known === severity) ?? 'info';
}

/**
 * Converts a prompt to ACP's blocks: always `text` and `resource_link`, the rest according to `promptCapabilities`.
 * @throws HostError like toAcceptedContent
 */
export function toPromptBlocks(content: readonly ContentBlock[], accepted: AgentInfo['promptContent'], quirks: AcpQuirks): WireBlock[] {
  return toAcceptedContent(content, accepted).map((block) => quirks.promptBlock(block));
}

/** No user reads more of them. The others are shown when they come up. */
const mostShown = 64;

/** The queue of an agent that reports the whole queue with each change. */
export class AcpQueue {
  /** By the agent's id. */
  #waiting: ReadonlyMap<string, QueuedPrompt> = new Map();
  /** What was sent and not answered, by the host's id: the agent reports only its text. */
  readonly #sending = new Map<string, readonly ContentBlock[]>();
  /** The ids of what was sent to running turns, until a later turn begins without it. */
  readonly #sent = new Set<string>();

  /** Call this before a prompt is sent. @returns call this when the agent has answered */
  sending(promptId: string, content: readonly ContentBlock[]): () => void {
    this.#sending.set(promptId, content);
    this.#sent.add(promptId);
    return () => this.#sending.delete(promptId);
  }

  /** Call this when a turn begins: the agent has said what it got in an earlier one. */
  beginTurn(): void {
    for (const id of this.#sent) if (!this.#sending.has(id) && !this.#waiting.has(id)) this.#sent.delete(id);
  }

  hasSent(promptId: string): boolean {
    return this.#sent.has(promptId);
  }

  replace(reported: readonly ReportedPrompt[], at: number): readonly SessionEvent[] {
    const before = this.#waiting;
    const now = new Map(reported.slice(0, mostShown).map((one) => [one.id, before.get(one.id) ?? this.#toQueued(one, at)]));
    this.#waiting = now;
    const gone = [...before].filter(([id]) => !now.has(id));
    const added = [...now].filter(([id]) => !before.has(id));
    return [
      ...gone.map(([, { id }]): SessionEvent => ({ type: 'unqueued', at, promptId: id })),
      ...added.map(([, prompt]): SessionEvent => ({ type: 'queued', at, prompt })),
    ];
  }

  /** An id that is not the host's may be that of any prompt. */
  #toQueued({ id, text }: ReportedPrompt, at: number): QueuedPrompt {
    const content = this.#sending.get(id);
    return content === undefined ? { id: randomUUID(), content: [{ type: 'text', text }], at } : { id, content, at };
  }
}
