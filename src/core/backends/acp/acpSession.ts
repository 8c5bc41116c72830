import type { Clock } from '../../base/clock.js';
import { HostError } from '../../base/errors.js';
import type { SessionEvent } from '../../session/event.js';
import type { AgentWait, ContentBlock, SessionConfigOption } from '../../session/model.js';
import type { BackendEvent } from '../agentBackend.js';
import { beginTurn, createMapState, endTurn, type MapState, mapMode, mapUpdate } from './map.js';
import type { AcpQuirks } from '../../agents/acpQuirks.js';
import type { Fields } from './schema/lenient.js';
import { isUpdate, parseUpdate } from './schema/updates.js';

/** A cancel that overtakes its prompt is lost (agentao.md 2.3), so it is repeated while the turn goes on. */
const cancelAgainAfterMs = [500, 2_000];

interface Turn {
  /** Aborted when the turn is cancelled or over: nobody waits for an answer any more. */
  readonly over: AbortController;
  /** Ends it without the agent. */
  readonly cut: (error: HostError) => void;
  cancelling: boolean;
  timers: readonly NodeJS.Timeout[];
}

export interface AcpSessionParts {
  readonly sessionId: string;
  readonly cwd: string;
  readonly quirks: AcpQuirks;
  readonly clock: Clock;
  readonly fire: (event: BackendEvent) => void;
  /** @param problem why an update was left out */
  readonly onProblem: (problem: string) => void;
}

/** One session on the wire: what must be known to understand its next message. */
export class AcpSession {
  readonly id: string;
  readonly cwd: string;
  readonly map: MapState;
  configOptions: readonly SessionConfigOption[] = [];
  /** Names that the agent tells apart from its options. */
  models: readonly string[] = [];
  readonly #parts: AcpSessionParts;
  #turn: Turn | undefined;

  constructor(parts: AcpSessionParts) {
    this.#parts = parts;
    this.id = parts.sessionId;
    this.cwd = parts.cwd;
    this.map = createMapState(parts.quirks, parts.cwd, parts.clock.now().toString(36));
  }

  get busy(): boolean {
    return this.#turn !== undefined;
  }

  get cancelling(): boolean {
    return this.#turn?.cancelling ?? false;
  }

  receive(update: Fields): void {
    if (isUpdate(update)) this.#parts.fire({ type: 'update', sessionId: this.id, update });
    const parsed = parseUpdate(update);
    if ('problem' in parsed) return this.#parts.onProblem(parsed.problem);
    this.#emitAll(mapUpdate(this.map, parsed.update, this.#parts.clock.now()));
    if (parsed.update.sessionUpdate === 'config_option_update') this.configOptions = parsed.update.configOptions;
  }

  emit(event: SessionEvent | undefined): void {
    if (event !== undefined) this.#parts.fire({ type: 'event', sessionId: this.id, event });
  }

  emitMode(currentModeId: string): void {
    this.emit(mapMode(this.map, currentModeId, this.#parts.clock.now()));
  }

  /** Only a running turn waits. */
  emitWait(wait: AgentWait | null): void {
    if (this.#turn !== undefined) this.emit({ type: 'wait', at: this.#parts.clock.now(), wait });
  }

  emitConfigOptions(configOptions: readonly SessionConfigOption[]): void {
    this.configOptions = this.#parts.quirks.withModels?.(configOptions, this.models) ?? configOptions;
    this.emit({ type: 'config_options', at: this.#parts.clock.now(), configOptions: this.configOptions });
  }

  /** @returns a promise that never resolves and is rejected with `disposed` when the session is closed under the turn */
  beginTurn(turnId: string, content: readonly ContentBlock[]): Promise<never> {
    beginTurn(this.map, turnId, content);
    return new Promise((_, reject) => (this.#turn = { over: new AbortController(), cut: reject, cancelling: false, timers: [] }));
  }

  close(): void {
    this.#turn?.cut(new HostError('disposed', 'The conversation was closed'));
  }

  /** The end of a turn, of a replay, or of the agent: whatever is open will not go on. */
  endTurn(): void {
    for (const timer of this.#turn?.timers ?? []) clearTimeout(timer);
    this.#turn?.over.abort();
    this.#turn = undefined;
    this.#emitAll(endTurn(this.map, this.#parts.clock.now()));
  }

  /**
   * Does nothing while no turn runs.
   * @param notify tells the agent; called at once and again while the turn goes on
   */
  cancelTurn(notify: () => void): void {
    const turn = this.#turn;
    if (turn === undefined) return;
    turn.cancelling = true;
    // First the cancel, then the answers: otherwise the agent takes "cancelled" for a decision of the user and goes on.
    notify();
    turn.over.abort();
    for (const timer of turn.timers) clearTimeout(timer);
    turn.timers = cancelAgainAfterMs.map((delayMs) => setTimeout(notify, delayMs).unref());
  }

  /** Ends with `signal`, and with the turn if one runs. */
  signalOfTurn(signal: AbortSignal): AbortSignal {
    return this.#turn === undefined ? signal : AbortSignal.any([signal, this.#turn.over.signal]);
  }

  #emitAll(events: readonly SessionEvent[]): void {
    for (const event of events) this.emit(event);
  }
}
