/** Maps Pi's tool calls to cards with unique ids. Pure except for the cards, and for reading files that will be overwritten. */
import { resolve } from 'node:path';
import { isFields } from '../../base/fields.js';
import type { SessionEvent, ToolPatch } from '../../session/event.js';
import type { ToolCallContent, ToolCallLocation, ToolKind, ToolStatus } from '../../session/model.js';
import type { FileAccess } from '../../services/files.js';
import { diffsInResult } from './numberedDiff.js';
import { toBlocks } from './piContent.js';
import type { PiContent, PiToolCall } from './schema/messages.js';

export type ToolEvent = Extract<SessionEvent, { type: 'tool' }>;

interface Card {
  readonly itemId: string;
  readonly toolCallId: string;
  readonly kind: ToolKind;
  /** The facts about a change that only the input has, because the agent's result does not. */
  diffs: readonly ToolCallContent[];
  /** The only file that the input names. */
  path: string | undefined;
  hasInput: boolean;
  ended: boolean;
}

export interface ToolResult {
  readonly content: PiContent;
  readonly details?: unknown;
  readonly structuredContent?: unknown;
  readonly isError: boolean;
  /** Present if the agent reports it separately from the text. */
  readonly exitCode?: number;
}

const kinds: Readonly<Record<string, ToolKind>> = {
  read: 'read',
  edit: 'edit',
  write: 'edit',
  bash: 'execute',
  grep: 'search',
  find: 'search',
  ls: 'search',
  fetch: 'fetch',
  web_search: 'search',
};

/** The text in which Pi reports a failed command. The exit code appears nowhere else in the result. */
const exitWords = /^Command exited with code (\d+)$/m;

export class PiTools {
  readonly #cwd: string;
  readonly #files: Pick<FileAccess, 'peekNow'>;
  readonly #cards = new Map<string, Card>();
  #period: string;
  #calls = 0;

  /**
   * @param period names what happens before the first turn, distinct from earlier processes
   * @param files without it, no file is read
   */
  constructor(cwd: string, period: string, files: Pick<FileAccess, 'peekNow'> = { peekNow: () => undefined }) {
    this.#cwd = cwd;
    this.#files = files;
    this.#period = period;
  }

  /** Ids from now on belong to new calls. */
  beginPeriod(period: string): void {
    this.#period = period;
    this.#cards.clear();
  }

  /** Call this when the model has begun to write the call. */
  announce(toolCallId: string, name: string, at: number): readonly ToolEvent[] {
    if (this.#cards.has(toolCallId)) return [];
    return [this.#event(this.#create(toolCallId, name), { title: name, toolKind: kindOf(name), status: 'pending' }, at)];
  }

  call({ id, name, arguments: input }: PiToolCall, at: number): readonly ToolEvent[] {
    return this.#describe(id, name, input, at, 'pending');
  }

  /** Describes a call from the past, whose file may have changed since then. */
  recall({ id, name, arguments: input }: PiToolCall, at: number): readonly ToolEvent[] {
    return this.#describe(id, name, input, at, 'pending', undefined, true);
  }

  start(
    call: { readonly toolCallId: string; readonly toolName: string; readonly args: ToolInput; readonly intent?: string | undefined },
    at: number,
  ): readonly ToolEvent[] {
    const { toolCallId, toolName, args, intent } = call;
    return this.#describe(toolCallId, toolName, args, at, 'in_progress', intent);
  }

  /** `content` is everything so far. */
  progress(toolCallId: string, name: string, content: PiContent, at: number): readonly ToolEvent[] {
    const card = this.#cards.get(toolCallId) ?? this.#create(toolCallId, name);
    return card.ended ? [] : [this.#event(card, { content: shown(card, content) }, at)];
  }

  end(toolCallId: string, name: string, result: ToolResult, at: number): readonly ToolEvent[] {
    const { content, details, isError, exitCode } = result;
    const isNew = !this.#cards.has(toolCallId);
    const card = this.#cards.get(toolCallId) ?? this.#create(toolCallId, name);
    card.ended = true;
    if (card.kind === 'edit' && card.diffs.length === 0 && !isError)
      card.diffs = diffsInResult(details, card.path, (path) => resolve(this.#cwd, path));
    const line = changedLineIn(details);
    const rawOutput = details ?? (card.kind === 'other' ? dataIn(result) : undefined);
    const exit = exitCode ?? (card.kind === 'execute' ? exitOf(content, isError) : undefined);
    const patch: ToolPatch = {
      ...(isNew ? { title: name, toolKind: card.kind } : {}),
      status: isError ? 'failed' : 'completed',
      content: shown(card, content),
      ...(rawOutput == null ? {} : { rawOutput }),
      ...(line === undefined || card.path === undefined ? {} : { locations: [{ path: card.path, line }] }),
      ...(exit === undefined ? {} : { exit: { code: exit } }),
    };
    return [this.#event(card, patch, at)];
  }

  /** Ends the calls that are open at the end of a turn. */
  closeOpen(at: number, isCancelled: boolean): readonly ToolEvent[] {
    const open = [...this.#cards.values()].filter(({ ended }) => !ended);
    for (const card of open) card.ended = true;
    return open.map((card) => ({ ...this.#event(card, { status: isCancelled ? 'cancelled' : 'unreported' }, at), origin: 'host' }));
  }

  #describe(
    toolCallId: string,
    name: string,
    input: ToolInput,
    at: number,
    status: ToolStatus,
    intent?: string,
    isPast = false,
  ): readonly ToolEvent[] {
    const known = this.#cards.get(toolCallId);
    const card = known ?? this.#create(toolCallId, name);
    if (card.ended) return [];
    const { diffs } = card;
    if (!card.hasInput) card.diffs = diffsOf(name, input, this.#cwd);
    if (name === 'write' && !isPast) card.diffs = this.#withOldText(card.diffs);
    const content = card.diffs === diffs ? {} : { content: card.diffs };
    if (card.hasInput)
      return [this.#event(card, { status, ...content, ...(intent === undefined ? {} : { title: titleOf(name, input, intent) }) }, at)];
    card.hasInput = true;
    card.path = pathOf(input, this.#cwd);
    const locations = locationsOf(input, this.#cwd);
    const patch: ToolPatch = {
      title: titleOf(name, input, intent),
      ...(known === undefined ? { toolKind: card.kind } : {}),
      status,
      rawInput: input,
      ...(card.diffs.length === 0 ? {} : content),
      ...(locations.length === 0 ? {} : { locations }),
    };
    return [this.#event(card, patch, at)];
  }

  /**
   * Reads the file when the call is known, and again when it begins, because another call or the user may have changed the file. This call
   * itself may also have changed it, because it begins without waiting: a file that is empty or already equals the result says nothing
   * about its old text.
   */
  #withOldText(diffs: readonly ToolCallContent[]): readonly ToolCallContent[] {
    const [diff] = diffs;
    if (diff?.type !== 'diff') return diffs;
    const oldText = this.#files.peekNow(diff.path);
    if (oldText === undefined || oldText === '' || [diff.oldText, diff.newText].includes(oldText)) return diffs;
    return [{ ...diff, oldText }];
  }

  #create(toolCallId: string, name: string): Card {
    const itemId = `${this.#period}.${++this.#calls}`;
    const card: Card = { itemId, toolCallId, kind: kindOf(name), diffs: [], path: undefined, hasInput: false, ended: false };
    this.#cards.set(toolCallId, card);
    return card;
  }

  #event({ itemId, toolCallId }: Card, patch: ToolPatch, at: number): ToolEvent {
    return { type: 'tool', at, id: itemId, toolCallId, patch };
  }
}

type ToolInput = PiToolCall['arguments'];

function kindOf(name: string): ToolKind {
  return Object.hasOwn(kinds, name) ? (kinds[name] ?? 'other') : 'other';
}

function textIn(input: ToolInput, ...names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = Object.hasOwn(input, name) ? input[name] : undefined;
    if (typeof value === 'string' && value !== '') return value;
  }
  return undefined;
}

/** Returns the command itself, else the model's description of the call, else the tool and its subject. */
function titleOf(name: string, input: ToolInput, intent?: string): string {
  const command = name === 'bash' ? textIn(input, 'command') : undefined;
  if (command !== undefined) return command;
  if (intent !== undefined) return intent;
  const subject = textIn(input, 'path', 'file_path', 'pattern', 'query', 'url');
  return subject === undefined ? name : `${name} ${subject}`;
}

function pathOf(input: ToolInput, cwd: string): string | undefined {
  const path = textIn(input, 'path', 'file_path') ?? headerIn(input);
  return path === undefined ? undefined : resolve(cwd, path);
}

/** omp edits with a patch whose first line is `@@ PATH`; if there are several, its result names the files. */
function headerIn(input: ToolInput): string | undefined {
  const headers = [...(textIn(input, 'input') ?? '').matchAll(/^@+[ \t]*(\S[^\r\n]*)$/gm)];
  return headers.length === 1 ? headers[0]?.[1]?.trim().replace(/^(["'])(.+)\1$/, '$2') : undefined;
}

function locationsOf(input: ToolInput, cwd: string): readonly ToolCallLocation[] {
  const path = pathOf(input, cwd);
  return path === undefined ? [] : [{ path }];
}

/**
 * Pi reports where an edit begins.
 * @returns 1-based
 */
function changedLineIn(details: unknown): number | undefined {
  const line = isFields(details) ? details['firstChangedLine'] : undefined;
  return typeof line === 'number' && Number.isInteger(line) && line > 0 ? line : undefined;
}

function diffsOf(name: string, input: ToolInput, cwd: string): readonly ToolCallContent[] {
  const path = pathOf(input, cwd);
  if (path === undefined) return [];
  if (name === 'write') {
    const newText = input['content'];
    return typeof newText === 'string' ? [{ type: 'diff', path, newText }] : [];
  }
  if (name !== 'edit') return [];
  const edits: unknown = input['edits'];
  return (Array.isArray(edits) ? edits : [input]).flatMap((edit: unknown): ToolCallContent[] => {
    if (!isFields(edit)) return [];
    const [oldText, newText] = [edit['oldText'] ?? edit['old_text'], edit['newText'] ?? edit['new_text']];
    return typeof oldText === 'string' && typeof newText === 'string' ? [{ type: 'diff', path, oldText, newText }] : [];
  });
}

function shown({ diffs }: Card, content: PiContent): readonly ToolCallContent[] {
  return [...diffs, ...toBlocks(content).map((block): ToolCallContent => ({ type: 'content', content: block }))];
}

/** Returns the result of an extension's tool or an MCP tool as data. For the agent's own tools, the text says the same. */
function dataIn({ content, structuredContent }: ToolResult): unknown {
  const text = content.map((part) => (part.type === 'text' ? part.text : '')).join('');
  return structuredContent === text ? undefined : structuredContent;
}

function exitOf(content: PiContent, isError: boolean): number | undefined {
  if (!isError) return 0;
  const text = content.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
  const code = exitWords.exec(text)?.[1];
  return code === undefined ? undefined : Number(code);
}
