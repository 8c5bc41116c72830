import { type Disposable, DisposableStore } from '../base/disposable.js';
import type { Session } from '../host/api.js';
import type { SessionState } from '../session/model.js';
import type { AgentHandle } from './agentHandle.js';
import { Follower } from './follower.js';
import type { ConversationLibrary, SeatLoss, SeatRequest } from './library.js';
import type { Outbox } from './outbox.js';
import type { ConversationPlace, ConversationPorts } from './ports.js';
import type { Predecessor } from './predecessor.js';
import type { Elsewhere, PassedOver } from './state.js';
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
  /** Adds what an earlier front end left unsent to the outbox. Until another process is done with the conversation, it still sends that. */
  readonly restoreUnsent: () => Promise<void>;
  /** The process that works in it changed. */
  readonly onChange: () => void;
}

/**
 * Knows whether this process works in the conversation, or follows another one that does. Only the process with the seat talks to the
 * agent. Another one that wants it sends a request; an idle conversation is released at once.
 */
export class Seat implements Disposable {
  readonly #parts: SeatParts;
  readonly #owned = new DisposableStore();
  readonly #follower: Follower;
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
  /** Another process had the conversation, and with it what was left unsent. */
  #isUnsentElsewhere = false;
  #catchingUp: Promise<void> = Promise.resolve();
  /** The output of the predecessor is on screen. */
  #hasFollowed = false;

  constructor(parts: SeatParts) {
    this.#parts = parts;
    this.#follower = new Follower(parts);
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

  /** The place of the conversation as the process that works in it saves it. */
  get savedPlace(): ConversationPlace | undefined {
    return this.#parts.library?.get(this.#parts.id)?.place;
  }

  /** Finds out which process works in the conversation. */
  async look(): Promise<Elsewhere | undefined> {
    await this.#parts.library?.seats.start();
    return this.elsewhere;
  }

  /** Call it after the conversation is restored from disk. @param hasUnsent what was left unsent is in the outbox */
  async start(hasUnsent: boolean): Promise<void> {
    this.#isUnsentElsewhere = !hasUnsent;
    this.#follow();
    await this.#restoreUnsent();
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
    // The claim may have found out that the other process is done.
    await this.#catchingUp;
    const wasBehind = this.#isBehind;
    this.#isBehind = false;
    this.#isStale = false;
    this.#passedOver = undefined;
    if (this.#isDeleted) library.restore(id);
    this.#isDeleted = false;
    this.#follower.end();
    if (isNew) await this.#catchUp(wasBehind);
    await this.#restoreUnsent();
  }

  /** @param isBusy a process that requests the conversation must ask its user first */
  mark(isBusy: boolean): void {
    this.#parts.library?.seats.setBusy(this.#parts.id, isBusy);
  }

  dispose(): void {
    clearTimeout(this.#handingOver);
    this.#follower.end();
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
    if (this.#isBehind) this.#catchingUp = this.#catchUpWithOther();
  }

  /** The other process is gone: a turn that was running there was interrupted. */
  async #catchUpWithOther(): Promise<void> {
    if (this.#place !== undefined) {
      this.#isBehind = false;
      await this.#catchUp(true);
      this.#isStale = false;
    }
    await this.#restoreUnsent();
    this.#parts.onChange();
  }

  async #restoreUnsent(): Promise<void> {
    if (!this.#isUnsentElsewhere || this.elsewhere !== undefined) return;
    this.#isUnsentElsewhere = false;
    await this.#parts.restoreUnsent();
  }

  /** The current place of the conversation, which may be another session than the one on screen. */
  get #place(): ConversationPlace | undefined {
    const { thread } = this.#parts;
    return this.savedPlace ?? (thread.place && { ...thread.place, withContext: false });
  }

  #follow(): void {
    // It may be closed before it is restored.
    if (this.#owned.disposed) return;
    const { library, thread } = this.#parts;
    // The place there may still be unknown: the library reports it once it has read everything.
    if (this.elsewhere !== undefined) void library?.load();
    const place = this.elsewhere !== undefined && thread.session === undefined ? this.#place : undefined;
    if (place === undefined) this.#follower.end();
    else this.#follower.follow(place);
  }

  /** Shows what is saved, because another process may have added to it. */
  async #catchUp(isCertain: boolean): Promise<void> {
    const { library, id, thread } = this.#parts;
    const place = this.#place;
    if (place === undefined || thread.session !== undefined || (thread.state === undefined && !isCertain)) return;
    const usedAt = library?.get(id)?.summary?.usedAt ?? 0;
    const isNewer = thread.state === undefined || !thread.isAt(place) || usedAt > lastUsedAt(thread.state);
    if (!isCertain && !isNewer) return;
    await this.#follower.showSaved(place);
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
