/** Sub-agents that an agent tells of only by naming the call that started them: in `_meta`, or in the titles of their calls. */
import type { SessionEvent } from '../../session/event.js';
import { isFields } from '../../base/fields.js';
import { isFinal, type Meta, type SubagentStatus, type ToolStatus } from '../../session/model.js';
import { subagentCall, subagentStart } from '../../agents/subagentCall.js';
import type { ToolCard, ToolFold } from './toolCards.js';
import type { AskingSubagent } from '../../session/userRequest.js';

/** Of one session, more than anybody follows: what further ones do is left out. */
export const mostSubagents = 256;

/** Sub-agents of sub-agents that start deeper than this are shown where the one that started them is. */
export const mostNested = 8;

interface CallSubagent {
  readonly agentId: string;
  readonly name: string;
  readonly depth: number;
  /** The one that started it. */
  readonly caller: CallSubagent | undefined;
}

type InSubagent = Extract<SessionEvent, { type: 'message' | 'tool' | 'notice' }>;

/** Nobody reads more of them, and what they call is remembered. */
const mostCalls = 10_000;

/** Knows the sub-agents of one session that are told of in this way. */
export class CallSubagents {
  readonly #fold: ToolFold;
  /** By the item of the call that started it. */
  readonly #byCall = new Map<string, CallSubagent>();
  /** By the items of the calls that they made. */
  readonly #callers = new Map<string, CallSubagent>();
  /** Whose calls have not ended. */
  readonly #working = new Set<CallSubagent>();

  constructor(fold: ToolFold) {
    this.#fold = fold;
  }

  /** Returns the event as one of the sub-agent that it belongs to, with what it says about that. */
  take(event: SessionEvent, meta: Meta | null | undefined, at: number): readonly SessionEvent[] {
    if (event.type !== 'message' && event.type !== 'tool' && event.type !== 'notice') return [event];
    const card = this.#starterOf(event, meta);
    // The input of the call has what the agent told it.
    if (card !== undefined && event.type === 'message' && event.role === 'user') return [];
    const own = card === undefined ? [event] : this.#inside(card, event, at);
    const started = event.type === 'tool' ? this.#byCall.get(event.id) : undefined;
    const { status = undefined } = event.type === 'tool' ? event.patch : {};
    if (started === undefined || status === undefined || !isFinal(status)) return own;
    // The end of the turn says nothing new of it.
    if (status === 'unreported' && !this.#working.has(started)) return own;
    // What was rejected began nothing: those below it don't go on either.
    const below = status === 'rejected' ? [...this.#working].filter((one) => isBelow(one, started)) : [];
    const ended = [started, ...below];
    for (const one of ended) this.#working.delete(one);
    return [...own, ...ended.map(({ agentId }) => ({ type: 'subagent' as const, at, agentId, patch: { status: endOf[status] } }))];
  }

  /** @param itemId of a tool call */
  callerOf(itemId: string): AskingSubagent | undefined {
    const caller = this.#callers.get(itemId);
    return caller && { id: caller.agentId, name: caller.name };
  }

  #starterOf(event: InSubagent, meta: Meta | null | undefined): ToolCard | undefined {
    const callId = meta == null ? undefined : parentCallIn(meta);
    const card = callId === undefined ? this.#starterByTitle(event) : this.#fold.latest.get(callId);
    // A call that is not known, or that is its own parent, starts nothing.
    return card?.shown === true && (event.type !== 'tool' || card.itemId !== event.id) ? card : undefined;
  }

  /** The only open call that starts a sub-agent of the name in the title. */
  #starterByTitle(event: InSubagent): ToolCard | undefined {
    const name = event.type === 'tool' && event.patch.title !== undefined ? subagentCall(event.patch.title)?.name : undefined;
    if (name === undefined) return undefined;
    const starters = [...this.#fold.open].filter(({ title, rawInput }) => isSameName(subagentStart(title, rawInput)?.name, name));
    return starters.length === 1 ? starters[0] : undefined;
  }

  #inside(card: ToolCard, event: InSubagent, at: number): readonly SessionEvent[] {
    const known = this.#byCall.get(card.itemId);
    if (known === undefined && this.#byCall.size >= mostSubagents) return [event];
    const agent = known ?? this.#begin(card);
    if (event.type === 'tool' && (this.#callers.size < mostCalls || this.#callers.has(event.id))) this.#callers.set(event.id, agent);
    const inside: SessionEvent = { ...event, subagentId: agent.agentId };
    return known === undefined ? [this.#announcement(card, agent, at), inside] : [inside];
  }

  #begin(card: ToolCard): CallSubagent {
    const { itemId, title, rawInput } = card;
    const caller = this.#callers.get(itemId);
    const depth = (caller?.depth ?? 0) + 1;
    const agent = { agentId: `call:${itemId}`, name: subagentStart(title, rawInput)?.name ?? title, depth, caller };
    this.#byCall.set(itemId, agent);
    if (statusOf(card) === 'running') this.#working.add(agent);
    return agent;
  }

  #announcement(card: ToolCard, { agentId, name, depth, caller }: CallSubagent, at: number): SessionEvent {
    const { itemId, title, rawInput } = card;
    const task = subagentStart(title, rawInput)?.task;
    return {
      type: 'subagent',
      at,
      agentId,
      ...(caller !== undefined && depth <= mostNested && { subagentId: caller.agentId }),
      patch: {
        title: name,
        ...(task === undefined ? {} : { description: task }),
        status: statusOf(card),
      },
      toolId: itemId,
    };
  }
}

const endOf: Readonly<Record<ToolStatus, SubagentStatus>> = {
  pending: 'running',
  in_progress: 'running',
  completed: 'idle',
  failed: 'failed',
  cancelled: 'cancelled',
  rejected: 'cancelled',
  unreported: 'unreported',
};

/** Nothing would end the sub-agent of a call that was rejected, or whose turn has ended. */
function statusOf({ ended, closed, decision }: ToolCard): SubagentStatus {
  if (ended) return 'idle';
  if (closed) return 'unreported';
  return decision === 'rejected' ? 'cancelled' : 'running';
}

function isBelow({ caller }: CallSubagent, one: CallSubagent): boolean {
  return caller !== undefined && (caller === one || isBelow(caller, one));
}

/** The names that agents use for it, beside or within a member of the vendor. */
const parentNames = ['parentToolUseId', 'parentToolCallId', 'parent_tool_use_id', 'parent_tool_call_id'] as const;

function parentCallIn(meta: Meta): string | undefined {
  for (const fields of [meta, ...Object.values(meta)]) {
    if (!isFields(fields)) continue;
    for (const name of parentNames) {
      const id = fields[name];
      if (typeof id === 'string' && id !== '') return id;
    }
  }
  return undefined;
}

function isSameName(one: string | undefined, other: string): boolean {
  const plain = (name: string): string => name.toLowerCase().replaceAll('_', '-');
  return one !== undefined && plain(one) === plain(other);
}
