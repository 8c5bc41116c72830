/** The cards of a session's tool calls, and which of them a message of the agent means. */
import { isDeepStrictEqual } from 'node:util';
import type { ToolCallUpdate } from '@agentclientprotocol/sdk';
import type { AcpQuirks } from '../../agents/acpQuirks.js';
import { isFields } from '../../base/fields.js';
import type { ToolCallContent, ToolCallLocation, ToolKind } from '../../session/model.js';
import { noOutput, type OutputText } from './outputText.js';
import { AgentTerminals } from './terminalOutput.js';

export type Decision = 'allowed' | 'rejected';

/** What the fold remembers of a card; what the reducer keeps is not kept twice. */
export interface ToolCard {
  readonly itemId: string;
  readonly period: string;
  /** That of the permission request until the tool call comes, where that has another. */
  toolCallId: string;
  /** An event has told of it. */
  shown: boolean;
  /** A `tool_call` has come; before, updates or a permission request made the card. */
  announced: boolean;
  /** The agent said that it completed or failed. */
  ended: boolean;
  /** The turn ended before that; only a real end is news. */
  closed: boolean;
  /** A request for permission belongs to it. */
  asked: boolean;
  /** What the user last said to a request for permission. */
  decision: Decision | undefined;
  title: string;
  kind: ToolKind;
  rawInput: unknown;
  content: readonly ToolCallContent[];
  locations: readonly ToolCallLocation[];
  /** A diff that the agent does not send; it stands before the agent's content. */
  diff: ToolCallContent | undefined;
  output: OutputText;
}

export interface ToolFold {
  readonly cwd: string;
  readonly quirks: AcpQuirks;
  /** A turn, or a part of a replay: within one, a `toolCallId` names one call after another, never two of different periods. */
  period: string;
  /** The latest card of each `toolCallId`. */
  readonly latest: Map<string, ToolCard>;
  readonly open: Set<ToolCard>;
  /** Those of the period before that have ended: news of them may come late. */
  readonly past: Map<string, ToolCard>;
  /** Cards of permission requests whose tool calls have not come yet, oldest first. */
  readonly asked: ToolCard[];
  readonly occurrences: Map<string, number>;
  readonly terminals: AgentTerminals;
}

export function createToolFold(cwd: string, quirks: AcpQuirks, period: string): ToolFold {
  return {
    cwd,
    quirks,
    period,
    latest: new Map(),
    past: new Map(),
    open: new Set(),
    asked: [],
    occurrences: new Map(),
    terminals: new AgentTerminals(),
  };
}

/** What an agent left open stays known for one more period, for its real end may come late; what ended, for what is told of it late. */
export function beginPeriod(fold: ToolFold, period: string): void {
  fold.past.clear();
  for (const [id, card] of fold.latest) {
    if (!card.ended && card.period === fold.period) continue;
    fold.latest.delete(id);
    if (card.ended) fold.past.set(id, card);
  }
  fold.occurrences.clear();
  fold.period = period;
}

/** One of the turn before: agents use their ids again, but then they say what the call is. */
export function pastCard(fold: ToolFold, { toolCallId, title, kind, rawInput }: ToolCallUpdate): ToolCard | undefined {
  return title == null && kind == null && rawInput == null ? fold.past.get(toolCallId) : undefined;
}

/** Some agents ask under another id than the call's: the input says which call is meant, in order. */
export function unaskedCard(fold: ToolFold, call: ToolCallUpdate): ToolCard | undefined {
  return [...fold.open].find((card) => card.announced && !card.asked && card.period === fold.period && isSameCall(fold, card, call));
}

/** Some ask first and open the call later, under its own id or under another one. */
export function takeAsked(fold: ToolFold, call: ToolCallUpdate): ToolCard | undefined {
  const own = fold.asked.findIndex(({ toolCallId }) => toolCallId === call.toolCallId);
  const index = own >= 0 ? own : fold.asked.findIndex((card) => isSameCall(fold, card, call));
  const card = fold.asked[index];
  if (card === undefined) return undefined;
  fold.asked.splice(index, 1);
  fold.latest.delete(card.toolCallId);
  card.toolCallId = call.toolCallId;
  fold.latest.set(call.toolCallId, card);
  return card;
}

/** Where ids never agree, the title has to; elsewhere an input that says nothing proves nothing. */
function isSameCall({ quirks }: ToolFold, card: ToolCard, { title, rawInput }: ToolCallUpdate): boolean {
  const isTelling = isFields(rawInput) && Object.keys(rawInput).length > 0;
  return (quirks.asksBeforeToolCall ? card.title === title : isTelling) && isDeepStrictEqual(card.rawInput, rawInput);
}

export function cardOfToolCall(fold: ToolFold, toolCallId: string): ToolCard {
  const known = fold.latest.get(toolCallId);
  if (known === undefined || known.period !== fold.period) return createCard(fold, toolCallId);
  const toldAgain = known.announced && !known.ended && !fold.quirks.reusesToolCallIds;
  return !known.announced || toldAgain ? known : createCard(fold, toolCallId);
}

export function createCard(fold: ToolFold, toolCallId: string): ToolCard {
  const occurrence = (fold.occurrences.get(toolCallId) ?? 0) + 1;
  fold.occurrences.set(toolCallId, occurrence);
  const card: ToolCard = {
    itemId: `${fold.period}/${toolCallId}${occurrence === 1 ? '' : `#${occurrence}`}`,
    period: fold.period,
    toolCallId,
    shown: false,
    announced: false,
    ended: false,
    closed: false,
    asked: false,
    decision: undefined,
    title: '',
    kind: 'other',
    rawInput: undefined,
    content: [],
    locations: [],
    diff: undefined,
    output: noOutput,
  };
  fold.latest.set(toolCallId, card);
  fold.open.add(card);
  return card;
}
