/** Maps Pi's tool calls to cards with unique ids. Pure except for the cards, and for reading files that will be overwritten. */
import { resolve } from 'node:path';
import * as z from 'zod/mini';
import { isFields } from '../../base/fields.js';
import type { FileAccess } from '../../services/files.js';
import type { SessionEvent, ToolPatch } from '../../session/event.js';
import type { ToolCallContent, ToolCallLocation, ToolKind, ToolStatus } from '../../session/model.js';
import { toBlocks } from './piContent.js';
import type { PiContent, PiToolCall } from './schema/messages.js';

export type ToolEvent = Extract<SessionEvent, { type: 'tool' }>;

interface Card {
  readonly itemId: string;
  /** Unique in the period, although the agent passes on the ids of its provider, which may repeat. */
  readonly toolCallId: string;
  readonly name: string;
  readonly kind: ToolKind;
  /** The facts about a change that only the input has, because the agent's result does not. */
  diffs: readonly ToolCallContent[];
  /** The only file that the input names. */
  path: string | undefined;
  /** As JSON; undefined until the call is complete. */
  input: string | undefined;
  phase: 'announced' | 'running' | 'ended';
}

interface Description {
  readonly card: Card;
  readonly isNew: boolean;
  readonly input: ToolInput;
  readonly status: ToolStatus;
  readonly intent?: string | undefined;
  readonly isPast?: boolean;
}

/** What a command in the agent's shell came to. */
interface ShellResult {
  readonly output: string;
  readonly exitCode?: number | undefined;
  readonly cancelled?: boolean | undefined;
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

/** No agent has so many calls with one id in a turn. Of more, only the last ones are told apart. */
const mostSame = 64;

export class PiTools {
  readonly #cwd: string;
  readonly #files: Pick<FileAccess, 'peekNow'>;
  /** By the agent's ids: the calls that are open, and the last one that ended. */
  readonly #cards = new Map<string, readonly Card[]>();
  /** The cards by the parts of messages in which their calls were written. */
  readonly #parts = new Map<string, Card>();
  readonly #ids = new Set<string>();
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
    this.#ids.clear();
    this.#parts.clear();
  }

  /**
   * Call this when the model has begun to write the call.
   * @param part which part of which message the call is, because its id may be that of another call too
   */
  announce(part: string, agentId: string, name: string, at: number): readonly ToolEvent[] {
    if (this.#parts.has(part)) return [];
    const card = this.#create(agentId, name);
    this.#parts.set(part, card);
    return [this.#event(card, { title: name, toolKind: card.kind, status: 'pending' }, at)];
  }

  /** @param isPast the file of a call from the past may have changed since then */
  call(part: string, { id, name, arguments: input }: PiToolCall, at: number, isPast = false): readonly ToolEvent[] {
    const known = this.#parts.get(part);
    if (known !== undefined && known.phase !== 'announced') return [];
    const card = known ?? this.#create(id, name);
    this.#parts.set(part, card);
    return this.#describe({ card, isNew: known === undefined, input, status: 'pending', isPast }, at);
  }

  start(
    call: { readonly toolCallId: string; readonly toolName: string; readonly args: ToolInput; readonly intent?: string | undefined },
    at: number,
  ): readonly ToolEvent[] {
    const { toolCallId, toolName, args: input, intent } = call;
    const known = this.#find(toolCallId, toolName, ['announced'], input);
    const card = known ?? this.#create(toolCallId, toolName);
    card.phase = 'running';
    return this.#describe({ card, isNew: known === undefined, input, status: 'in_progress', intent }, at);
  }

  /** `content` is everything so far. */
  progress(
    call: { readonly toolCallId: string; readonly toolName: string; readonly args: ToolInput },
    content: PiContent,
    at: number,
  ): readonly ToolEvent[] {
    const { toolCallId, toolName, args } = call;
    const known = this.#find(toolCallId, toolName, ['running', 'announced'], args);
    if (known !== undefined) return [this.#event(known, { content: shown(known, content) }, at)];
    if (this.#find(toolCallId, toolName, ['ended']) !== undefined) return [];
    const started = this.start(call, at);
    return [...started, ...this.progress(call, content, at)];
  }

  endShell(id: string, { output, exitCode, cancelled = false }: ShellResult, at: number): readonly ToolEvent[] {
    const content = output === '' ? [] : [{ type: 'text' as const, text: output }];
    const isError = cancelled || (exitCode ?? 0) !== 0;
    return this.end(id, 'bash', { content, isError, ...(exitCode === undefined ? {} : { exitCode }) }, at);
  }

  end(toolCallId: string, name: string, result: ToolResult, at: number): readonly ToolEvent[] {
    const { content, details, isError, exitCode } = result;
    const known = this.#find(toolCallId, name, ['running', 'announced', 'ended']);
    const card = known ?? this.#create(toolCallId, name);
    card.phase = 'ended';
    this.#cards.set(toolCallId, this.#openOf(toolCallId).concat(card));
    if (card.kind === 'edit' && card.diffs.length === 0 && !isError)
      card.diffs = diffsInResult(details, card.path, (path) => resolve(this.#cwd, path));
    const line = changedLineIn(details);
    const rawOutput = details ?? (card.kind === 'other' ? dataIn(result) : undefined);
    const exit = exitCode ?? (card.kind === 'execute' ? exitOf(content, isError) : undefined);
    const patch: ToolPatch = {
      ...(known === undefined ? { title: name, toolKind: card.kind } : {}),
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
    const open = [...this.#cards.keys()].flatMap((id) => this.#openOf(id));
    for (const card of open) card.phase = 'ended';
    return open.map((card) => ({ ...this.#event(card, { status: isCancelled ? 'cancelled' : 'unreported' }, at), origin: 'host' }));
  }

  #describe({ card, isNew, input, status, intent, isPast = false }: Description, at: number): readonly ToolEvent[] {
    const { name, diffs } = card;
    const hadInput = card.input !== undefined;
    if (!hadInput) card.diffs = diffsOf(name, input, this.#cwd);
    if (name === 'write' && !isPast) card.diffs = this.#withOldText(card.diffs);
    const content = card.diffs === diffs ? {} : { content: card.diffs };
    if (hadInput)
      return [this.#event(card, { status, ...content, ...(intent === undefined ? {} : { title: titleOf(name, input, intent) }) }, at)];
    card.input = JSON.stringify(input);
    card.path = pathOf(input, this.#cwd);
    const locations = locationsOf(input, this.#cwd);
    const patch: ToolPatch = {
      title: titleOf(name, input, intent),
      ...(isNew ? { toolKind: card.kind } : {}),
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

  /**
   * Returns the card of a call in one of these phases, earlier phases first: of several with the same id, the oldest one with this input,
   * or else the oldest one of this tool.
   */
  #find(agentId: string, name: string, phases: readonly Card['phase'][], input?: ToolInput): Card | undefined {
    const own = this.#cards.get(agentId) ?? [];
    const text = own.length > 1 && input !== undefined ? JSON.stringify(input) : undefined;
    for (const phase of phases) {
      const fitting = own.filter((card) => card.phase === phase);
      // Of calls that ended, only the last one can still change.
      if (phase === 'ended') return fitting.at(-1);
      const [first] = fitting;
      const found =
        fitting.find((card) => text !== undefined && card.input === text) ?? fitting.find((card) => card.name === name) ?? first;
      if (found !== undefined) return found;
    }
    return undefined;
  }

  #openOf(agentId: string): readonly Card[] {
    return (this.#cards.get(agentId) ?? []).filter(({ phase }) => phase !== 'ended');
  }

  #create(agentId: string, name: string): Card {
    const number = ++this.#calls;
    const card: Card = {
      itemId: `${this.#period}.${number}`,
      toolCallId: this.#ids.has(agentId) ? `${agentId}#${number}` : agentId,
      name,
      kind: kindOf(name),
      diffs: [],
      path: undefined,
      input: undefined,
      phase: 'announced',
    };
    this.#ids.add(card.toolCallId);
    this.#cards.set(agentId, [...(this.#cards.get(agentId) ?? []).slice(1 - mostSame), card]);
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

type Diff = Extract<ToolCallContent, { type: 'diff' }>;

const detailsSchema = z.object({
  diff: z.string(),
  perFileResults: z.optional(z.array(z.object({ path: z.string(), diff: z.string() }))),
});
const shape = /^([ +-])(\d{1,9})\|([^]*)$/;

/**
 * Reads what an edit changed from the result of omp and xcsh: a line consists of `+`, `-` or a space, its number, `|` and its text. Source:
 * omp 14.9.9.
 * @param path the file, if the result is about one file and names none
 * @param absolute resolves a path in the result
 * @returns one diff per changed place; none if any line has a different format
 */
function diffsInResult(details: unknown, path: string | undefined, absolute: (path: string) => string): readonly Diff[] {
  const found = detailsSchema.safeParse(details).data;
  if (found === undefined) return [];
  if (found.perFileResults !== undefined) return found.perFileResults.flatMap((one) => places(one.diff, absolute(one.path)));
  return path === undefined ? [] : places(found.diff, path);
}

function places(text: string, path: string): readonly Diff[] {
  if (text === '') return [];
  const diffs: Diff[] = [];
  let [before, after]: [string, string] = ['', ''];
  const end = (): void => {
    if (before !== after) diffs.push({ type: 'diff', path, oldText: before, newText: after });
    [before, after] = ['', ''];
  };
  for (const line of text.split('\n')) {
    const [, sign, , words] = shape.exec(line) ?? [];
    if (sign === undefined) return [];
    // Stands for unchanged lines that are left out. A real line with this text also splits the diff, and only that line is lost.
    if (sign === ' ' && words === '...') {
      end();
      continue;
    }
    if (sign !== '+') before += `${words}\n`;
    if (sign !== '-') after += `${words}\n`;
  }
  end();
  return diffs;
}
