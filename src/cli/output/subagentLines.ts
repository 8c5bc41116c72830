/** Sub-agents as lines, each of which begins with the name of its sub-agent. */
import { foldToOneLine, isWorking, type SessionEvent, stripControls } from '../../core/index.js';
import { subagentName, subagentStatusText } from '../../text/workText.js';
import { oneLine, type Paint, textOf } from './terminalText.js';
import type { ToolLines } from './toolLines.js';

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

export interface SubagentLinesOptions {
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
    if (patch.title !== undefined) one.name = subagentName(patch.title).slice(0, nameChars);
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
      const facts = [`${seconds} s`, ...(one.calls.size === 0 ? [] : [`${one.calls.size} ${one.calls.size === 1 ? 'tool' : 'tools'}`])];
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
