/** Finds the tool of an agent for a step of the script, by its name, and the arguments, by its schema. */
import * as z from 'zod/mini';
import type { ReplyPart } from './reply.js';
import type { JsonSchema, ModelRequest, OfferedTool } from './request.js';

const purposes = {
  read: /^(read_files?|read|read_text_file)$/i,
  shell: /^(run_shell_command|run_terminal_command|run_commands|bash|shell|shell_command|exec_command|local_shell)$/i,
  write: /^(write_file|write|create_file)$/i,
  edit: /^(replace|edit|edit_file|str_replace|search_replace)$/i,
  patch: /^apply_patch$/i,
  question: /^(ask_user|askuserquestion|ask_user_question|request_user_input)$/i,
  plan: /^(todo_?write|write_todos|update_plan|task_?create)$/i,
  subagent: /^(task|agent|spawn_agent|spawn_subagent|invoke_agent|delegate_to_agent)$/i,
  /** The tool of the check's own MCP server, whose name agents put before it. */
  answer: /(^|_)answer$/i,
} as const;
type Purpose = keyof typeof purposes;

/** The values for the arguments of a call. */
export interface Facts {
  readonly path?: string;
  readonly command?: string;
  readonly content?: string;
  readonly before?: string;
  readonly after?: string;
  readonly question?: string;
  readonly options?: readonly string[];
  readonly patch?: string;
  /** What a plan has to do. */
  readonly task?: string;
  /** What a sub-agent is told. */
  readonly prompt?: string;
}

/** @returns undefined if the agent offers no tool for that purpose */
export function callFor(request: ModelRequest, purpose: Purpose, facts: Facts): ReplyPart | undefined {
  const tool = request.tools.find(({ name }) => purposes[purpose].test(nameWithoutServer(name)));
  if (tool === undefined) return undefined;
  if (tool.isFreeform) return { type: 'freeform', name: tool.name, input: facts.patch ?? '' };
  return { type: 'call', name: tool.name, namespace: tool.namespace, arguments: argumentsFor(tool, facts) };
}

/** `mcp__acp__Read` is the tool `Read` of the server `acp`. */
function nameWithoutServer(name: string): string {
  return name.replace(/^mcp__[^_]+__/, '');
}

const objectSchema = z.looseObject({
  properties: z.optional(z.record(z.string(), z.looseObject({}))),
  required: z.optional(z.array(z.string())),
});
const shape = z.looseObject({
  type: z.optional(z.union([z.string(), z.array(z.string())])),
  enum: z.optional(z.array(z.unknown())),
  items: z.optional(z.looseObject({})),
  anyOf: z.optional(z.array(z.looseObject({}))),
});

function argumentsFor({ schema }: OfferedTool, facts: Facts): Readonly<Record<string, unknown>> {
  const { properties = {}, required = [] } = objectSchema.parse(schema);
  const filled = Object.entries(properties).map(
    ([name, property]) => [name, valueFor(name, property, facts, required.includes(name))] as const,
  );
  return Object.fromEntries(filled.filter(([, value]) => value !== undefined));
}

/** Names of arguments in the tools of known agents. */
const meanings: readonly (readonly [RegExp, (facts: Facts) => string | undefined])[] = [
  [/^(file_?path|absolute_?path|path|filename|target_file)$/i, ({ path }) => path],
  [/^(commands?|cmd)$/i, ({ command }) => command],
  [/^(content|contents|file_text)$/i, ({ content }) => content],
  [/^old_?(string|str|text)$/i, ({ before }) => before],
  [/^new_?(string|str|text)$/i, ({ after }) => after],
  [/^question$/i, ({ question }) => question],
  [/^(input|patch)$/i, ({ patch }) => patch],
  [/^(content|step|description|subject)$/i, ({ task }) => task],
  [/^(prompt|message|objective|task)$/i, ({ prompt }) => prompt],
  [/^subagent_type$/i, ({ prompt }) => prompt && 'general-purpose'],
  [/^agent_name$/i, ({ prompt }) => prompt && 'codebase_investigator'],
];

function valueFor(name: string, schema: JsonSchema, facts: Facts, isRequired: boolean): unknown {
  const known = meanings.find(([pattern, fact]) => pattern.test(name) && fact(facts) !== undefined)?.[1](facts);
  const { type, anyOf = [], items = {}, enum: values = [] } = shape.parse(schema);
  const isArray = type === 'array' || type === 'ARRAY';
  if (known !== undefined) return !isArray ? known : name === 'commands' ? [known] : ['bash', '-c', known];
  if (/^options$/i.test(name) && facts.options !== undefined) return facts.options.map((option) => optionFor(option, items));
  // One agent requires it although its schema does not.
  if (/^timeout(_?ms)?$/i.test(name)) return 120_000;
  if (!isRequired && !/^(edits|questions)$/i.test(name)) return undefined;
  if (isArray) return [itemFor(items, facts)];
  if (values[0] !== undefined) return values[0];
  const first =
    typeof type === 'string'
      ? type.toLowerCase()
      : (type?.[0] ?? anyOf.map((one) => shape.parse(one).type).find((one) => typeof one === 'string'));
  if (first === 'number' || first === 'integer') return 1;
  if (first === 'boolean') return false;
  return first === 'object' ? itemFor(schema, facts) : 'scripted';
}

function itemFor(schema: JsonSchema, facts: Facts): unknown {
  return objectSchema.parse(schema).properties === undefined ? 'scripted' : argumentsFor({ name: '', schema, isFreeform: false }, facts);
}

function optionFor(option: string, items: JsonSchema): unknown {
  const { properties } = objectSchema.parse(items);
  if (properties === undefined) return option;
  return Object.fromEntries(Object.keys(properties).map((name) => [name, option]));
}
