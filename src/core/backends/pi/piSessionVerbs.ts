/**
 * Commands about the agent's sessions. A session that begins in the middle of another one is created in a separate process, so that the
 * conversation keeps its session, whose history and journal continue. The file of the new session is its name, and it can be opened like
 * every saved session.
 */
import * as z from 'zod/mini';
import { HostError } from '../../base/errors.js';
import type { HostCommand } from '../../session/model.js';
import type { Verb, VerbContext } from './piVerbs.js';
import { listOf } from './schema/messages.js';

const statsSchema = z.record(z.string(), z.unknown());
const textSchema = z.object({ text: z.catch(z.nullable(z.string()), null) });
const pointsSchema = z.object({ messages: listOf(z.object({ entryId: z.string(), text: z.catch(z.string(), '') })) });
type Point = z.infer<typeof pointsSchema>['messages'][number];

/** The beginning of a long prompt is enough to recognize it. */
const labelChars = 120;

export const sessionVerbs: Readonly<Partial<Record<HostCommand, Verb>>> = {
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
