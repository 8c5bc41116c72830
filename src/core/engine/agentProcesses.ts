import { type Disposable, DisposableStore, toDisposable } from '../base/disposable.js';
import { Emitter } from '../base/event.js';
import type { Logger } from '../base/logger.js';
import type { AgentHost } from '../host/agentHost.js';
import type { HostDiagnostics, ReadTraffic, TrafficItem } from '../host/api.js';
import type { TurnOutcome } from '../session/model.js';
import type { ErrorParams } from '../base/errors.js';
import type { AgentProcess } from './contract.js';

interface Known {
  facts: AgentProcess;
  read(o?: ReadTraffic): readonly TrafficItem[];
  diagnostics(): HostDiagnostics;
}

/** A report is often made after the user restarted the agent; older ones no longer matter. */
const keptEnded = 3;
/** The number of stderr lines that are logged to explain a failure. */
const stderrLines = 40;

/** The agents that run, and those that ended last: what they exchanged, and what is needed first to find a fault. */
export class AgentProcesses implements Disposable {
  readonly #onChange = new Emitter<void>();
  readonly #onTraffic = new Emitter<number>();
  readonly #running = new Map<number, Known>();
  #ended: readonly Known[] = [];
  #lastId = 0;

  /** Fires when an agent was added or ended. */
  readonly onChange = this.#onChange.event;
  /** Fires with the id of a process that has more entries to read. */
  readonly onTraffic = this.#onTraffic.event;

  /** Those that have ended come first. */
  get all(): readonly AgentProcess[] {
    return [...this.#ended, ...this.#running.values()].map(({ facts }) => facts);
  }

  /** Dispose of the result before the host. */
  add(host: AgentHost, cwd: string, log: Logger): Disposable {
    const owned = new DisposableStore();
    const id = ++this.#lastId;
    const { agent } = host;
    const facts = { id, agentId: agent.id, label: agent.label, cwd, hasEnded: false, listsSessions: false };
    const known: Known = { facts, read: (o) => host.readTraffic(o), diagnostics: () => host.diagnostics() };
    this.#running.set(id, known);
    owned.add(host.onTrafficChange(() => this.#onTraffic.fire(id)));
    owned.add(
      host.onStatus(() => {
        const listsSessions = host.saved !== undefined;
        if (known.facts.listsSessions === listsSessions) return;
        known.facts = { ...known.facts, listsSessions };
        this.#onChange.fire();
      }),
    );
    owned.add(logFailures(host, log));
    owned.add(toDisposable(() => this.#end(known)));
    this.#onChange.fire();
    return owned;
  }

  read(id: number, o?: ReadTraffic): readonly TrafficItem[] {
    return this.#find(id)?.read(o) ?? [];
  }

  diagnostics(id: number): HostDiagnostics | undefined {
    return this.#find(id)?.diagnostics();
  }

  dispose(): void {
    this.#onChange.dispose();
    this.#onTraffic.dispose();
  }

  #find(id: number): Known | undefined {
    return this.#running.get(id) ?? this.#ended.find(({ facts }) => facts.id === id);
  }

  #end({ facts, read, diagnostics }: Known): void {
    if (!this.#running.delete(facts.id)) return;
    const [items, last] = [read(), diagnostics()];
    const ended: Known = {
      facts: { ...facts, hasEnded: true, listsSessions: false },
      read: ({ after = 0, limit = items.length } = {}) => items.filter(({ seq }) => seq > after).slice(-limit),
      diagnostics: () => last,
    };
    if (items.length > 0) this.#ended = [...this.#ended, ended].slice(-keptEnded);
    this.#onTraffic.fire(facts.id);
    this.#onChange.fire();
  }
}

/** Logs why an agent or a turn failed, with the agent's stderr, because errors refer users to the log. */
function logFailures(host: AgentHost, log: Logger): Disposable {
  const store = new DisposableStore();
  const tell = (what: string, error: { readonly code: string; readonly params: ErrorParams }, stderrTail: string | undefined): void =>
    log.error([`${what}: ${error.code}`, JSON.stringify(error.params), stderrTail ?? ''].filter((line) => line !== '').join('\n'));
  const tellEnd = (outcome: TurnOutcome): void => {
    if (outcome.type === 'failed') tell('turn failed', outcome.error, host.stderrTail(stderrLines));
    if (outcome.type === 'ended' && outcome.stderrTail !== undefined) log.warn(`A turn ended without a reply\n${outcome.stderrTail}`);
    if (outcome.type === 'interrupted') tell('turn interrupted', outcome.error, host.stderrTail(stderrLines));
  };
  store.add(
    host.onStatus((status) => {
      if (status.state === 'failed') tell(`${host.agent.label} failed`, status.error, host.stderrTail(stderrLines));
      if (status.state === 'reconnecting' && status.reason !== undefined && status.retryAt !== undefined)
        tell(`${host.agent.label} lost`, status.reason, host.stderrTail(stderrLines));
    }),
  );
  store.add(host.onTurnEnded(tellEnd));
  return store;
}
