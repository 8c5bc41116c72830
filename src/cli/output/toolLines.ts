/** Tool calls and sub-agents as lines: one when a call ends, and one before that if the call takes long. */
import path from 'node:path';
import {
  commandIn,
  foldToOneLine,
  isWorking,
  type SessionEvent,
  stripControls,
  textMember,
  type ToolCallContent,
  type ToolPatch,
  type ToolStatus,
  unwrapShell,
  isWithin,
} from '../../core/index.js';
import { caveatText, exitText } from '../../text/hintText.js';
import { subagentName, subagentStatusText, toolTitle, toolVerbs, type UnfinishedStatus, unfinishedText } from '../../text/workText.js';
import type { AgentName } from '../system/agents.js';
import { oneLine, shorten, textOf } from '../../text/plainText.js';
import { counted } from '../../text/sentence.js';
import type { Paint } from './terminalText.js';

/** A shorter call only appears when it ends. */
const WORTH_ANNOUNCING_MS = 400;
/** A request that may be about more open calls than this counts for none of them: an agent can ask as often as it has open calls. */
const MOST_WAITING = 64;

interface Tool {
  readonly patch: ToolPatch;
  readonly startedAt: number;
  /** How long it waited for the user, in milliseconds. */
  readonly waited: number;
  readonly announced: boolean;
  /** The line about its end was written. */
  readonly told: boolean;
  /** The user was asked about it. */
  readonly asked: boolean;
  readonly timer: NodeJS.Timeout | undefined;
}

function wentWell({ status, exit }: ToolPatch): boolean {
  return status === 'completed' && (exit && exitText(exit)) === undefined;
}

interface ToolLinesOptions {
  /** Paths are shown relative to this folder. */
  readonly cwd: string;
  readonly agent: AgentName;
  readonly paint: Paint;
  readonly write: (line: string) => void;
  /** Returns lines below that of a call that ran to its end. Without this function, there are none. */
  readonly resultOf?: (patch: ToolPatch, asked: boolean) => readonly string[];
}

export class ToolLines {
  readonly #options: ToolLinesOptions;
  readonly #tools = new Map<string, Tool>();
  /** The ids of the calls that have not ended. */
  readonly #open = new Set<string>();
  /** The ids of calls that may still be announced. */
  readonly #unannounced = new Set<string>();
  readonly #requests = new Map<string, { readonly at: number; readonly itemId: string | undefined }>();

  constructor(options: ToolLinesOptions) {
    this.#options = options;
  }

  add({ id, patch, at, origin }: Extract<SessionEvent, { type: 'tool' }>): void {
    const known = this.#tools.get(id);
    // A pending call waits for the user's permission, which is not the tool's own time.
    const begins = known === undefined || (patch.status === 'in_progress' && known.patch.status === 'pending');
    if (begins) clearTimeout(known?.timer);
    // See `patchTool`: a rejected call was not done, even if the agent reports that it is over.
    const isAnswered = known?.patch.status === 'rejected' && patch.status === 'completed' && patch.exit === undefined;
    const merged: ToolPatch = { ...known?.patch, ...patch, ...(isAnswered ? { status: 'rejected' } : {}) };
    // The agent may report more about a rejected call: why it gives up, or that it asks again.
    const mayGoOn = merged.status === 'rejected' && (origin === 'host' || patch.status === undefined);
    const wasTold = known?.told === true;
    const tool: Tool = {
      patch: merged,
      told: wasTold || (isEnded(merged.status) && !mayGoOn),
      startedAt: begins ? at : known.startedAt,
      waited: begins ? 0 : known.waited,
      announced: known?.announced ?? false,
      asked: known?.asked ?? false,
      timer: begins ? setTimeout(() => this.#announce(id), WORTH_ANNOUNCING_MS).unref() : known.timer,
    };
    this.#tools.set(id, tool);
    if (begins) this.#unannounced.add(id);
    if (isEnded(merged.status)) {
      clearTimeout(tool.timer);
      this.#unannounced.delete(id);
      this.#open.delete(id);
    } else this.#open.add(id);
    const isCorrected = known !== undefined && wentWell(known.patch) && isEnded(merged.status) && !wentWell(merged);
    if (!tool.told || (wasTold && !isCorrected)) return;
    const result = isUnfinished(merged.status) ? [] : (this.#options.resultOf?.(merged, tool.asked) ?? []);
    this.#options.write([this.#endLine(tool, at, result.length > 0), ...result].join('\n'));
  }

  /** Stops announcing calls in progress, because a request to the user says more. */
  hold({ request, at }: Extract<SessionEvent, { type: 'request_opened' }>): void {
    for (const id of this.#unannounced) clearTimeout(this.#tools.get(id)?.timer);
    this.#unannounced.clear();
    this.#requests.set(request.id, { at, itemId: request.kind === 'permission' ? request.subject.itemId : undefined });
  }

  /** Subtracts the time that the user took from the tool's own time. */
  resume({ requestId, at }: Extract<SessionEvent, { type: 'request_closed' }>): void {
    const request = this.#requests.get(requestId);
    this.#requests.delete(requestId);
    if (request === undefined) return;
    const { itemId = '' } = request;
    const isNamed = this.#open.has(itemId);
    if (!isNamed && this.#open.size > MOST_WAITING) return;
    for (const id of isNamed ? [itemId] : this.#open) {
      const tool = this.#tools.get(id);
      if (tool === undefined) continue;
      const waited = tool.waited + at - Math.max(request.at, tool.startedAt);
      this.#tools.set(id, { ...tool, waited, asked: tool.asked || isNamed });
    }
  }

  /** Call this at the end of the turn; reports the calls that have not ended. */
  end(): void {
    for (const [id, tool] of [...this.#tools]) {
      const { patch, timer, told } = tool;
      clearTimeout(timer);
      if (told) {
        this.#tools.delete(id);
        this.#open.delete(id);
        continue;
      }
      this.#options.write(this.#unfinishedLine(patch, isUnfinished(patch.status) ? patch.status : 'unreported'));
      // What is still reported about it must not look like a new call.
      this.#tools.set(id, { ...tool, told: true });
    }
  }

  #announce(id: string): void {
    this.#unannounced.delete(id);
    const tool = this.#tools.get(id);
    if (!tool || tool.announced || isEnded(tool.patch.status)) return;
    this.#tools.set(id, { ...tool, announced: true });
    this.#options.write(`${this.#options.paint.cyan('…')} ${this.#describe(tool.patch)}`);
  }

  #endLine({ patch, startedAt, waited }: Tool, at: number, hasResult: boolean): string {
    const tookMs = at - startedAt - waited;
    const { paint, agent } = this.#options;
    const took = tookMs >= 1000 ? paint.dim(` (${(tookMs / 1000).toFixed(1)} s)`) : '';
    const line = `${this.#describe(patch)}${took}`;
    const badEnd = patch.exit && exitText(patch.exit);
    if (wentWell(patch))
      return `${paint.green('✓')} ${line}${patch.caveat ? paint.dim(` (${oneLine(caveatText(patch.caveat, agent.label))})`) : ''}`;
    if (isUnfinished(patch.status)) return this.#unfinishedLine(patch, patch.status);
    const reason = badEnd ?? (hasResult ? undefined : lastText(patch));
    return `${paint.red('✗')} ${line}${reason ? paint.dim(`: ${reason}`) : ''}`;
  }

  #unfinishedLine(patch: ToolPatch, status: UnfinishedStatus): string {
    const { paint } = this.#options;
    const reason = status === 'rejected' ? lastText(patch) : undefined;
    return `${paint.yellow('-')} ${this.#describe(patch)} (${unfinishedText[status]})${reason ? paint.dim(`: ${reason}`) : ''}`;
  }

  #describe(patch: ToolPatch): string {
    const { cwd } = this.#options;
    const title = oneLine(toolTitle(patch.title ?? 'tool call', cwd));
    const subject = subjectOf(patch, cwd);
    // A path does not say what is done to it.
    if (title === subject || (path.isAbsolute(title) && !/\s/.test(title))) return `${toolVerbs[patch.toolKind ?? 'other']} ${title}`;
    return subject === undefined || title.includes(subject) ? title : `${title} ${subject}`;
  }
}

function isUnfinished(status: ToolStatus | undefined): status is UnfinishedStatus {
  return status !== undefined && Object.hasOwn(unfinishedText, status);
}

function isEnded(status: ToolStatus | undefined): boolean {
  return status === 'completed' || status === 'failed' || isUnfinished(status);
}

/** Returns the command or the file, because some agents use bare tool names as titles. */
function subjectOf({ rawInput, locations }: ToolPatch, cwd: string): string | undefined {
  const command = commandIn(rawInput);
  if (command !== undefined) return oneLine(unwrapShell(command));
  const file = locations?.[0]?.path ?? textMember(rawInput, 'file_path') ?? textMember(rawInput, 'path');
  if (file === undefined) return undefined;
  const whole = path.resolve(cwd, file);
  if (whole === path.resolve(cwd)) return undefined; // the folder itself adds nothing
  return oneLine(isWithin(cwd, whole) ? path.relative(cwd, whole) : file);
}

/** Returns the last line of the text of a failed call, which says why it failed. */
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

// Sub-agents as lines, each of which begins with the name of its sub-agent.

/** A longer name would leave no space for what it does. */
const nameChars = 24;
/** A line of an answer is not held back further. */
const lineChars = 1_000;

type SubagentEvent = Extract<SessionEvent, { type: 'subagent' }>;

interface Subagent {
  readonly parent: Subagent | undefined;
  readonly tools: ToolLines;
  name: string;
  isWorking: boolean;
  /** When it began to work. */
  since: number;
  calls: Set<string>;
  /** The beginning of a line of its answer. */
  text: string;
}

interface SubagentLinesOptions {
  readonly paint: Paint;
  readonly write: (line: string) => void;
  readonly createTools: (write: (line: string) => void) => ToolLines;
}

export class SubagentLines {
  readonly #options: SubagentLinesOptions;
  readonly #byId = new Map<string, Subagent>();

  constructor(options: SubagentLinesOptions) {
    this.#options = options;
  }

  /** @returns whether the event is about a sub-agent, or from one */
  take(event: SessionEvent): boolean {
    if (event.type === 'subagent') {
      this.#change(event);
      return true;
    }
    if (event.type === 'request_opened') for (const { tools } of this.#byId.values()) tools.hold(event);
    if (event.type === 'request_closed') for (const { tools } of this.#byId.values()) tools.resume(event);
    const one = 'subagentId' in event && event.subagentId !== undefined ? this.#byId.get(event.subagentId) : undefined;
    if (one === undefined) return 'subagentId' in event && event.subagentId !== undefined;
    switch (event.type) {
      case 'message':
        if (event.role === 'agent') this.#say(one, stripControls(textOf(event.content)));
        return true;
      case 'tool':
        this.#finishLine(one);
        one.calls.add(event.id);
        one.tools.add(event);
        return true;
      case 'notice':
        this.#write(one, `${event.severity}: ${oneLine(event.title, 1000)}`);
        return true;
      default:
        return true;
    }
  }

  /** Writes what has been said so far. */
  flush(): void {
    for (const one of this.#byId.values()) this.#finishLine(one);
  }

  #change({ agentId, subagentId, patch, at }: SubagentEvent): void {
    let one = this.#byId.get(agentId);
    if (one === undefined) {
      const fresh: Subagent = {
        parent: subagentId === undefined ? undefined : this.#byId.get(subagentId),
        tools: this.#options.createTools((line) => this.#write(fresh, line)),
        ...{ name: '', isWorking: false, since: at, calls: new Set(), text: '' },
      };
      this.#byId.set(agentId, (one = fresh));
    }
    if (patch.title !== undefined) one.name = shorten(subagentName(patch.title), nameChars);
    if (patch.status !== undefined) this.#setStatus(one, patch, at);
  }

  #setStatus(one: Subagent, { status = 'unknown', description, error }: SubagentEvent['patch'], at: number): void {
    const works = isWorking(status);
    if (works && !one.isWorking) {
      one.since = at;
      const about = description == null ? '' : `: ${foldToOneLine(stripControls(description))}`;
      this.#write(one, this.#options.paint.dim(`started${oneLine(about, 300)}`));
    }
    if (!works && one.isWorking) {
      this.#finishLine(one);
      const seconds = Math.round((at - one.since) / 1000);
      const facts = [`${seconds} s`, ...(one.calls.size === 0 ? [] : [counted(one.calls.size, 'tool')])];
      const why = error == null ? '' : `: ${oneLine(error, 300)}`;
      this.#write(one, this.#options.paint.dim(`${subagentStatusText[status] || 'done'}${why} · ${facts.join(' · ')}`));
    }
    one.isWorking = works;
  }

  #say(one: Subagent, text: string): void {
    const lines = `${one.text}${text}`.split('\n');
    one.text = lines.pop() ?? '';
    for (const line of lines) if (line.trim() !== '') this.#write(one, line);
    if (one.text.length > lineChars) this.#finishLine(one);
  }

  #finishLine(one: Subagent): void {
    const { text } = one;
    one.text = '';
    if (text.trim() !== '') this.#write(one, text);
  }

  #write(one: Subagent, text: string): void {
    const prefix = this.#options.paint.dim(`${pathOf(one)} │ `);
    for (const line of text.split('\n')) this.#options.write(`${prefix}${line}`);
  }
}

/** Names the one that started it, too. */
function pathOf({ parent, name }: Subagent): string {
  const own = name === '' ? 'Sub-agent' : name;
  return parent === undefined ? own : `${pathOf(parent)} › ${own}`;
}
