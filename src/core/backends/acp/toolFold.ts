/** Folds ACP v1's `tool_call` and `tool_call_update` into upserts of cards with ids of their own. */
import { resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { ToolCallUpdate } from '@agentclientprotocol/sdk';
import type { SessionEvent, ToolPatch } from '../../session/event.js';
import type { ToolCallContent, ToolCallLocation, ToolKind, ToolStatus } from '../../session/model.js';
import { appendOutput, noOutput, type OutputText, showOutput } from './outputText.js';
import type { AcpQuirks } from '../../agents/acpQuirks.js';

export type ToolEvent = Extract<SessionEvent, { type: 'tool' }>;
type Mutable<T> = { -readonly [K in keyof T]: T[K] };

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
  /** Cards of permission requests whose tool calls have not come yet, oldest first. */
  readonly asked: ToolCard[];
  readonly occurrences: Map<string, number>;
}

export function createToolFold(cwd: string, quirks: AcpQuirks, period: string): ToolFold {
  return { cwd, quirks, period, latest: new Map(), open: new Set(), asked: [], occurrences: new Map() };
}

/** What ended before is forgotten. What an agent left open stays known for one more period: its real end may come late. */
export function beginPeriod(fold: ToolFold, period: string): void {
  for (const [id, card] of fold.latest) if (card.ended || card.period !== fold.period) fold.latest.delete(id);
  fold.occurrences.clear();
  fold.period = period;
}

/** Nothing may look as if it still ran: ACP v1 has no status for it, so the host marks what its agent left open. */
export function closeOpenCards(fold: ToolFold, at: number): readonly ToolEvent[] {
  const events = [...fold.open].map((card) => byHost(toolEvent(card, { status: 'cancelled' }, at)));
  fold.open.clear();
  fold.asked.length = 0;
  return events;
}

export function foldToolCall(fold: ToolFold, call: ToolCallUpdate, at: number): ToolEvent | undefined {
  const card = takeAsked(fold, call) ?? cardOfToolCall(fold, call.toolCallId);
  card.announced = true;
  return applyFields(fold, card, call, at);
}

/** An update may come before its `tool_call`, or without one. */
export function foldToolCallUpdate(fold: ToolFold, call: ToolCallUpdate, at: number): ToolEvent | undefined {
  const known = fold.latest.get(call.toolCallId);
  const card = known !== undefined && (known.period === fold.period || !known.ended) ? known : createCard(fold, call.toolCallId);
  return applyFields(fold, card, call, at);
}

/** The card that a permission request belongs to, if there is one. @param event what the request changes on it */
export interface AskedCard {
  readonly card: ToolCard | undefined;
  readonly event: ToolEvent | undefined;
}

export function foldPermissionRequest(fold: ToolFold, call: ToolCallUpdate, at: number): AskedCard {
  const { quirks } = fold;
  if (quirks.asksBeforeToolCall) {
    const card = createCard(fold, call.toolCallId);
    fold.asked.push(card);
    return { card, event: byHost(applyFields(fold, card, withPeoplesContent(quirks, call), at)) };
  }
  const known = fold.latest.get(call.toolCallId);
  if (known !== undefined && known.period === fold.period) {
    return { card: known, event: quirks.requestsDescribeToolCalls ? byHost(applyFields(fold, known, call, at)) : undefined };
  }
  // Without a title there is nothing to put on a card: the request stands alone.
  if (call.title == null || call.title === '' || call.toolCallId === '') return { card: undefined, event: undefined };
  const card = createCard(fold, call.toolCallId);
  return { card, event: byHost(applyFields(fold, card, withPeoplesContent(quirks, call), at)) };
}

/** Puts a diff that the host made onto the card; later content of the agent does not take it away. */
export function attachDiff(card: ToolCard, diff: ToolCallContent, at: number): ToolEvent {
  card.diff = diff;
  return byHost(toolEvent(card, { content: shownContent(card) }, at));
}

function withPeoplesContent(quirks: AcpQuirks, call: ToolCallUpdate): ToolCallUpdate {
  return call.content == null ? call : { ...call, content: [...quirks.permissionContent(call.content)] };
}

/** Before 0.5.5 agentao asked first and opened the call later under another id: title and input say which is which, in order. */
function takeAsked(fold: ToolFold, call: ToolCallUpdate): ToolCard | undefined {
  const index = fold.asked.findIndex((card) => card.title === call.title && isDeepStrictEqual(card.rawInput, call.rawInput));
  const card = fold.asked[index];
  if (card === undefined) return undefined;
  fold.asked.splice(index, 1);
  fold.latest.delete(card.toolCallId);
  card.toolCallId = call.toolCallId;
  fold.latest.set(call.toolCallId, card);
  return card;
}

function cardOfToolCall(fold: ToolFold, toolCallId: string): ToolCard {
  const known = fold.latest.get(toolCallId);
  if (known === undefined || known.period !== fold.period) return createCard(fold, toolCallId);
  const toldAgain = known.announced && !known.ended && !fold.quirks.reusesToolCallIds;
  return !known.announced || toldAgain ? known : createCard(fold, toolCallId);
}

function createCard(fold: ToolFold, toolCallId: string): ToolCard {
  const occurrence = (fold.occurrences.get(toolCallId) ?? 0) + 1;
  fold.occurrences.set(toolCallId, occurrence);
  const card: ToolCard = {
    itemId: `${fold.period}/${toolCallId}${occurrence === 1 ? '' : `#${occurrence}`}`,
    period: fold.period,
    toolCallId,
    shown: false,
    announced: false,
    ended: false,
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

function applyFields(fold: ToolFold, card: ToolCard, call: ToolCallUpdate, at: number): ToolEvent | undefined {
  const patch: Mutable<ToolPatch> = {};
  applyHead(fold, card, call, patch);
  applyContent(fold, card, call, patch);
  if (call.rawOutput != null) patch.rawOutput = call.rawOutput;
  applyStatus(fold, card, call.status ?? undefined, patch);
  const { _meta: meta } = call;
  if (card.shown && meta == null && Object.keys(patch).length === 0) return undefined;
  card.shown = true;
  const event = toolEvent(card, patch, at);
  return meta == null ? event : { ...event, meta };
}

function applyHead(fold: ToolFold, card: ToolCard, call: ToolCallUpdate, patch: Mutable<ToolPatch>): void {
  if (call.title != null && call.title !== '') patch.title = card.title = call.title;
  if (call.kind != null || patch.title !== undefined) {
    const kind = fold.quirks.toolKind(card.title, call.kind ?? card.kind);
    if (kind !== card.kind) patch.toolKind = card.kind = kind;
  }
  if (call.rawInput != null) {
    patch.rawInput = card.rawInput = call.rawInput;
    if (call.locations == null && card.locations.length === 0)
      applyLocations(
        fold,
        card,
        fold.quirks.pathsOf(call.rawInput).map((path) => ({ path })),
        patch,
      );
  }
  if (call.locations != null) applyLocations(fold, card, call.locations, patch);
}

function applyLocations(fold: ToolFold, card: ToolCard, locations: readonly ToolCallLocation[], patch: Mutable<ToolPatch>): void {
  if (locations.length === 0 && card.locations.length === 0) return;
  patch.locations = card.locations = fold.quirks.relativePaths
    ? locations.map((place) => ({ ...place, path: resolve(fold.cwd, place.path) }))
    : locations;
}

function applyContent(fold: ToolFold, card: ToolCard, call: ToolCallUpdate, patch: Mutable<ToolPatch>): void {
  const { quirks, cwd } = fold;
  if (call.rawInput != null && card.diff === undefined) card.diff = hunkOf(fold, card);
  if (call.content == null) {
    if (card.diff !== undefined && call.rawInput != null) patch.content = shownContent(card);
    return;
  }
  const content = quirks.relativePaths
    ? call.content.map((part) => (part.type === 'diff' ? { ...part, path: resolve(cwd, part.path) } : part))
    : call.content;
  if (quirks.toolContentAppends && content.every(isTextPart)) appendText(card, content, call.status ?? undefined);
  else card.content = content;
  patch.content = shownContent(card);
}

const isTextPart = (part: ToolCallContent): boolean => part.type === 'content' && part.content.type === 'text';

function appendText(card: ToolCard, content: readonly ToolCallContent[], status: ToolStatus | undefined): void {
  const text = content.map((part) => (part.type === 'content' && part.content.type === 'text' ? part.content.text : '')).join('');
  // What comes with the end is a sentence of the agent's own, not output.
  const separate = status === 'failed' && card.output.head !== '' && !showOutput(card.output).endsWith('\n');
  card.output = appendOutput(card.output, separate ? `\n${text}` : text);
  card.content = [{ type: 'content', content: { type: 'text', text: showOutput(card.output) } }];
}

/** A diff that the input alone gives, where the agent sends none. */
function hunkOf(fold: ToolFold, card: ToolCard): ToolCallContent | undefined {
  const edit = fold.quirks.announcedEdit(card.title, card.rawInput);
  return edit?.type === 'hunk'
    ? { type: 'diff', path: resolve(fold.cwd, edit.path), oldText: edit.oldText, newText: edit.newText }
    : undefined;
}

/** The agent's content, behind the host's diff where the agent sends none. */
export function shownContent(card: Readonly<ToolCard>): readonly ToolCallContent[] {
  return card.diff === undefined || card.content.some((part) => part.type === 'diff') ? card.content : [card.diff, ...card.content];
}

/** What has ended is never reported as running again; a late second end is the agent's to tell. */
function applyStatus(fold: ToolFold, card: ToolCard, status: ToolStatus | undefined, patch: Mutable<ToolPatch>): void {
  if (status === undefined) return;
  const ends = status === 'completed' || status === 'failed';
  if (card.ended && !ends) return;
  patch.status = status;
  if (!ends) return;
  card.ended = true;
  fold.open.delete(card);
  const caveat = fold.quirks.caveat(card.kind, status);
  if (caveat !== undefined) patch.caveat = caveat;
}

/** No update of the agent says it. */
function byHost<T extends ToolEvent | undefined>(event: T): T {
  return event === undefined ? event : { ...event, origin: 'host' };
}

function toolEvent(card: Readonly<ToolCard>, patch: ToolPatch, at: number): ToolEvent {
  return { type: 'tool', at, id: card.itemId, toolCallId: card.toolCallId, patch };
}
