import { isDeepStrictEqual } from 'node:util';
import { type Disposable, DisposableStore } from '../base/disposable.js';
import type { Session } from '../host/api.js';
import type { SessionState } from '../session/model.js';
import type { AgentHandle } from './agentHandle.js';
import type { ConversationLibrary, SeatLoss, SeatRequest } from './library.js';
import type { Outbox } from './outbox.js';
import type { ConversationPlace, ConversationPorts } from './ports.js';
import type { Predecessor } from './predecessor.js';
import type { Elsewhere, PassedOver, SessionKey } from './state.js';
import type { Thread } from './thread.js';

/** How long a turn may take to stop before the conversation is released. */
const stopMs = 10_000;
/** How long the process that requested the conversation may take before it works in it. */
const handOverMs = 3_000;

export interface SeatParts {
  readonly id: string;
  /** If undefined, no other process can work in the conversation. */
  readonly library: ConversationLibrary | undefined;
  /** Undefined if this process is not closing the conversation elsewhere. */
  readonly predecessor: Predecessor | undefined;
  readonly ports: Pick<ConversationPorts, 'readSaved' | 'log'>;
  readonly thread: Thread;
  readonly agent: AgentHandle;
  readonly outbox: Outbox;
  /** A turn is running here, or is about to start. */
  readonly isBusy: () => boolean;
  readonly stopOpening: () => void;
  /** The process that works in it changed. */
  readonly onChange: () => void;
}

interface Following {
  readonly key: SessionKey;
  readonly reading: Disposable;
}

/**
 * Knows whether this process works in the conversation, or follows another one that does. Only the process with the seat talks to the
 * agent. Another one that wants it sends a request; an idle conversation is released at once.
 */
export class Seat implements Disposable {
  readonly #parts: SeatParts;
  readonly #owned = new DisposableStore();
  #following: Following | undefined;
  /** Another process works in it, or did until a moment ago: not all of its output is on screen yet. */
  #isBehind = false;
  #lettingGo: Promise<void> | undefined;
  #stopsTurn = false;
  /** The process that requested it, until that process reports that it works in it. */
  #handedTo: Elsewhere | undefined;
  #handingOver: NodeJS.Timeout | undefined;
  #passedOver: PassedOver | undefined;
  #isStale = false;
  #isDeleted = false;
  /** The output of the predecessor is on screen. */
  #hasFollowed = false;

  constructor(parts: SeatParts) {
    this.#parts = parts;
    const { library, id } = parts;
    if (library === undefined) return;
    this.#owned.add(library.seats.onChange(() => this.#onOthers()));
    this.#owned.add(library.onChange(() => this.#onLibrary()));
    this.#owned.add(library.seats.onWanted((request) => this.#onWanted(request)));
    this.#owned.add(library.seats.onLost((loss) => loss.id === id && this.#onLost(loss)));
  }

  get passedOver(): PassedOver | undefined {
    return this.#passedOver;
  }

  /** The screen doesn't show the other process's latest state yet. */
  get isStale(): boolean {
    return this.#isStale;
  }

  /** Another process deleted it; it may be removed by now. */
  get isDeleted(): boolean {
    return this.#isDeleted;
  }

  get elsewhere(): Elsewhere | undefined {
    return this.#parts.library?.seats.elsewhere(this.#parts.id) ?? this.#handedTo;
  }

  /** Call it after the conversation is restored from disk. */
  async start(): Promise<void> {
    await this.#parts.library?.seats.start();
    this.#follow();
  }

  /** The user agreed: the next `take` stops a turn that is running elsewhere. */
  allowStop(): void {
    this.#stopsTurn = true;
  }

  /** Resolves once this process has released what another one took. The next step then starts with the output from there. */
  async confirm(): Promise<void> {
    this.#parts.library?.seats.check();
    if (this.#passedOver !== undefined) await this.#lettingGo;
  }

  /** Asks another process to release the seat. When this resolves, the output from there is on screen. @throws as ConversationSeats.claim */
  async take(signal: AbortSignal): Promise<void> {
    const { library, id } = this.#parts;
    await this.#afterPredecessor();
    if (library === undefined) return;
    const stopsTurn = this.#stopsTurn;
    this.#stopsTurn = false;
    await this.#lettingGo;
    this.#handOver(undefined);
    const isNew = await library.seats.claim(id, { stopsTurn, signal });
    const wasBehind = this.#isBehind;
    this.#isBehind = false;
    this.#isStale = false;
    this.#passedOver = undefined;
    if (this.#isDeleted) library.restore(id);
    this.#isDeleted = false;
    this.#endFollowing();
    if (isNew) await this.#catchUp(wasBehind);
  }

  /** @param isBusy a process that requests the conversation must ask its user first */
  mark(isBusy: boolean): void {
    this.#parts.library?.seats.setBusy(this.#parts.id, isBusy);
  }

  dispose(): void {
    clearTimeout(this.#handingOver);
    this.#endFollowing();
    this.#owned.dispose();
    this.#parts.library?.seats.release(this.#parts.id);
  }

  /** Catches up with the predecessor when it has ended. It releases the seat last, and may still produce output until then. */
  async #afterPredecessor(): Promise<void> {
    const { predecessor } = this.#parts;
    if (predecessor === undefined || this.#hasFollowed) return;
    await predecessor.ended;
    if (this.#hasFollowed) return;
    this.#hasFollowed = true;
    await this.#catchUp(true);
  }

  #onLibrary(): void {
    const { library, id, onChange } = this.#parts;
    const wasDeleted = this.#isDeleted;
    // After its removal, the library no longer knows that it existed.
    if (library?.isDeleted(id) === true) this.#isDeleted = true;
    else if (library?.get(id) !== undefined) this.#isDeleted = false;
    this.#onSaved();
    if (this.#isDeleted !== wasDeleted) onChange();
  }

  #onOthers(): void {
    this.#onSaved();
    this.#parts.onChange();
  }

  /** The place of the conversation may become known only after the process that worked in it is gone. */
  #onSaved(): void {
    // The screen still shows the session that is being left.
    if (this.#lettingGo !== undefined) return;
    this.#follow();
    if (this.elsewhere !== undefined) {
      this.#isBehind = true;
      this.#isStale = false;
      return;
    }
    if (!this.#isBehind || this.#place === undefined) return;
    this.#isBehind = false;
    // The other process is gone: a turn that was running there was interrupted.
    void this.#catchUp(true).then(() => {
      this.#isStale = false;
      this.#parts.onChange();
    });
  }

  /** The current place of the conversation, which may be another session than the one on screen. */
  get #place(): ConversationPlace | undefined {
    const { library, id, thread } = this.#parts;
    return library?.get(id)?.place ?? (thread.place && { ...thread.place, withContext: false });
  }

  #follow(): void {
    const { library, thread } = this.#parts;
    const place = this.#place;
    // The place there may still be unknown: the library reports it once it has read everything.
    if (this.elsewhere !== undefined) void library?.load();
    const wanted = this.elsewhere !== undefined && thread.session === undefined && place !== undefined;
    if (!wanted) return this.#endFollowing();
    const { agentId, sessionId, createdAt } = place;
    const key = { agentId, sessionId, createdAt };
    if (library === undefined || isDeepStrictEqual(this.#following?.key, key)) return;
    this.#endFollowing();
    const reading = library.follow(place, (state) => void this.#show(key, state));
    this.#following = { key, reading };
  }

  #endFollowing(): void {
    this.#following?.reading.dispose();
    this.#following = undefined;
  }

  async #show(key: SessionKey, state: SessionState): Promise<void> {
    const { thread, onChange } = this.#parts;
    const earlier = thread.isAt(key) ? thread.earlierSessions : (await this.#readSaved(key)).slice(0, -1);
    if (this.#following?.key !== key) return;
    thread.show(key.agentId, state, earlier);
    onChange();
  }

  /** Shows what is saved, because another process may have added to it. */
  async #catchUp(isCertain: boolean): Promise<void> {
    const { library, id, thread } = this.#parts;
    const place = this.#place;
    if (place === undefined || thread.session !== undefined || (thread.state === undefined && !isCertain)) return;
    const usedAt = library?.get(id)?.summary?.usedAt ?? 0;
    const isNewer = thread.state === undefined || !thread.isAt(place) || usedAt > lastUsedAt(thread.state);
    if (!isCertain && !isNewer) return;
    const saved = await this.#readSaved(place);
    if (saved.length > 0 && thread.session === undefined) thread.show(place.agentId, saved.at(-1), saved.slice(0, -1));
  }

  async #readSaved(key: SessionKey): Promise<readonly SessionState[]> {
    const { ports } = this.#parts;
    try {
      return await ports.readSaved(key);
    } catch (error) {
      ports.log.warn('Could not read what another process saved of the conversation', error);
      return [];
    }
  }

  /** Remembers which process requested the conversation, until that process takes it or the time is over. @param to undefined: none */
  #handOver(to: Elsewhere | undefined): void {
    clearTimeout(this.#handingOver);
    this.#handedTo = to;
    if (to === undefined) return;
    this.#handingOver = setTimeout(() => {
      this.#handedTo = undefined;
      this.#onOthers();
    }, handOverMs);
    this.#handingOver.unref();
  }

  #onWanted({ id, stopsTurn, program }: SeatRequest): void {
    const { isBusy } = this.#parts;
    if (id !== this.#parts.id || this.#lettingGo !== undefined) return;
    if (isBusy() && !stopsTurn) return;
    this.#handOver({ program, isBusy: false });
    void this.#letGo(false);
  }

  #onLost({ program, since }: SeatLoss): void {
    this.#parts.thread.session?.endSaving(since);
    this.#passedOver = { program, wasBusy: this.#parts.isBusy() };
    this.#isBehind = true;
    this.#isStale = true;
    void this.#letGo(true);
    this.#parts.onChange();
  }

  /** @param isLost another process already has it */
  #letGo(isLost: boolean): Promise<void> {
    this.#lettingGo ??= this.#leave(isLost).finally(() => {
      this.#lettingGo = undefined;
      this.#onSaved();
      this.#parts.onChange();
    });
    return this.#lettingGo;
  }

  async #leave(isLost: boolean): Promise<void> {
    const { thread, agent, outbox, library, id } = this.#parts;
    outbox.hold('front_end_closed');
    this.#parts.stopOpening();
    const { session } = thread;
    if (session !== undefined) {
      session.cancel();
      await untilIdle(session);
      const { host } = session;
      await agent.release();
      // Other conversations share the agent, which knows the session's state from here: it is loaded again when it comes back.
      await host.forgetSession(session);
    }
    if (!isLost) library?.seats.release(id);
  }
}

function lastUsedAt({ turn, items, createdAt }: SessionState): number {
  if (turn.type !== 'idle') return turn.startedAt;
  const last = items.findLast((item) => item.kind === 'turn_end');
  return last?.kind === 'turn_end' ? last.at : createdAt;
}

/** Resolves when no turn is running, or when stopping it took too long. */
function untilIdle(session: Session): Promise<void> {
  if (session.state.turn.type === 'idle') return Promise.resolve();
  return new Promise((resolve) => {
    const done = (): void => {
      listening.dispose();
      clearTimeout(timer);
      resolve();
    };
    const timer = setTimeout(done, stopMs);
    const listening = session.onState(({ turn }) => turn.type === 'idle' && done());
  });
}
