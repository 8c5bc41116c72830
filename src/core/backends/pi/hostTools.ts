/** Offers what an editor knows about the code as tools that an agent may call. They only read, and only in the folder of the session. */
import { relative, resolve } from 'node:path';
import * as z from 'zod/mini';
import type { CodeLocation, ConfinedNavigation } from '../../services/codeNavigation.js';
import type { CodeSymbol, TextPosition } from '../../session/codeTask.js';
import { messageOf } from '../../base/errors.js';
import type { PiEvent } from './schema/frames.js';
import { isWithin } from '../../base/paths.js';
import { unlessAborted } from '../../base/deadline.js';

/** Longer answers would take too much of a model's context. */
const maxLines = 300;
const maxLineChars = 500;
const maxChars = 40_000;

/** Tells the agent as data why there is no result. */
class ToolRefusal extends Error {
  readonly facts: Readonly<Record<string, unknown>>;

  constructor(facts: Readonly<Record<string, unknown>>) {
    super('refused');
    this.facts = facts;
  }
}

interface Place {
  readonly navigation: ConfinedNavigation;
  /** Absolute. */
  readonly cwd: string;
}

interface HostTool {
  readonly name: string;
  readonly label: string;
  readonly description: string;
  /** JSON Schema. */
  readonly parameters: object;
  answer(input: unknown, place: Place): Promise<readonly string[]>;
}

const count = z.int().check(z.minimum(1));
const fileSchema = z.strictObject({ path: z.string().check(z.minLength(1)) });
const positionSchema = z.strictObject({ path: z.string().check(z.minLength(1)), line: count, column: count });
type Position = z.infer<typeof positionSchema>;
const diagnosticsSchema = z.strictObject({ path: z.optional(z.string().check(z.minLength(1))) });
const noneSchema = z.strictObject({});

const pathWords = 'The path is absolute, or relative to the workspace folder.';
const placeWords = `${pathWords} Lines and columns count from 1.`;

const hostTools: readonly HostTool[] = [
  tool('editor_diagnostics', 'Diagnostics', {
    description: `Lists the errors and warnings that the user's editor shows for a file, or for all files when no path is given. ${pathWords}`,
    schema: diagnosticsSchema,
    async answer({ path }, { navigation, cwd }) {
      const found = known(await navigation.diagnostics(path === undefined ? undefined : resolve(cwd, path)), path);
      return found.map((one) => `${placeOf(one, cwd)} ${one.severity} ${one.message}${one.source === undefined ? '' : ` (${one.source})`}`);
    },
  }),
  tool('editor_symbols', 'Symbols', {
    description: `Lists the symbols of a file (classes, functions, variables) with the lines they span, as the user's editor knows them. ${pathWords}`,
    schema: fileSchema,
    answer: async ({ path }, { navigation, cwd }) => symbolLines(known(await navigation.documentSymbols(resolve(cwd, path)), path), ''),
  }),
  locationTool('editor_definitions', 'Definitions', 'Finds where the symbol at a place in a file is defined.', 'definitions'),
  locationTool(
    'editor_type_definitions',
    'Type Definitions',
    'Finds where the type of the symbol at a place in a file is defined.',
    'typeDefinitions',
  ),
  locationTool('editor_references', 'References', 'Finds where the symbol at a place in a file is used.', 'references'),
  tool('editor_open_files', 'Open Files', {
    description: "Lists the files that are open in the user's editor, which one is active, and which ones have unsaved changes.",
    schema: noneSchema,
    async answer(_, { navigation, cwd }) {
      const files = (await navigation.openEditors()) ?? [];
      return files.map(
        ({ path, isActive, hasUnsavedChanges }) =>
          `${nameOf(path, cwd)}${isActive ? ' (active)' : ''}${hasUnsavedChanges ? ' (unsaved changes)' : ''}`,
      );
    },
  }),
];

/** @throws ToolRefusal for invalid input and for a path outside the folder; whatever the editor throws */
async function answerTool(tool: HostTool, input: unknown, place: Place): Promise<string> {
  const lines = await tool.answer(input, place);
  if (lines.length === 0) return 'none';
  const shown: string[] = [];
  let chars = 0;
  for (const line of lines.slice(0, maxLines).map(foldLine)) {
    chars += line.length + 1;
    if (chars > maxChars) break;
    shown.push(line);
  }
  return [...shown, ...(lines.length > shown.length ? [`… ${lines.length - shown.length} more`] : [])].join('\n');
}

interface ToolParts<T> {
  readonly description: string;
  readonly schema: z.ZodMiniType<T>;
  answer(input: T, place: Place): Promise<readonly string[]>;
}

function tool<T>(name: string, label: string, { description, schema, answer }: ToolParts<T>): HostTool {
  return {
    name,
    label,
    description,
    parameters: jsonSchemaOf(schema),
    answer(input, place) {
      const parsed = schema.safeParse(input);
      if (!parsed.success) throw new ToolRefusal({ error: 'invalid_arguments', detail: z.prettifyError(parsed.error) });
      return answer(parsed.data, place);
    },
  };
}

/** Leaves out the version of JSON Schema, which not every model provider accepts. */
function jsonSchemaOf(schema: z.ZodMiniType): object {
  return Object.fromEntries(Object.entries(z.toJSONSchema(schema)).filter(([key]) => key !== '$schema'));
}

function locationTool(name: string, label: string, words: string, of: 'definitions' | 'typeDefinitions' | 'references'): HostTool {
  return tool<Position>(name, label, {
    description: `${words} ${placeWords}`,
    schema: positionSchema,
    async answer({ path, line, column }, { navigation, cwd }) {
      const position: TextPosition = { line: line - 1, character: column - 1 };
      return known(await navigation[of](resolve(cwd, path), position), path).map((one) => placeOf(one, cwd));
    },
  });
}

function known<T>(found: T | undefined, path: string | undefined): T {
  if (found === undefined) throw new ToolRefusal({ error: 'outside_workspace', path });
  return found;
}

/** Returns the position of the name, because the agent's next question is about the symbol at that position. */
function placeOf({ path, range, nameRange = range }: CodeLocation, cwd: string): string {
  const { start } = nameRange;
  return `${nameOf(path, cwd)}:${start.line + 1}:${start.character + 1}`;
}

/** Returns a path that the agent's own tools accept. The editor's path of the folder may differ from the agent's. */
function nameOf(path: string, cwd: string): string {
  return isWithin(cwd, path) ? relative(cwd, path) : path;
}

function symbolLines(symbols: readonly CodeSymbol[], indent: string): readonly string[] {
  return symbols.flatMap(({ name, kind, range: { start, end }, children }) => [
    `${indent}${kind} ${name} ${start.line + 1}-${end.line + 1}`,
    ...symbolLines(children, `${indent}  `),
  ]);
}

function foldLine(line: string): string {
  const folded = line.replaceAll(/\r?\n/g, ' ');
  return folded.length > maxLineChars ? `${folded.slice(0, maxLineChars)}…` : folded;
}

type HostToolCall = Extract<PiEvent, { type: 'host_tool_call' }>;

/** Language servers answer within seconds or not at all. */
const answerMs = 30_000;
const atOnce = 8;

interface PiHostToolsParts {
  readonly cwd: string;
  /** Undefined if the agent may not ask. */
  readonly navigation: ConfinedNavigation | undefined;
  readonly tell: (message: object) => void;
}

export class PiHostTools {
  readonly #parts: PiHostToolsParts;
  /** The tools that are registered with the agent. */
  #offered: readonly HostTool[] = [];
  readonly #running = new Map<string, AbortController>();

  constructor(parts: PiHostToolsParts) {
    this.#parts = parts;
  }

  /** Returns the tools to register; undefined if there are none to offer. */
  get definitions(): readonly object[] | undefined {
    if (this.#parts.navigation === undefined) return undefined;
    return hostTools.map(({ name, label, description, parameters }) => ({ name, label, description, parameters }));
  }

  /** Call this when the agent has registered the tools with these names. */
  registered(names: readonly string[]): void {
    this.#offered = hostTools.filter(({ name }) => names.includes(name));
  }

  /** Answers with a result, unless the call is canceled first. Never rejects. */
  async call({ id, toolName, arguments: input }: HostToolCall): Promise<void> {
    const cancelled = new AbortController();
    const before = this.#running.size;
    this.#running.set(id, cancelled);
    try {
      const text = await this.#answer(toolName, input, before, cancelled.signal);
      this.#tellResult(id, cancelled, text, false);
    } catch (error) {
      const reason = error instanceof ToolRefusal ? error.facts : { error: 'failed', detail: messageOf(error) };
      this.#tellResult(id, cancelled, JSON.stringify(reason), true);
    }
  }

  /** @param id the id of the call */
  cancel(id: string): void {
    this.#running.get(id)?.abort();
    this.#running.delete(id);
  }

  /** Cancels all lookups, because their results are no longer needed. */
  cancelAll(): void {
    for (const id of [...this.#running.keys()]) this.cancel(id);
  }

  #answer(toolName: string, input: unknown, running: number, signal: AbortSignal): Promise<string> {
    const { navigation, cwd } = this.#parts;
    const tool = this.#offered.find(({ name }) => name === toolName);
    if (tool === undefined || navigation === undefined) throw new ToolRefusal({ error: 'unknown_host_tool', toolName });
    if (running >= atOnce) throw new ToolRefusal({ error: 'too_many_calls', limit: atOnce });
    const over = AbortSignal.any([signal, AbortSignal.timeout(answerMs)]);
    return unlessAborted(answerTool(tool, input, { navigation, cwd }), over, () => new ToolRefusal({ error: 'no_answer' }));
  }

  #tellResult(id: string, call: AbortController, text: string, isError: boolean): void {
    // The agent has canceled the call, and may reuse its id.
    if (this.#running.get(id) !== call) return;
    this.#running.delete(id);
    const result = { content: [{ type: 'text', text }] };
    this.#parts.tell({ type: 'host_tool_result', id, result, ...(isError ? { isError } : {}) });
  }
}
