import type { Clock } from '../../base/clock.js';
import { HostError } from '../../base/errors.js';
import type { AcpSession } from './acpSession.js';
import { AcpSubagent } from './acpSubagent.js';
import type { SubagentUpdate } from './schema/updates.js';
import { mostNested, mostSubagents } from './subagentLimits.js';

/** The sub-agents that have sessions of their own, and work for this one. */
export interface SessionSubagents {
  /** The session says something about one that it has started. */
  report(update: SubagentUpdate, at: number): void;
  /** A tool call shows one. */
  link(sessionId: string, toolId: string, at: number): void;
  stop(subagentId: string): void;
  /** Nothing of the session continues. */
  end(): void;
}

export interface AcpSubagentsParts {
  readonly clock: Clock;
  readonly onProblem: (problem: string, isLost?: boolean) => void;
  /** Sends the request to stop it. */
  readonly cancel: (sessionId: string) => void;
  /** A session that the host has opened has this id. */
  readonly isOpen: (sessionId: string) => boolean;
  /** Called for each new one. */
  readonly onNew: (subagent: AcpSubagent) => void;
}

/** The sub-agents of all sessions of one connection. */
export class AcpSubagents {
  readonly #parts: AcpSubagentsParts;
  readonly #byId = new Map<string, AcpSubagent>();

  constructor(parts: AcpSubagentsParts) {
    this.#parts = parts;
  }

  get(sessionId: string): AcpSubagent | undefined {
    return this.#byId.get(sessionId);
  }

  [Symbol.iterator](): Iterator<AcpSubagent> {
    return this.#byId.values();
  }

  /** @param by the one whose session says it */
  report(by: AcpSession | AcpSubagent, update: SubagentUpdate, at: number): void {
    const { sessionId } = update;
    const root = by instanceof AcpSubagent ? by.root : by;
    const known = this.#byId.get(sessionId);
    if (known !== undefined && known.root === root) return known.change(update, at, false);
    const { onProblem, isOpen, onNew } = this.#parts;
    if (known !== undefined || isOpen(sessionId)) return onProblem('a sub-agent with the id of a session', true);
    if (this.#of(root).length >= mostSubagents) return onProblem('more sub-agents than the host shows', true);
    const parent = by instanceof AcpSubagent ? by : undefined;
    const depth = (parent?.depth ?? 0) + 1;
    const place = { root, parent: depth > mostNested ? parent?.parent : parent, depth: Math.min(depth, mostNested) };
    const subagent: AcpSubagent = new AcpSubagent(sessionId, place, {
      ...this.#parts,
      onSubagent: (inner, innerAt) => this.report(subagent, inner, innerAt),
      onLink: (linked, toolId, linkedAt) => this.link(root, linked, toolId, linkedAt),
    });
    this.#byId.set(sessionId, subagent);
    subagent.change(update, at, true);
    onNew(subagent);
  }

  /** A tool call shows the sub-agent. */
  link(root: AcpSession, sessionId: string, toolId: string, at: number): void {
    const subagent = this.#byId.get(sessionId);
    if (subagent?.root !== root || subagent.isLinked) return;
    subagent.isLinked = true;
    root.emit({ type: 'subagent', at, agentId: sessionId, patch: {}, toolId });
  }

  /** @throws HostError `unsupported` if the agent can't stop it by itself */
  stop(root: AcpSession, sessionId: string): void {
    const subagent = this.#byId.get(sessionId);
    if (subagent?.root !== root || !subagent.canStop) throw new HostError('unsupported', { reason: 'stop_subagent' });
    // As for a turn: the cancel comes before the answers.
    this.#parts.cancel(sessionId);
    for (const one of this.#of(root)) if (isInside(one, subagent)) one.stop();
  }

  /** Ends those of a session. */
  end(root: AcpSession): void {
    const at = this.#parts.clock.now();
    for (const subagent of this.#of(root)) subagent.end(at);
  }

  /** The session is gone: what arrives for its sub-agents is for nobody. */
  forget(root: AcpSession): void {
    for (const { sessionId } of this.#of(root)) this.#byId.delete(sessionId);
  }

  #of(root: AcpSession): readonly AcpSubagent[] {
    return [...this.#byId.values()].filter((subagent) => subagent.root === root);
  }
}

function isInside(one: AcpSubagent, outer: AcpSubagent): boolean {
  return one === outer || (one.parent !== undefined && isInside(one.parent, outer));
}
