/** Maps ACP v1's `tool_call` and `tool_call_update` to inserts and updates of cards with unique ids. */
import { resolve } from 'node:path';
import type { ToolCallUpdate } from '@agentclientprotocol/sdk';
import type { AcpQuirks } from '../../agents/acpQuirks.js';
import type { SessionEvent, ToolPatch } from '../../session/event.js';
import type { ToolCallContent, ToolCallLocation, ToolStatus } from '../../session/model.js';
import { appendOutput, showOutput } from '../growingOutput.js';
import { exitIn, hasFailed, outputIn, resultIn } from './toolOutput.js';
import {
  cardOfToolCall,
  createCard,
  type Decision,
  onlyAsking,
  pastCard,
  rememberAsked,
  type ReportedExit,
  takeAsked,
  toExit,
  type ToolCard,
  type ToolFold,
  unaskedCard,
} from './toolCards.js';

export type ToolEvent = Extract<SessionEvent, { type: 'tool' }>;
type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** Ends open cards, so that none appears to be running. ACP v1 has no status for this, so the host sets its own. */
export function closeOpenCards(fold: ToolFold, at: number, isCancelled: boolean): readonly ToolEvent[] {
  const open = [...fold.open];
  fold.open.clear();
  fold.asked.length = 0;
  for (const card of open) card.closed = true;
  const unreported = open.filter(({ decision }) => decision !== 'rejected');
  return unreported.map((card) => byHost(toolEvent(card, { status: isCancelled ? 'cancelled' : endOf(card) }, at)));
}

/** An agent that only asks and reports no state did what the user allowed. */
function endOf({ decision, hasStatus }: ToolCard): ToolStatus {
  return decision === 'allowed' && !hasStatus ? 'completed' : 'unreported';
}

/** Records the user's decision about the request that belongs to the card. */
export function foldDecision(card: ToolCard, decision: Decision, at: number): ToolEvent | undefined {
  card.decision = decision;
  return decision === 'allowed' || card.ended || !card.shown ? undefined : byHost(toolEvent(card, { status: 'rejected' }, at));
}

/**
 * Records whether the user answered a question that is no permission request. If it names no tool call, it belongs to the only open one that
 * does nothing but ask.
 */
export function foldAnswer(fold: ToolFold, toolCallId: string | undefined, isAnswered: boolean): void {
  const named = toolCallId === undefined ? undefined : fold.latest.get(toolCallId);
  const card = named ?? onlyAsking(fold);
  if (card === undefined || card.decision === 'rejected') return;
  if (!isAnswered) card.decision = 'unanswered';
  else if (card.decision === 'unanswered') card.decision = undefined;
}

export function foldToolCall(fold: ToolFold, call: ToolCallUpdate, at: number): ToolEvent | undefined {
  const card = takeAsked(fold, call) ?? cardOfToolCall(fold, call.toolCallId);
  card.announced = true;
  card.hasStatus ||= call.status != null;
  fold.past.delete(call.toolCallId);
  return applyFields(fold, card, call, at);
}

/** An update may arrive before its `tool_call`, or without one. */
export function foldToolCallUpdate(fold: ToolFold, call: ToolCallUpdate, at: number): ToolEvent | undefined {
  const card = fold.latest.get(call.toolCallId) ?? pastCard(fold, call) ?? createCard(fold, call.toolCallId);
  card.hasStatus ||= call.status != null;
  return applyFields(fold, card, call, at);
}

/** The card that a permission request belongs to, if there is one. `event` is how the request changes the card. */
export interface AskedCard {
  readonly card: ToolCard | undefined;
  readonly event: ToolEvent | undefined;
}

export function foldPermissionRequest(fold: ToolFold, call: ToolCallUpdate, at: number): AskedCard {
  const { quirks } = fold;
  if (quirks.asksBeforeToolCall) {
    const card = createCard(fold, call.toolCallId);
    rememberAsked(fold, card);
    return { card, event: byHost(applyFields(fold, card, withContentForUsers(quirks, call), at)) };
  }
  const known = fold.latest.get(call.toolCallId);
  // A call that has ended lends nothing to a request that reuses its id.
  const meant = known?.period === fold.period && !known.ended ? known : unaskedCard(fold, call);
  if (meant !== undefined) return askAbout(fold, meant, call, at);
  // Without a title, a card would be empty, so the request has none.
  if (call.title == null || call.title === '' || call.toolCallId === '') return { card: undefined, event: undefined };
  const card = createCard(fold, call.toolCallId);
  card.asked = true;
  rememberAsked(fold, card);
  return { card, event: byHost(applyFields(fold, card, withContentForUsers(quirks, call), at)) };
}

function askAbout(fold: ToolFold, card: ToolCard, call: ToolCallUpdate, at: number): AskedCard {
  const wasRejected = card.decision === 'rejected';
  card.decision = undefined;
  card.asked = true;
  if (fold.quirks.requestsDescribeToolCalls) {
    const { status = wasRejected ? 'pending' : undefined, ...rest } = call;
    return { card, event: byHost(applyFields(fold, card, status == null ? rest : { ...rest, status }, at)) };
  }
  return { card, event: wasRejected && !card.ended ? byHost(toolEvent(card, { status: 'pending' }, at)) : undefined };
}

/** Adds a diff that the host created to the card; later content of the agent does not remove it. */
export function attachDiff(card: ToolCard, diff: ToolCallContent, at: number): ToolEvent {
  card.diff = diff;
  return byHost(toolEvent(card, { content: shownContent(card) }, at));
}

function withContentForUsers(quirks: AcpQuirks, call: ToolCallUpdate): ToolCallUpdate {
  return call.content == null ? call : { ...call, content: [...quirks.permissionContent(call.content)] };
}

function applyFields(fold: ToolFold, card: ToolCard, call: ToolCallUpdate, at: number): ToolEvent | undefined {
  const patch: Mutable<ToolPatch> = {};
  applyHead(fold, card, call, patch);
  applyContent(fold, card, call, patch);
  applyTerminal(fold, card, call, patch);
  applyRawOutput(card, call, patch);
  const { status } = call;
  applyStatus(fold, card, status === 'completed' && hasFailed(call.rawOutput) ? 'failed' : (status ?? undefined), patch);
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
    if (call.locations == null && card.locations.length === 0) {
      const locations = fold.quirks.pathsOf(call.rawInput).map((path) => ({ path }));
      applyLocations(fold, card, locations, patch);
    }
  }
  if (call.locations != null) applyLocations(fold, card, call.locations, patch);
}

function applyLocations(fold: ToolFold, card: ToolCard, locations: readonly ToolCallLocation[], patch: Mutable<ToolPatch>): void {
  if (locations.length === 0 && card.locations.length === 0) return;
  patch.locations = card.locations = fold.quirks.relativePaths
    ? locations.map((location) => ({ ...location, path: resolve(fold.cwd, location.path) }))
    : locations;
}

function applyContent(fold: ToolFold, card: ToolCard, call: ToolCallUpdate, patch: Mutable<ToolPatch>): void {
  if (call.rawInput != null && card.diff === undefined) card.diff = hunkOf(fold, card);
  if (call.content == null) {
    if (card.diff !== undefined && call.rawInput != null) patch.content = shownContent(card);
    return;
  }
  const reported = call.status === 'failed' ? call.content.map(withoutErrorTags) : call.content;
  const content = withWholePaths(fold, reported);
  if (fold.quirks.toolContentAppends && content.every(isTextPart)) appendText(card, content, call.status ?? undefined);
  else card.content = content;
  const exit = fold.terminals.fill(card);
  if (exit !== undefined) patch.exit = exit;
  patch.content = shownContent(card);
}

/** Some agents name files relative to the folder of the session. */
export function withWholePaths({ quirks, cwd }: ToolFold, content: readonly ToolCallContent[]): readonly ToolCallContent[] {
  return quirks.relativePaths ? content.map((part) => (part.type === 'diff' ? { ...part, path: resolve(cwd, part.path) } : part)) : content;
}

/** Shows what a terminal of the host has printed, and how it ended, in the card that names it. */
export function foldTerminal(
  { terminals }: ToolFold,
  terminalId: string,
  { text, exit }: { readonly text: string; readonly exit: ReportedExit | undefined },
  at: number,
): ToolEvent | undefined {
  terminals.append(terminalId, text, exit && toExit(exit));
  const card = terminals.cardOf(terminalId);
  // The agent names the terminal in a tool call later, or never.
  if (card === undefined) return undefined;
  const last = terminals.fill(card);
  return byHost(toolEvent(card, { content: shownContent(card), ...(last === undefined ? {} : { exit: last }) }, at));
}

/** Applies what the agent reports about one of its own terminals in the content of the card. */
function applyTerminal(fold: ToolFold, card: ToolCard, { _meta: meta, toolCallId }: ToolCallUpdate, patch: Mutable<ToolPatch>): void {
  const report = meta == null ? undefined : fold.terminals.record(meta, toolCallId);
  if (report === undefined) return;
  const { terminalId, exit, hasOutput } = report;
  if (exit !== undefined) patch.exit = exit;
  const isShown = card.content.some((part) => part.type === 'terminal' && part.terminalId === terminalId);
  // The report is the end of a command whose output is in the content, or that printed nothing.
  if (!isShown && !hasOutput) return;
  if (!isShown) card.content = [...card.content, { type: 'terminal', terminalId }];
  fold.terminals.fill(card);
  patch.content = shownContent(card);
}

function applyRawOutput(card: ToolCard, { rawOutput, status }: ToolCallUpdate, patch: Mutable<ToolPatch>): void {
  if (rawOutput == null) return;
  patch.rawOutput = rawOutput;
  const isCommand = card.kind === 'execute';
  const hasFacts = isCommand || card.kind === 'other';
  const exit = hasFacts ? exitIn(rawOutput) : undefined;
  if (exit !== undefined && patch.exit === undefined) patch.exit = exit;
  // What another tool has found or read is no text for people. Why it failed is.
  const failed = status === 'failed' || (status === 'completed' && hasFailed(rawOutput));
  const isAll = card.content.length === 0 && (failed || (hasFacts && status === 'completed'));
  const text = isAll ? (isCommand || failed ? outputIn : resultIn)(rawOutput) : undefined;
  if (text === undefined) return;
  card.content = [{ type: 'content', content: { type: 'text', text } }];
  patch.content = shownContent(card);
}

const isTextPart = (part: ToolCallContent): boolean => part.type === 'content' && part.content.type === 'text';

/** Tags that tell a model that a call failed. */
const errorTags = /<\/?tool_use_error>/g;

function withoutErrorTags(part: ToolCallContent): ToolCallContent {
  if (part.type !== 'content' || part.content.type !== 'text' || !part.content.text.includes('<tool_use_error>')) return part;
  return { ...part, content: { ...part.content, text: part.content.text.replaceAll(errorTags, '') } };
}

function appendText(card: ToolCard, content: readonly ToolCallContent[], status: ToolStatus | undefined): void {
  const text = content.map((part) => (part.type === 'content' && part.content.type === 'text' ? part.content.text : '')).join('');
  // Text that arrives with the end is a sentence of the agent, not output.
  const separate = status === 'failed' && card.output.head !== '' && !showOutput(card.output).endsWith('\n');
  card.output = appendOutput(card.output, separate ? `\n${text}` : text);
  card.content = [{ type: 'content', content: { type: 'text', text: showOutput(card.output) } }];
}

/** Returns a diff that the input alone determines, for agents that send none. */
function hunkOf(fold: ToolFold, card: ToolCard): ToolCallContent | undefined {
  const edit = fold.quirks.announcedEdit(card.title, card.rawInput);
  return edit?.type === 'hunk'
    ? { type: 'diff', path: resolve(fold.cwd, edit.path), oldText: edit.oldText, newText: edit.newText }
    : undefined;
}

/** Returns the agent's content, preceded by the host's diff if the agent sends none. */
export function shownContent(card: Readonly<ToolCard>): readonly ToolCallContent[] {
  return card.diff === undefined || card.content.some((part) => part.type === 'diff') ? card.content : [card.diff, ...card.content];
}

const endIfFailed = { allowed: 'failed', rejected: 'rejected', unanswered: 'cancelled' } as const;

/** A card that has ended is never reported as running again; an agent may report another end later. */
function applyStatus(fold: ToolFold, card: ToolCard, status: ToolStatus | undefined, patch: Mutable<ToolPatch>): void {
  if (status === undefined) return;
  const ends = status === 'completed' || status === 'failed';
  if (!ends) {
    if (!card.ended && !card.closed && card.decision !== 'rejected') patch.status = status;
    return;
  }
  // Agents report a call that the user did not permit, or whose question the user closed, as failed.
  patch.status = status === 'failed' ? endIfFailed[card.decision ?? 'allowed'] : status;
  card.ended = true;
  fold.open.delete(card);
  const caveat = fold.quirks.caveat(card.kind, status);
  if (caveat !== undefined && patch.exit === undefined) patch.caveat = caveat;
}

/** Marks an event that no update of the agent reported. */
function byHost<T extends ToolEvent | undefined>(event: T): T {
  return event === undefined ? event : { ...event, origin: 'host' };
}

function toolEvent(card: Readonly<ToolCard>, patch: ToolPatch, at: number): ToolEvent {
  return { type: 'tool', at, id: card.itemId, toolCallId: card.toolCallId, patch };
}
