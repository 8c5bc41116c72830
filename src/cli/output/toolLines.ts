/** Tool calls as lines: one when a call ends, and one before that if the call takes long. */
import path from 'node:path';
import type { SessionEvent, ToolCallContent, ToolPatch, ToolStatus } from '../../core/index.js';
import { caveatText, exitText } from '../../text/hintText.js';
import type { Paint } from './paint.js';
import { oneLine } from './terminalText.js';

/** A shorter call appears only with its end. */
const WORTH_ANNOUNCING_MS = 400;

interface Tool {
  readonly patch: ToolPatch;
  readonly startedAt: number;
  readonly announced: boolean;
  readonly timer: NodeJS.Timeout | undefined;
}

export interface ToolLinesOptions {
  /** Paths are shown relative to this folder. */
  readonly cwd: string;
  readonly agentLabel: string;
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
    // A pending call waits for the user's permission, which is not its own time.
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

  /** A request to the user says more than a line about a call in progress. */
  hold(): void {
    for (const { timer } of this.#tools.values()) clearTimeout(timer);
  }

  /** The turn ended: reports the calls that did not. */
  end(): void {
    for (const { patch, timer } of this.#tools.values()) {
      clearTimeout(timer);
      if (!isEnded(patch.status))
        this.#options.write(`${this.#options.paint.yellow('-')} ${this.#describe(patch)} (${unfinishedText.unreported})`);
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
    const { paint, agentLabel } = this.#options;
    const took = at - startedAt >= 1000 ? paint.dim(` (${((at - startedAt) / 1000).toFixed(1)} s)`) : '';
    const line = `${this.#describe(patch)}${took}`;
    const badEnd = patch.exit && exitText(patch.exit);
    if (patch.status === 'completed' && badEnd === undefined)
      return `${paint.green('✓')} ${line}${patch.caveat ? paint.dim(` (${oneLine(caveatText(patch.caveat, agentLabel))})`) : ''}`;
    if (isUnfinished(patch.status)) return `${paint.yellow('-')} ${this.#describe(patch)} (${unfinishedText[patch.status]})`;
    const reason = badEnd ?? lastText(patch);
    return `${paint.red('✗')} ${line}${reason ? paint.dim(`: ${reason}`) : ''}`;
  }

  #describe(patch: ToolPatch): string {
    const title = oneLine(patch.title ?? 'tool call');
    const subject = subjectOf(patch, this.#options.cwd);
    return subject === undefined || title.includes(subject) ? title : `${title} ${subject}`;
  }
}

type Unfinished = 'cancelled' | 'unreported' | 'rejected';

/** Ends that the host adds where the agent reports none. */
export const unfinishedText: Readonly<Record<Unfinished, string>> = {
  cancelled: 'canceled',
  unreported: 'no end reported',
  rejected: 'rejected',
};

function isUnfinished(status: ToolStatus | undefined): status is Unfinished {
  return status !== undefined && Object.hasOwn(unfinishedText, status);
}

function isEnded(status: ToolStatus | undefined): boolean {
  return status === 'completed' || status === 'failed' || isUnfinished(status);
}

/** Some agents use bare tool names as titles; then the command or the file says more. */
function subjectOf({ rawInput, locations }: ToolPatch, cwd: string): string | undefined {
  const command = textMember(rawInput, 'command');
  if (command !== undefined) return oneLine(command);
  const file = locations?.[0]?.path ?? textMember(rawInput, 'file_path') ?? textMember(rawInput, 'path');
  if (file === undefined) return undefined;
  const relative = path.relative(cwd, path.resolve(cwd, file));
  if (relative === '') return undefined; // the folder itself says nothing
  return oneLine(relative.startsWith('..') ? file : relative);
}

function textMember(value: unknown, name: string): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const member: unknown = Object.entries(value).find(([key]) => key === name)?.[1];
  return typeof member === 'string' ? member : undefined;
}

/** A failed call says why at its end. */
function lastText({ content }: ToolPatch): string | undefined {
  const text = content?.flatMap(textOfPart).at(-1);
  if (text === undefined) return undefined;
  const lines = text.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('```'));
  return oneLine(lines.at(-1) ?? '', 120) || undefined;
}

function textOfPart(part: ToolCallContent): readonly string[] {
  if (part.type === 'terminal') return part.output === undefined ? [] : [part.output];
  return part.type === 'content' && part.content.type === 'text' ? [part.content.text] : [];
}
