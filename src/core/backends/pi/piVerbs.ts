/** Slash commands of the host for what the agent can do besides prompts; the agent has no such commands itself. */
import { randomUUID } from 'node:crypto';
import * as z from 'zod/mini';
import { HostError, toHostError } from '../../base/errors.js';
import type { SessionEvent } from '../../session/event.js';
import { type AvailableCommand, type HostCommand, hostCommand, hostCommands } from '../../session/model.js';
import { appendOutput, noOutput, showOutput, terminalLimits } from '../growingOutput.js';
import type { PiDialect } from './dialect.js';
import type { Command, PiCalls } from './piCalls.js';
import type { PiTools } from './piTools.js';
import { nothing } from './schema/answers.js';
import { listOf } from './schema/messages.js';

export interface VerbContext {
  readonly calls: PiCalls;
  readonly tools: PiTools;
  readonly timeoutMs: number;
  readonly now: () => number;
  readonly emit: (event: SessionEvent) => void;
  /** The number of compactions that the agent has reported. */
  readonly compactions: () => number;
  /** Registers a listener for the output of a command in the agent's shell. */
  readonly onOutput: (listener: (delta: string) => void) => void;
  readonly dialect: PiDialect;
  /**
   * Asks the user.
   * @returns undefined if the user chose nothing
   */
  readonly choose: (choices: readonly { readonly value: string; readonly label: string }[]) => Promise<string | undefined>;
  /**
   * Has a separate process create a session from this one.
   * @throws HostError `unsupported` if this session is not saved
   */
  readonly deriveSession: (command: Command) => Promise<DerivedSession>;
}

/** `text` is the message before which the new session ends. */
export interface DerivedSession {
  readonly path: string;
  readonly text: string | undefined;
}

type CompactionEnd = Pick<Extract<SessionEvent, { type: 'compaction' }>, 'status' | 'summary' | 'error'>;

export interface Verb {
  /** Describes the text that the command takes after its name; empty if it takes none. */
  readonly hint: string;
  /** The command that stops it; if it is absent, the same as for a turn. */
  readonly stop?: string;
  run(context: VerbContext, rest: string): Promise<void>;
}

export interface VerbCall {
  readonly stop: string | undefined;
  run(context: VerbContext): Promise<void>;
}

const compactSchema = z.object({ summary: z.catch(z.string(), '') });
const pathSchema = z.object({ path: z.string() });
const shellSchema = z.object({
  output: z.catch(z.string(), ''),
  exitCode: z.catch(z.optional(z.number()), undefined),
  cancelled: z.catch(z.boolean(), false),
});

const statsSchema = z.record(z.string(), z.unknown());
const textSchema = z.object({ text: z.catch(z.nullable(z.string()), null) });
const pointsSchema = z.object({ messages: listOf(z.object({ entryId: z.string(), text: z.catch(z.string(), '') })) });
type Point = z.infer<typeof pointsSchema>['messages'][number];

/** The beginning of a long prompt is enough to recognize it. */
const labelChars = 120;

/**
 * Commands about the agent's sessions. A session that begins in the middle of another one is created in a separate process, so that the
 * conversation keeps its session, whose history and journal continue. The file of the new session is its name, and it can be opened like
 * every saved session.
 */
const sessionVerbs: Readonly<Partial<Record<HostCommand, Verb>>> = {
  stats: {
    hint: '',
    async run(context) {
      const { calls, timeoutMs } = context;
      const stats = await calls.request({ command: { type: 'get_session_stats' }, answer: statsSchema, timeoutMs });
      tellText(context, ['```', ...linesOf(stats), '```'].join('\n'));
    },
  },
  last: {
    hint: '',
    async run(context) {
      const { calls, timeoutMs } = context;
      const { text } = await calls.request({ command: { type: 'get_last_assistant_text' }, answer: textSchema, timeoutMs });
      if (text !== null) tellText(context, text);
    },
  },
  clone: {
    hint: '',
    async run(context) {
      if (!context.dialect.clones) throw unsupported('clone');
      const { path } = await context.deriveSession({ type: 'clone' });
      tellText(context, `\`${path}\``);
      tellMade(context, path);
    },
  },
  fork: {
    hint: 'number',
    async run(context, which) {
      const point = await chooseForkPoint(context, which);
      if (point === undefined) return;
      const { forkCommand } = context.dialect;
      const { path, text = point.text } = await context.deriveSession({ type: forkCommand, entryId: point.entryId });
      tellText(context, `\`${path}\`\n\n${quoted(text)}`);
      tellMade(context, path);
    },
  },
};

const verbs: Readonly<Partial<Record<HostCommand, Verb>>> = {
  ...sessionVerbs,
  compact: {
    hint: 'instructions',
    async run({ calls, now, emit, compactions }, customInstructions) {
      const before = compactions();
      const command = { type: 'compact', ...(customInstructions === '' ? {} : { customInstructions }) };
      const id = randomUUID();
      // Not every agent also reports this with events.
      const tellEnd = (end: CompactionEnd): void => {
        if (compactions() === before) emit({ type: 'compaction', at: now(), id, ...end });
      };
      try {
        const { summary: text } = await calls.request({ command, answer: compactSchema });
        tellEnd({ status: 'completed', summary: [{ type: 'text', text }] });
      } catch (error) {
        tellEnd({ status: 'failed', error: toHostError(error).params.detail ?? '' });
        throw error;
      }
    },
  },
  name: {
    hint: 'name',
    async run({ calls, timeoutMs, now, emit }, title) {
      await calls.request({ command: { type: 'set_session_name', name: title }, answer: nothing, timeoutMs });
      emit({ type: 'info', at: now(), title });
    },
  },
  export: {
    hint: 'path',
    async run(context, outputPath) {
      const { calls, timeoutMs } = context;
      const command = { type: 'export_html', ...(outputPath === '' ? {} : { outputPath }) };
      const { path } = await calls.request({ command, answer: pathSchema, timeoutMs });
      tellText(context, `\`${path}\``);
    },
  },
  bash: { hint: 'command', stop: 'abort_bash', run: runShell },
};

/** Returns the commands that the agent supports. A command that the agent turns out not to support is refused when it is used. */
export function verbCommands({ clones }: PiDialect): readonly AvailableCommand[] {
  return hostCommands.flatMap((name) => {
    const verb = name === 'clone' && !clones ? undefined : verbs[name];
    return verb === undefined ? [] : [hostCommand(name, verb.hint)];
  });
}

/**
 * @param others commands of the agent, which take precedence
 * @returns undefined for a prompt that is not one of these commands
 * @throws HostError `unsupported` for what is done in another way, `usage` for a command with a text that it does not take
 */
export function verbOf(message: string, others: readonly AvailableCommand[]): VerbCall | undefined {
  const [, name = '', rest = ''] = /^\/([\w-]+)(?:\s+([^]*))?$/.exec(message) ?? [];
  if (others.some((other) => other.name === name)) return undefined;
  refuseScreenCommand(name);
  const known = hostCommands.find((one) => one === name);
  const verb = known && verbs[known];
  if (verb === undefined) return undefined;
  if (verb.hint === '' && rest.trim() !== '') throw new HostError('usage', { reason: 'command_takes_no_text', command: `/${name}` });
  return { stop: verb.stop, run: (context) => verb.run(context, rest.trim()) };
}

export function unsupported(command: string): HostError {
  return new HostError('unsupported', { reason: 'command', command: `/${command === 'branch' ? 'fork' : command}` });
}

/**
 * @param which the 1-based number of a user message; the user is asked if it is empty
 * @returns undefined if the user chose nothing
 */
async function chooseForkPoint({ calls, timeoutMs, dialect, choose }: VerbContext, which: string): Promise<Point | undefined> {
  const command = { type: `get_${dialect.forkCommand}_messages` };
  const { messages } = await calls.request({ command, answer: pointsSchema, timeoutMs });
  const numbered = messages.map((message, index) => ({ message, number: String(index + 1) }));
  const chosen =
    which === '' ? await choose(numbered.map(({ message, number }) => ({ value: number, label: labelOf(number, message) }))) : which;
  if (chosen === undefined) return undefined;
  const found = numbered.find(({ number }) => number === chosen);
  if (found === undefined) throw new HostError('request_failed', { method: dialect.forkCommand, detail: `/fork 1-${messages.length}` });
  return found.message;
}

function labelOf(number: string, { text }: Point): string {
  const [line = ''] = text.trim().split('\n');
  return `${number}. ${line.slice(0, labelChars)}`;
}

function tellText({ emit, now }: VerbContext, text: string): void {
  emit({ type: 'message', at: now(), role: 'agent', content: { type: 'text', text } });
}

function tellMade({ emit, now }: VerbContext, sessionId: string): void {
  emit({ type: 'host_notice', at: now(), severity: 'info', code: 'session_made', params: { sessionId } });
}

function quoted(text: string): string {
  return text.replaceAll(/^/gm, '> ');
}

/** Formats facts in the agent's own words. */
function linesOf(facts: Readonly<Record<string, unknown>>, indent = ''): readonly string[] {
  return Object.entries(facts).flatMap(([name, value]) => {
    const inner = statsSchema.safeParse(value);
    if (typeof value === 'object' && inner.success) return [`${indent}${name}:`, ...linesOf(inner.data, `${indent}  `)];
    return [`${indent}${name}: ${String(value)}`];
  });
}

/** Creates a card for the shell, because the agent sends no events for it, or only its output. */
async function runShell({ calls, tools, now, emit, onOutput }: VerbContext, command: string): Promise<void> {
  const id = `shell-${randomUUID()}`;
  const call = { toolCallId: id, toolName: 'bash', args: { command } };
  const tellAll = (events: readonly SessionEvent[]): void => {
    for (const event of events) emit(event);
  };
  tellAll(tools.start(call, now()));
  let printed = noOutput;
  onOutput((delta) => {
    printed = appendOutput(printed, delta, terminalLimits);
    tellAll(tools.progress(call, [{ type: 'text', text: showOutput(printed) }], now()));
  });
  const result = await calls.request({ command: { type: 'bash', command }, answer: shellSchema });
  tellAll(tools.endShell(id, result, now()));
}

/**
 * Commands of the agent's own screen. Its RPC mode doesn't know them and would send them to the model as text. Source: `BUILTIN_SLASH_COMMANDS` of
 * Pi 0.74.2 and 1.6.0; omp 14.9.9 has most of them. `src/text` has the alternatives.
 */
export const screenCommands = [
  'settings',
  'model',
  'thinking',
  'scoped-models',
  'import',
  'share',
  'bug',
  'copy',
  'session',
  'changelog',
  'hotkeys',
  'tree',
  'trust',
  'login',
  'logout',
  'resume',
  'reload',
  'quit',
] as const;

/** @throws HostError `unsupported` for a command of the agent's own screen */
function refuseScreenCommand(name: string): void {
  // The session would leave its conversation.
  if (name === 'new') throw new HostError('unsupported', { reason: 'new_session' });
  if (screenCommands.some((one) => one === name)) throw new HostError('unsupported', { reason: 'screen_command', command: name });
}
