import type { AgentFiles } from '../../services/hostServices.js';
import { isAbsolute } from 'node:path';
import type { AskingSession } from './askingSession.js';
import type { Clock } from '../../base/clock.js';
import { HostError } from '../../base/errors.js';
import type { SessionEvent, SubagentPatch } from '../../session/event.js';
import type { Fields } from './schema/lenient.js';
import { UpdateMap } from './map.js';
import type { SubagentStatus } from '../../session/model.js';
import { isWorking } from '../../session/reduceSubagent.js';
import type { ReportTerminal, SessionTerminals } from './sessionTerminals.js';
import { beginPeriod } from './toolCards.js';
import { foldTerminal } from './toolFold.js';
import { linkedSessions, parseUpdate, type SubagentUpdate } from './schema/updates.js';
import type { AskingSubagent } from '../../session/userRequest.js';
import { mostNested, mostSubagents } from './callSubagents.js';

/** A reader sees what it is about. */
const taskChars = 20_000;

/** The session of a sub-agent. What arrives under its id belongs to the session that it works for, and is shown inside that. */
class AcpSubagent implements AskingSession {
  /** Of the session that it works for. */
  readonly id: string;
  readonly folder: string;
  readonly otherFolders?: readonly string[];
  readonly map: UpdateMap;
  files?: AgentFiles;
  terminals?: SessionTerminals;
  cancelling = false;
  /** A tool call shows it. */
  isLinked = false;
  readonly root: AskingSession;
  /** The one that started it, and below which it is shown. */
  readonly parent: AcpSubagent | undefined;
  readonly depth: number;
  /** The agent's own id for it. */
  readonly sessionId: string;
  /** All of the connection: it may start others, or change them. */
  readonly #all: AcpSubagents;
  readonly #parts: AcpSubagentsParts;
  readonly #period: string;
  #periods = 0;
  #known: SubagentPatch = {};
  #cwd: string;
  /** The last thing that happened was that it was told something. */
  #isTold = false;
  /** Aborted when it does not wait for answers any more. */
  #over = new AbortController();

  constructor(
    sessionId: string,
    { root, parent, depth }: { readonly root: AskingSession; readonly parent: AcpSubagent | undefined; readonly depth: number },
    all: AcpSubagents,
    parts: AcpSubagentsParts,
  ) {
    this.#all = all;
    this.#parts = parts;
    this.sessionId = sessionId;
    this.root = root;
    this.parent = parent;
    this.depth = depth;
    this.id = root.id;
    this.folder = root.folder;
    this.#cwd = parent?.cwd ?? root.cwd;
    if (root.otherFolders !== undefined) this.otherFolders = root.otherFolders;
    this.#period = `${root.map.period}/${sessionId}`;
    this.map = new UpdateMap(root.map.quirks, this.#cwd, this.#period, sessionId);
  }

  get cwd(): string {
    return this.#cwd;
  }

  get subagent(): AskingSubagent {
    return { id: this.sessionId, name: this.#known.title ?? '' };
  }

  get canStop(): boolean {
    return this.#known.canStop === true;
  }

  /** Takes what is said about it. @param isFirst it was not known before */
  change(update: SubagentUpdate, at: number, isFirst: boolean): void {
    if (update.cwd != null && isAbsolute(update.cwd)) this.#cwd = update.cwd;
    const patch = changes(this.#known, toPatch(update));
    if (!isFirst && Object.keys(patch).length === 0) return;
    const wasWorking = isWorking(this.#known.status ?? 'unknown');
    const isWorkingNow = isWorking(patch.status ?? this.#known.status ?? 'unknown');
    if (isWorkingNow && !wasWorking) {
      this.cancelling = false;
      if (!isFirst) beginPeriod(this.map.tools, `${this.#period}.${++this.#periods}`);
    }
    if (!isWorkingNow && patch.status !== undefined && patch.status !== 'unknown') this.#settle(at, patch.status === 'cancelled');
    this.#report(patch, at);
  }

  receive(update: Fields): void {
    const { clock, report } = this.#parts;
    const at = clock.now();
    const parsed = parseUpdate(update);
    if ('problem' in parsed) return report(parsed.problem, parsed.isLost);
    const { update: known } = parsed;
    if (known.sessionUpdate === 'subagent_update') return this.#all.report(this, known, at);
    const event = this.map.toEvent(known, at);
    if (event?.type !== 'message' || event.role !== 'user') this.#isTold = false;
    this.emit(event);
    if (event?.type === 'tool') for (const sessionId of linkedSessions(update)) this.#all.link(this.root, sessionId, event.id, at);
  }

  emit(event: SessionEvent | undefined): void {
    const own = event === undefined ? undefined : this.#own(event);
    if (own !== undefined) this.root.emit(own);
  }

  /** Its options, its commands and its context are its own matter. */
  #own(event: SessionEvent): SessionEvent | undefined {
    switch (event.type) {
      case 'message':
        return event.role === 'user' ? this.#told(event) : { ...event, subagentId: this.sessionId };
      case 'tool':
      case 'notice':
        return { ...event, subagentId: this.sessionId };
      case 'plan':
        return { ...event, subagentId: this.sessionId, planId: `${this.sessionId}/${event.planId ?? ''}` };
      case 'info':
        return typeof event.title === 'string' ? this.#patchEvent(changes(this.#known, { title: event.title }), event.at) : undefined;
      case 'extension':
        return event;
      default:
        return undefined;
    }
  }

  /** What the agent tells it is its task, and no message of the user. */
  #told({ content, at }: Extract<SessionEvent, { type: 'message' }>): SessionEvent | undefined {
    const { task = '' } = this.#known;
    const text = content.type === 'text' ? content.text : `[${content.type}]`;
    const begins = task === '' || this.#isTold ? task : `${task}\n\n`;
    this.#isTold = true;
    return task.length >= taskChars ? undefined : this.#patchEvent({ task: `${begins}${text}`.slice(0, taskChars) }, at);
  }

  readonly reportTerminal: ReportTerminal = (terminalId, text, exit) =>
    this.emit(foldTerminal(this.map.tools, terminalId, { text, exit }, this.#parts.clock.now()));

  signalOfTurn(signal: AbortSignal): AbortSignal {
    return AbortSignal.any([signal, this.#over.signal]);
  }

  /** It, and what it started, was asked to stop: nobody waits for answers. */
  stop(): void {
    this.cancelling = true;
    this.#noLongerAsks();
  }

  /** Nothing of it continues, as far as anybody knows. */
  end(at: number): void {
    const { status = 'unknown' } = this.#known;
    this.#settle(at, false);
    this.terminals?.dispose();
    const ends = isWorking(status) || status === 'unknown';
    this.#report(changes(this.#known, { canStop: false, ...(ends && { status: 'unreported' as const }) }), at);
  }

  #settle(at: number, wasCancelled: boolean): void {
    this.#noLongerAsks();
    for (const event of this.map.endTurn(at, wasCancelled)) this.emit(event);
  }

  #noLongerAsks(): void {
    this.#over.abort();
    this.#over = new AbortController();
  }

  #report(patch: SubagentPatch, at: number): void {
    this.root.emit(this.#patchEvent(patch, at));
  }

  #patchEvent(patch: SubagentPatch, at: number): SessionEvent {
    this.#known = { ...this.#known, ...patch };
    const { sessionId: agentId, parent } = this;
    return { type: 'subagent', at, agentId, ...(parent === undefined ? {} : { subagentId: parent.sessionId }), patch };
  }
}

function toPatch({ title, description, capabilities, state }: SubagentUpdate): SubagentPatch {
  return {
    ...(title === undefined ? {} : { title: title ?? '' }),
    ...(description === undefined ? {} : { description }),
    ...(capabilities === undefined ? {} : { canStop: capabilities?.cancel != null }),
    ...(state === undefined ? {} : { status: statusOf(state), error: state?.error?.message ?? null }),
  };
}

function statusOf(state: SubagentUpdate['state']): SubagentStatus {
  switch (state?.state) {
    case 'running':
    case 'requires_action':
      return state.state;
    case 'idle':
      if (state.error != null || state.stopReason === 'error') return 'failed';
      return state.stopReason === 'cancelled' ? 'cancelled' : 'idle';
    default:
      return 'unknown';
  }
}

/** Agents report everything again with each change. */
function changes(known: SubagentPatch, patch: SubagentPatch): SubagentPatch {
  const before: Readonly<Record<string, unknown>> = {
    title: '',
    description: null,
    status: 'unknown',
    error: null,
    canStop: false,
    ...known,
  };
  return Object.fromEntries(Object.entries(patch).filter(([name, value]) => before[name] !== value));
}

interface AcpSubagentsParts {
  readonly clock: Clock;
  /** As in AcpSessionParts. */
  readonly report: (problem: string, isLost?: boolean) => void;
  /** Sends the request to stop it. */
  readonly cancel: (sessionId: string) => void;
  /** A session that the host has opened has this id. */
  readonly isOpen: (sessionId: string) => boolean;
  /** Called for each new one. */
  readonly onNew: (subagent: AcpSubagent) => void;
}

/** The sub-agents of all sessions of one connection that have sessions of their own. */
export class AcpSubagents {
  readonly #parts: AcpSubagentsParts;
  readonly #byId = new Map<string, AcpSubagent>();
  /** The ids of all that there ever were. */
  readonly #ever = new Set<string>();

  constructor(parts: AcpSubagentsParts) {
    this.#parts = parts;
  }

  get(sessionId: string): AcpSubagent | undefined {
    return this.#byId.get(sessionId);
  }

  /** It was announced, in a session that may be gone. */
  wasKnown(sessionId: string): boolean {
    return this.#ever.has(sessionId);
  }

  [Symbol.iterator](): Iterator<AcpSubagent> {
    return this.#byId.values();
  }

  /** @param by the one whose session says it */
  report(by: AskingSession | AcpSubagent, update: SubagentUpdate, at: number): void {
    const { sessionId } = update;
    const root = by instanceof AcpSubagent ? by.root : by;
    const known = this.#byId.get(sessionId);
    if (known?.root === root) return known.change(update, at, false);
    const { report, isOpen, onNew } = this.#parts;
    // A session that is opened once more announces its sub-agents once more.
    const isOfOther = known !== undefined && known.root.id !== root.id;
    if (isOfOther || isOpen(sessionId)) return report('a sub-agent with the id of a session', true);
    if (this.#of(root).length >= mostSubagents) return report('more sub-agents than the host shows', true);
    const parent = by instanceof AcpSubagent ? by : undefined;
    const depth = (parent?.depth ?? 0) + 1;
    const place = { root, parent: depth > mostNested ? parent?.parent : parent, depth: Math.min(depth, mostNested) };
    const subagent = new AcpSubagent(sessionId, place, this, this.#parts);
    known?.terminals?.dispose();
    this.#byId.set(sessionId, subagent);
    this.#ever.add(sessionId);
    subagent.change(update, at, true);
    onNew(subagent);
  }

  /** A tool call shows the sub-agent. */
  link(root: AskingSession, sessionId: string, toolId: string, at: number): void {
    const subagent = this.#byId.get(sessionId);
    if (subagent?.root !== root || subagent.isLinked) return;
    subagent.isLinked = true;
    root.emit({ type: 'subagent', at, agentId: sessionId, patch: {}, toolId });
  }

  /** @throws HostError `unsupported` if the agent can't stop it by itself */
  stop(root: AskingSession, sessionId: string): void {
    const subagent = this.#byId.get(sessionId);
    if (subagent?.root !== root || !subagent.canStop) throw new HostError('unsupported', { reason: 'stop_subagent' });
    // As for a turn: the cancel comes before the answers.
    this.#parts.cancel(sessionId);
    for (const one of this.#of(root)) if (isInside(one, subagent)) one.stop();
  }

  /** Ends those of a session: nothing of it continues. */
  end(root: AskingSession): void {
    const at = this.#parts.clock.now();
    for (const subagent of this.#of(root)) subagent.end(at);
  }

  /** The session is gone: what arrives for its sub-agents is for nobody. */
  forget(root: AskingSession): void {
    for (const { sessionId, terminals } of this.#of(root)) {
      terminals?.dispose();
      this.#byId.delete(sessionId);
    }
  }

  #of(root: AskingSession): readonly AcpSubagent[] {
    return [...this.#byId.values()].filter((subagent) => subagent.root === root);
  }
}

function isInside(one: AcpSubagent, outer: AcpSubagent): boolean {
  return one === outer || (one.parent !== undefined && isInside(one.parent, outer));
}
