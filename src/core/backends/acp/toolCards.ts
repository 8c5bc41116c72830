/** The cards of a session's tool calls, and how to find the card that a message of the agent refers to. */
import { isDeepStrictEqual } from 'node:util';
import type { ToolCallUpdate } from '@agentclientprotocol/sdk';
import * as z from 'zod/mini';
import type { AcpQuirks } from '../../agents/acpQuirks.js';
import { isFields } from '../../base/fields.js';
import { keepLatest } from '../../base/keepLatest.js';
import type { Meta, ToolCallContent, ToolCallLocation, ToolExit, ToolKind } from '../../session/model.js';
import { appendOutput, noOutput, type OutputText, showOutput, terminalLimits } from '../growingOutput.js';
import { itemParser } from './schema/lenient.js';

/** `unanswered`: the call only asked, and the user closed its question. */
export type Decision = 'allowed' | 'rejected' | 'unanswered';

/** What must be remembered about a card. The reducer holds the rest. */
export interface ToolCard {
  readonly itemId: string;
  readonly period: string;
  /** The id of the permission request until the tool call arrives, which may have another one. */
  toolCallId: string;
  /** An event has reported the card. */
  shown: boolean;
  /** A `tool_call` has arrived; before, an update or a permission request created the card. */
  announced: boolean;
  /** The agent has reported a state of the call, apart from its permission request. */
  hasStatus: boolean;
  /** The agent reported that the call completed or failed. */
  ended: boolean;
  /** The turn ended before the call did. From then on, only a real end is reported. */
  closed: boolean;
  /** A permission request belongs to the card. */
  asked: boolean;
  /** The user's latest answer to a permission request, or to a question of the call. */
  decision: Decision | undefined;
  title: string;
  kind: ToolKind;
  rawInput: unknown;
  content: readonly ToolCallContent[];
  locations: readonly ToolCallLocation[];
  /** A diff that the agent does not send; it precedes the agent's content. */
  diff: ToolCallContent | undefined;
  output: OutputText;
}

export interface ToolFold {
  readonly cwd: string;
  readonly quirks: AcpQuirks;
  /**
   * A turn, or a part of a replay. Within one period, a `toolCallId` may name several calls in succession; calls of different periods are
   * always different.
   */
  period: string;
  /** The latest card for each `toolCallId`. */
  readonly latest: Map<string, ToolCard>;
  readonly open: Set<ToolCard>;
  /** Ended cards of the previous period, for which reports may arrive late. */
  readonly past: Map<string, ToolCard>;
  /** Cards of permission requests whose tool calls have not arrived yet, oldest first. */
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

/** Keeps open calls for one more period, because their real end may arrive late, and ended ones for late reports. */
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

/** Returns a card of the previous turn. Agents reuse their ids, but then they describe the call again. */
export function pastCard(fold: ToolFold, { toolCallId, title, kind, rawInput }: ToolCallUpdate): ToolCard | undefined {
  return title == null && kind == null && rawInput == null ? fold.past.get(toolCallId) : undefined;
}

/** Some agents ask with a different id than that of the call. The input then shows which call is meant; of several, the oldest. */
export function unaskedCard(fold: ToolFold, call: ToolCallUpdate): ToolCard | undefined {
  let looked = 0;
  for (const card of fold.open) {
    if (card.announced && !card.asked && card.period === fold.period && isSameCall(fold, card, call)) return card;
    if (++looked === mostCandidates) return undefined;
  }
  return undefined;
}

/** No agent has so many calls open; each request would search all of them. */
const mostCandidates = 100;

/** Returns the only open card that does nothing but ask; undefined if so many are open that nobody can tell. */
export function onlyAsking({ open }: ToolFold): ToolCard | undefined {
  if (open.size > mostCandidates) return undefined;
  const [card, ...others] = [...open].filter(({ kind }) => kind === 'other' || kind === 'think');
  return others.length === 0 ? card : undefined;
}

/** Remembers the card of a request until its tool call arrives. */
export function rememberAsked({ asked }: ToolFold, card: ToolCard): void {
  asked.push(card);
  if (asked.length > mostCandidates) asked.shift();
}

/** Some agents ask first and report the call later, with the same id or a different one. */
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

/** If ids never agree, the titles must; otherwise an empty input proves nothing, and without any input the files do. */
function isSameCall({ quirks }: ToolFold, card: ToolCard, call: ToolCallUpdate): boolean {
  const { title, rawInput } = call;
  if (!quirks.asksBeforeToolCall && rawInput == null && card.rawInput === undefined)
    return card.kind === call.kind && hasSameFiles(card, call);
  const hasInput = isFields(rawInput) && Object.keys(rawInput).length > 0;
  return (quirks.asksBeforeToolCall ? card.title === title : hasInput) && isDeepStrictEqual(card.rawInput, rawInput);
}

function hasSameFiles({ locations }: ToolCard, call: ToolCallUpdate): boolean {
  const paths = (call.locations ?? []).map(({ path }) => path);
  return (
    paths.length > 0 &&
    isDeepStrictEqual(
      paths,
      locations.map(({ path }) => path),
    )
  );
}

export function cardOfToolCall(fold: ToolFold, toolCallId: string): ToolCard {
  const known = fold.latest.get(toolCallId);
  if (known === undefined || known.period !== fold.period) return createCard(fold, toolCallId);
  const isRepeated = known.announced && !known.ended && !fold.quirks.reusesToolCallIds;
  return !known.announced || isRepeated ? known : createCard(fold, toolCallId);
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
    hasStatus: false,
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

/** Beyond this number of terminals, the oldest one is dropped. */
const terminalLimit = 200;

/** If it is absent, the report is about the terminal of the tool call itself. */
const terminalIdField = { terminal_id: z.catch(z.optional(z.string()), undefined) };
const parseOutput = itemParser(z.looseObject({ ...terminalIdField, data: z.string() }));
const parseExit = itemParser(
  z.looseObject({
    ...terminalIdField,
    exit_code: z.catch(z.optional(z.nullable(z.int())), undefined),
    signal: z.catch(z.optional(z.nullable(z.string())), undefined),
  }),
);

interface Terminal {
  readonly output: OutputText;
  readonly exit: ToolExit | undefined;
  /** The command runs in the host. */
  readonly isHost?: boolean;
  /** The agent has a name of its own for what it adds. */
  readonly hasAdditions?: boolean;
}

const nothingPrinted: Terminal = { output: noOutput, exit: undefined };

/** What an update reported about a terminal. */
interface TerminalReport {
  readonly terminalId: string;
  readonly exit: ToolExit | undefined;
  /** Whether the terminal has printed anything. */
  readonly hasOutput: boolean;
}

/**
 * Collects what the agent's own terminals print. Some agents report it in the `_meta` of tool calls, even to a client that offers no
 * terminals, and report the output and exit code of a command in no other form. Measured with three agents, 2026-11.
 */
class AgentTerminals {
  readonly #terminals = new Map<string, Terminal>();
  /** The cards whose content names a terminal. */
  readonly #cards = new Map<string, ToolCard>();

  /** @returns undefined if the update does not mention a terminal */
  record(meta: Meta, toolCallId: string): TerminalReport | undefined {
    const output = parseOutput(meta['terminal_output']);
    const delta = parseOutput(meta['terminal_output_delta']);
    const exit = parseExit(meta['terminal_exit']);
    const report = output ?? delta ?? exit;
    if (report === undefined) return undefined;
    const terminalId = report.terminal_id ?? toolCallId;
    const before = this.#terminals.get(terminalId) ?? nothingPrinted;
    // Most agents use one name, whichever it is, for what they add. Who uses both replaces the output with `terminal_output`.
    if (output !== undefined && before.hasAdditions === true) this.#terminals.set(terminalId, { ...before, output: noOutput });
    else if (delta !== undefined) this.#terminals.set(terminalId, { ...before, hasAdditions: true });
    const added = `${output?.data ?? ''}${delta?.data ?? ''}`;
    const after = this.append(terminalId, added, exit && toExit({ code: exit.exit_code, signal: exit.signal }));
    return { terminalId, exit: exit && after.exit, hasOutput: after.output !== noOutput };
  }

  /** The host has started a command. */
  begin(terminalId: string): void {
    this.#terminals.set(terminalId, { output: noOutput, exit: undefined, isHost: true });
  }

  append(terminalId: string, text: string, exit: ToolExit | undefined): Terminal {
    const before = this.#terminals.get(terminalId) ?? nothingPrinted;
    const after = {
      ...before,
      output: text === '' ? before.output : appendOutput(before.output, text, terminalLimits),
      exit: exit ?? before.exit,
    };
    // The oldest is the one that printed nothing for the longest time.
    keepLatest(this.#terminals, terminalId, after, terminalLimit);
    return after;
  }

  /** The card that shows the terminal. */
  cardOf(terminalId: string): ToolCard | undefined {
    return this.#cards.get(terminalId);
  }

  /** Adds the output of its terminals to the content of a card. @returns how the last one of them ended, if all have */
  fill(card: ToolCard): ToolExit | undefined {
    const exits: (ToolExit | undefined)[] = [];
    card.content = card.content.map((part) => {
      if (part.type !== 'terminal') return part;
      keepLatest(this.#cards, part.terminalId, card, terminalLimit);
      const terminal = this.#terminals.get(part.terminalId);
      exits.push(terminal?.exit);
      if (terminal === undefined) return part;
      const { runs: _, ...shown } = part;
      const output = terminal.output === noOutput ? {} : { output: showOutput(terminal.output) };
      return { ...shown, ...output, ...(terminal.isHost === true && terminal.exit === undefined && { runs: true as const }) };
    });
    return exits.every((exit) => exit !== undefined) ? exits.at(-1) : undefined;
  }
}

/** A member that is null says nothing. */
export interface ReportedExit {
  readonly code?: number | null | undefined;
  readonly signal?: string | null | undefined;
}

export function toExit({ code, signal }: ReportedExit): ToolExit {
  return { ...(code == null ? {} : { code }), ...(signal == null ? {} : { signal }) };
}
