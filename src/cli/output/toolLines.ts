/** Tool calls as lines: one when a call has ended, and one before it when it takes long enough to be waited for. */
import path from 'node:path';
import type { SessionEvent, ToolPatch, ToolStatus } from '../../core/index.js';
import type { Paint } from './paint.js';
import { oneLine } from './terminalText.js';

/** Below it a reader sees the end at once. */
const WORTH_ANNOUNCING_MS = 400;

interface Tool {
  readonly patch: ToolPatch;
  readonly startedAt: number;
  readonly announced: boolean;
  readonly timer: NodeJS.Timeout | undefined;
}

export interface ToolLinesOptions {
  /** The folder that paths are shown relative to. */
  readonly cwd: string;
  readonly paint: Paint;
  readonly write: (line: string) => void;
}

export class ToolLines {
  readonly #options: ToolLinesOptions;
  readonly #tools = new Map<string, Tool>();

  constructor(options: ToolLinesOptions) {
    this.#options = options;
  }

  add({ id, patch, at }: Extract<SessionEvent, { type: 'tool' }>): void {
    const known = this.#tools.get(id);
    // The time between the call and its beginning is the user's, who was asked.
    const begins = known === undefined || (patch.status === 'in_progress' && known.patch.status === 'pending');
    if (begins) clearTimeout(known?.timer);
    const tool: Tool = {
      patch: { ...known?.patch, ...patch },
      startedAt: begins ? at : known.startedAt,
      announced: known?.announced ?? false,
      timer: begins ? setTimeout(() => this.#announce(id), WORTH_ANNOUNCING_MS).unref() : known.timer,
    };
    this.#tools.set(id, tool);
    if (!isEnded(tool.patch.status) || isEnded(known?.patch.status)) return;
    clearTimeout(tool.timer);
    this.#options.write(this.#endLine(tool, at));
  }

  /** The user is being asked, which says more than a line about what is under way. */
  hold(): void {
    for (const { timer } of this.#tools.values()) clearTimeout(timer);
  }

  /** The turn is over: what did not end by itself is said to be cut off. */
  end(): void {
    for (const { patch, timer } of this.#tools.values()) {
      clearTimeout(timer);
      if (!isEnded(patch.status)) this.#options.write(`${this.#options.paint.yellow('-')} ${this.#describe(patch)} (not finished)`);
    }
    this.#tools.clear();
  }

  #announce(id: string): void {
    const tool = this.#tools.get(id);
    if (!tool || tool.announced || isEnded(tool.patch.status)) return;
    this.#tools.set(id, { ...tool, announced: true });
    this.#options.write(`${this.#options.paint.cyan('…')} ${this.#describe(tool.patch)}`);
  }

  #endLine({ patch, startedAt }: Tool, at: number): string {
    const { paint } = this.#options;
    const took = at - startedAt >= 1000 ? paint.dim(` (${((at - startedAt) / 1000).toFixed(1)} s)`) : '';
    const line = `${this.#describe(patch)}${took}`;
    if (patch.status === 'completed') return `${paint.green('✓')} ${line}${patch.caveat ? paint.dim(` (${oneLine(patch.caveat)})`) : ''}`;
    if (patch.status === 'cancelled') return `${paint.yellow('-')} ${line} (cancelled)`;
    const reason = exitCodeOf(patch.rawOutput) ?? lastText(patch);
    return `${paint.red('✗')} ${line}${reason ? paint.dim(`: ${reason}`) : ''}`;
  }

  #describe(patch: ToolPatch): string {
    const title = oneLine(patch.title ?? 'tool call');
    const subject = subjectOf(patch, this.#options.cwd);
    return subject === undefined || title.includes(subject) ? title : `${title} ${subject}`;
  }
}

function isEnded(status: ToolStatus | undefined): boolean {
  return status === 'completed' || status === 'failed' || status === 'cancelled';
}

/** Titles of some agents are bare tool names; then the command or the file tells more. */
function subjectOf({ rawInput, locations }: ToolPatch, cwd: string): string | undefined {
  const command = textMember(rawInput, 'command');
  if (command !== undefined) return oneLine(command);
  const file = locations?.[0]?.path ?? textMember(rawInput, 'file_path') ?? textMember(rawInput, 'path');
  if (file === undefined) return undefined;
  const relative = path.relative(cwd, path.resolve(cwd, file));
  if (relative === '') return undefined; // the folder itself: everything happens in it
  return oneLine(relative.startsWith('..') ? file : relative);
}

function exitCodeOf(rawOutput: unknown): string | undefined {
  if (typeof rawOutput !== 'object' || rawOutput === null || !('exitCode' in rawOutput)) return undefined;
  return typeof rawOutput.exitCode === 'number' ? `exit code ${rawOutput.exitCode}` : undefined;
}

function textMember(value: unknown, name: string): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const member: unknown = Object.entries(value).find(([key]) => key === name)?.[1];
  return typeof member === 'string' ? member : undefined;
}

/** Where a failed call says why, it says so last. */
function lastText({ content }: ToolPatch): string | undefined {
  const last = content?.findLast((part) => part.type === 'content' && part.content.type === 'text');
  if (last?.type !== 'content' || last.content.type !== 'text') return undefined;
  const lines = last.content.text.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('```'));
  return oneLine(lines.at(-1) ?? '', 120) || undefined;
}
