/** What the agent can be told beside prompts, as slash commands of the host: the agent has no such commands of its own. */
import * as z from 'zod/mini';
import { HostError, toHostError } from '../../base/errors.js';
import type { SessionEvent } from '../../session/event.js';
import type { AvailableCommand } from '../../session/model.js';
import type { PiDialect } from './dialect.js';
import type { CallOptions, Command, PiCalls } from './piCalls.js';
import { sessionVerbs } from './piSessionVerbs.js';
import type { PiTools } from './piTools.js';
import { nothing } from './schema/answers.js';

export interface VerbContext {
  readonly calls: PiCalls;
  readonly tools: PiTools;
  readonly timeoutMs: number;
  readonly now: () => number;
  readonly emit: (event: SessionEvent) => void;
  /** How many the agent has told of. */
  readonly compactions: () => number;
  /** Called with what the agent prints while a command of its shell runs. */
  readonly onOutput: (listener: (delta: string) => void) => void;
  readonly dialect: PiDialect;
  /** Asks the user. @returns undefined where nobody chose */
  readonly choose: (choices: readonly { readonly value: string; readonly label: string }[]) => Promise<string | undefined>;
  /** Has another process make a session out of this one. @throws HostError `unsupported` where this one is not saved */
  readonly deriveSession: (command: Command) => Promise<DerivedSession>;
}

/** `text`: of the message before which it ends. */
export interface DerivedSession {
  readonly path: string;
  readonly text: string | undefined;
}

type CompactionEnd = Pick<Extract<SessionEvent, { type: 'compaction' }>, 'status' | 'summary' | 'error'>;

export interface Verb {
  /** What follows the name; empty: nothing does. */
  readonly hint: string;
  /** The command that stops it; absent: that of a turn. */
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

const verbs: Readonly<Record<string, Verb>> = {
  ...sessionVerbs,
  compact: {
    hint: 'instructions',
    async run({ calls, now, emit, compactions }, customInstructions) {
      const before = compactions();
      const command = { type: 'compact', ...(customInstructions === '' ? {} : { customInstructions }) };
      const id = `own-${now().toString(36)}`;
      // Not every agent tells it by events, too.
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
      await tell(calls, { command: { type: 'set_session_name', name: title }, answer: nothing, timeoutMs });
      emit({ type: 'info', at: now(), title });
    },
  },
  export: {
    hint: 'path',
    async run({ calls, timeoutMs, now, emit }, outputPath) {
      const command = { type: 'export_html', ...(outputPath === '' ? {} : { outputPath }) };
      const { path } = await calls.request({ command, answer: pathSchema, timeoutMs });
      emit({ type: 'message', at: now(), role: 'agent', content: { type: 'text', text: `\`${path}\`` } });
    },
  },
  bash: { hint: 'command', stop: 'abort_bash', run: runShell },
};

/** Of the agent's own screen: words that people type, and that no model should read. */
const refused: Readonly<Record<string, HostError>> = {
  // It would take the session away from its conversation.
  new: new HostError('unsupported', { reason: 'new_session' }),
};

/** Those that the agent can carry out. One that it cannot is refused when it is tried. */
export function verbCommands({ clones }: PiDialect): readonly AvailableCommand[] {
  return Object.entries(verbs).flatMap(([name, { hint }]) =>
    name === 'clone' && !clones ? [] : [{ name, description: '', ...(hint === '' ? {} : { input: { hint } }) }],
  );
}

/** @param others commands of the agent, which go before @returns undefined for a prompt that is none of them @throws HostError `unsupported` for what is done in another way */
export function verbOf(message: string, others: readonly AvailableCommand[]): VerbCall | undefined {
  const [, name = '', rest = ''] = /^\/(\w+)(?:\s+([^]*))?$/.exec(message) ?? [];
  if (others.some((other) => other.name === name)) return undefined;
  const refusal = Object.hasOwn(refused, name) ? refused[name] : undefined;
  if (refusal !== undefined) throw refusal;
  const verb = Object.hasOwn(verbs, name) ? verbs[name] : undefined;
  if (verb === undefined) return undefined;
  return { stop: verb.stop, run: (context) => verb.run(context, rest.trim()) };
}

async function tell(calls: PiCalls, options: CallOptions<unknown>): Promise<void> {
  await calls.request(options);
}

/** A card of its own: the agent tells no event of it, or only what is printed. */
async function runShell({ calls, tools, now, emit, onOutput }: VerbContext, command: string): Promise<void> {
  const [name, id] = ['bash', `shell-${now().toString(36)}`];
  const tellAll = (events: readonly SessionEvent[]): void => {
    for (const event of events) emit(event);
  };
  tellAll(tools.start({ toolCallId: id, toolName: name, args: { command } }, now()));
  let printed = '';
  onOutput((delta) => {
    printed += delta;
    tellAll(tools.progress(id, name, [{ type: 'text', text: printed }], now()));
  });
  const { output, exitCode, cancelled } = await calls.request({ command: { type: 'bash', command }, answer: shellSchema });
  const content = output === '' ? [] : [{ type: 'text' as const, text: output }];
  const isError = cancelled || (exitCode ?? 0) !== 0;
  tellAll(tools.end(id, name, { content, isError, ...(exitCode === undefined ? {} : { exitCode }) }, now()));
}
