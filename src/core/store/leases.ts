/**
 * Records which process works in which conversation, in a small file per conversation, with a sign of life per process. Another process
 * requests a conversation with a file next to it.
 * A process that has ended, or shows no sign of life, loses its conversations to others.
 */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { type Disposable, DisposableStore } from '../base/disposable.js';
import { HostError } from '../base/errors.js';
import { Emitter } from '../base/event.js';
import type { Logger } from '../base/logger.js';
import type { ConversationSeats, SeatLoss, SeatRequest } from '../conversation/library.js';
import type { Elsewhere } from '../conversation/state.js';
import { watchFolder } from '../node/folderWatch.js';
import { lifeOf, markOfThisProcess, type ProcessMark } from '../node/processAlive.js';
import { createSmallFile, moveSmallFile, namesIn, removeSmallFile, replaceSmallFile, returnSmallFile } from '../node/smallFiles.js';
import { toStorageError } from '../journal/storageError.js';
import { type Lease, leaseSchema, parseLease, requestSchema } from './leaseFormat.js';
import type { LeaseTiming } from './leaseTiming.js';
import { LifeSigns } from './lifeSigns.js';

const leaseEnding = '.json';
const requestEnding = '.let-go';

export interface LeasesOptions {
  /** Absolute; created if missing. */
  readonly directory: string;
  readonly program: Elsewhere['program'];
  readonly timing: LeaseTiming;
  readonly log: Logger;
}

export class Leases implements ConversationSeats, Disposable {
  readonly #options: LeasesOptions;
  readonly #writer = randomUUID();
  readonly #owned = new DisposableStore();
  readonly #onChange = this.#owned.add(new Emitter<void>());
  readonly #onWanted = this.#owned.add(new Emitter<SeatRequest>());
  readonly #onLost = this.#owned.add(new Emitter<SeatLoss>());
  readonly #held = new Map<string, { isBusy: boolean; readonly isOnDisk: boolean }>();
  /** The leases of other running processes, as last seen. */
  #others: ReadonlyMap<string, Lease> = new Map();
  readonly #signs: LifeSigns;
  #mark: ProcessMark | undefined;
  #starting: Promise<void> | undefined;
  #looks: Promise<void> = Promise.resolve();

  constructor(options: LeasesOptions) {
    this.#options = options;
    const { directory, timing } = options;
    this.#signs = this.#owned.add(
      new LifeSigns({
        directory: join(directory, 'processes'),
        writer: this.#writer,
        ...timing,
        onLate: () => {
          this.#attempt(() => this.#findLost());
          // The process that took it may be gone by now.
          void this.#look();
        },
        onRemoved: () => this.#restore(),
        onError: (error) => this.#warn(error),
      }),
    );
  }

  readonly onChange = this.#onChange.event;
  readonly onWanted = this.#onWanted.event;
  readonly onLost = this.#onLost.event;

  /** Starts to watch the leases. Concurrent calls share one promise. */
  start(): Promise<void> {
    return (this.#starting ??= this.#start());
  }

  elsewhere(id: string): Elsewhere | undefined {
    const lease = this.#others.get(id);
    return lease && { program: lease.program, isBusy: lease.isBusy };
  }

  /** @throws HostError as ConversationSeats.claim */
  async claim(id: string, options: ClaimOptions): Promise<boolean> {
    try {
      return await this.#claim(id, options);
    } catch (error) {
      if (error instanceof HostError) throw error;
      // Otherwise, two processes would work in it.
      for (const [, lease] of this.#leasesOfOthers([`${id}${leaseEnding}`]))
        if ((await this.#presenceOf(lease)) !== 'gone') throw toStorageError(error, this.#options.directory);
      // A disk that accepts nothing doesn't prevent work; the code that saves reports the problem.
      this.#warn(error);
      this.#held.set(id, { isBusy: false, isOnDisk: false });
      return true;
    }
  }

  async #claim(id: string, options: ClaimOptions): Promise<boolean> {
    const { stopsTurn } = options;
    await this.start();
    if (this.#held.has(id)) return false;
    await this.#beginSigning();
    const { letGoMs, stopMs, signMs } = this.#options.timing;
    const until = performance.now() + (stopsTurn ? stopMs : letGoMs);
    try {
      while (!(await this.#takeOnce(id, () => performance.now() >= until, options))) {
        const leftMs = until - performance.now();
        await this.#changed(leftMs > 0 ? Math.min(signMs, leftMs) : signMs);
      }
    } finally {
      this.#attempt(() => removeSmallFile(this.#requestPath(id)));
    }
    this.#held.set(id, { isBusy: false, isOnDisk: true });
    await this.#look();
    return true;
  }

  /** @returns false if it may belong to another process for a little longer */
  async #takeOnce(id: string, isOverdue: () => boolean, { stopsTurn, signal }: ClaimOptions): Promise<boolean> {
    if (signal.aborted) throw new HostError('cancelled', { reason: 'opening' });
    const lease = this.#read(id);
    if (lease === undefined) return this.#create(id);
    if (lease.writer === this.#writer) return true;
    const presence = await this.#presenceOf(lease);
    if (presence === 'gone' || (isOverdue() && (stopsTurn || !lease.isBusy))) {
      return this.#succeed(id, lease.writer);
    }
    if (lease.isBusy && !stopsTurn && presence === 'there') {
      throw new HostError('usage', { reason: 'open_elsewhere', program: lease.program });
    }
    this.#ask(id, stopsTurn);
    return false;
  }

  /**
   * Takes the place of another process.
   * @param writer of the lease; undefined: the file cannot be read as one @returns false if another process was faster
   */
  #succeed(id: string, writer: string | undefined): boolean {
    if (this.#read(id)?.writer !== writer) return false;
    const aside = join(this.#options.directory, `${id}.${randomUUID()}.old`);
    // Another process may have read the same lease, and replaced it since.
    if (!moveSmallFile(this.#leasePath(id), aside)) return false;
    const moved = parseLease(leaseSchema, aside);
    if (moved !== undefined && moved.writer !== writer) {
      returnSmallFile(aside, this.#leasePath(id));
      return false;
    }
    removeSmallFile(aside);
    return createSmallFile(this.#leasePath(id), this.#format(false));
  }

  /** @returns false if another process was faster */
  #create(id: string): boolean {
    if (createSmallFile(this.#leasePath(id), this.#format(false))) return true;
    if (this.#read(id) !== undefined) return false;
    // A file that is empty after a power loss has no owner.
    return this.#succeed(id, undefined);
  }

  setBusy(id: string, isBusy: boolean): void {
    const held = this.#held.get(id);
    if (held === undefined || held.isBusy === isBusy) return;
    held.isBusy = isBusy;
    this.#attempt(() => {
      if (this.#read(id)?.writer === this.#writer) replaceSmallFile(this.#leasePath(id), this.#format(isBusy));
    });
  }

  check(): void {
    this.#signs.check();
  }

  release(id: string): void {
    if (!this.#held.delete(id)) return;
    this.#attempt(() => {
      if (this.#read(id)?.writer === this.#writer) removeSmallFile(this.#leasePath(id));
    });
  }

  dispose(): void {
    for (const id of [...this.#held.keys()]) this.release(id);
    this.#owned.dispose();
  }

  async #start(): Promise<void> {
    const { directory, timing } = this.#options;
    // A process that has ended changes no file.
    const looking = setInterval(() => this.#others.size > 0 && void this.#look(), timing.signMs);
    looking.unref();
    this.#owned.add({ dispose: () => clearInterval(looking) });
    this.#attempt(() => this.#owned.add(watchFolder({ directory, pollMs: timing.signMs, onChange: () => void this.#look() })));
    await this.#look();
  }

  async #beginSigning(): Promise<void> {
    this.#mark ??= await markOfThisProcess();
    if (!this.#owned.disposed) this.#signs.begin();
  }

  /**
   * Finds conversations that others took because this process was silent, even if they have released them. Reported at once, because
   * nothing more must be written to them.
   */
  #findLost(names = this.#names()): void {
    const taken = new Map(this.#leasesOfOthers(names));
    const lost = [...this.#held].flatMap(([id, { isOnDisk }]) => {
      const isGone = isOnDisk && !names.includes(`${id}${leaseEnding}`);
      return taken.has(id) || isGone ? [id] : [];
    });
    if (lost.length === 0) return;
    for (const id of lost) this.#held.delete(id);
    this.#others = new Map([...this.#others, ...taken]);
    for (const id of lost) this.#onLost.fire({ id, program: taken.get(id)?.program, since: this.#signs.silentSince });
    this.#onChange.fire();
  }

  #names(): readonly string[] {
    // Everything may have been removed at once, which takes no conversation away from this process.
    this.#signs.renew();
    return namesIn(this.#options.directory);
  }

  /** Recreates leases whose files were removed, except those that other processes hold by now. */
  #restore(): void {
    for (const [id, { isBusy, isOnDisk }] of this.#held) if (isOnDisk) createSmallFile(this.#leasePath(id), this.#format(isBusy));
  }

  #leasesOfOthers(names: readonly string[]): readonly (readonly [string, Lease])[] {
    return names.flatMap((name) => {
      if (!name.endsWith(leaseEnding)) return [];
      const id = name.slice(0, -leaseEnding.length);
      const lease = this.#read(id);
      return lease === undefined || lease.writer === this.#writer ? [] : [[id, lease] as const];
    });
  }

  #attempt(write: () => void): void {
    try {
      write();
    } catch (error) {
      this.#warn(error);
    }
  }

  #warn(error: unknown): void {
    this.#options.log.warn('Could not record that this process works in a conversation', error);
  }

  /** Runs the reads one after another, so that the result of a later one is not overwritten by an earlier one. */
  #look(): Promise<void> {
    const { log } = this.#options;
    this.#looks = this.#looks
      .then(() => this.#lookOnce())
      .catch((error: unknown) => log.warn('Could not read which process works in which conversation', error));
    return this.#looks;
  }

  /** Reads all leases and requests: as many as there are conversations in use. */
  async #lookOnce(): Promise<void> {
    if (this.#owned.disposed) return;
    const names = this.#names();
    this.#findLost(names);
    const others = new Map<string, Lease>();
    for (const [id, lease] of this.#leasesOfOthers(names)) if ((await this.#presenceOf(lease)) !== 'gone') others.set(id, lease);
    const isSame =
      others.size === this.#others.size &&
      [...others].every(([id, lease]) => {
        const before = this.#others.get(id);
        return before?.writer === lease.writer && before.isBusy === lease.isBusy;
      });
    this.#others = others;
    if (!isSame) this.#onChange.fire();
    for (const id of this.#held.keys()) {
      const request = names.includes(`${id}${requestEnding}`) ? parseLease(requestSchema, this.#requestPath(id)) : undefined;
      // The request of a process that was killed is obsolete; a running process repeats its request.
      if (request !== undefined && request.writer !== this.#writer && this.#signs.silenceOf(request.writer) === 'signs')
        this.#onWanted.fire({ id, stopsTurn: request.stopsTurn, program: request.program });
    }
  }

  /** `doubtful`: as in LifeSigns. */
  async #presenceOf(lease: Lease): Promise<'there' | 'doubtful' | 'gone'> {
    const silence = this.#signs.silenceOf(lease.writer);
    if (silence === 'silent' || (await lifeOf(lease)) === 'gone') return 'gone';
    return silence === 'signs' ? 'there' : 'doubtful';
  }

  #ask(id: string, stopsTurn: boolean): void {
    const request = { format: 'acp-host-let-go', writer: this.#writer, program: this.#options.program, stopsTurn };
    replaceSmallFile(this.#requestPath(id), JSON.stringify(request));
  }

  /** Resolves when something may have changed. */
  #changed(withinMs: number): Promise<void> {
    return new Promise((resolve) => {
      const watching = watchFolder({ directory: this.#options.directory, pollMs: withinMs, onChange: () => done() });
      const timer = setTimeout(() => done(), withinMs);
      const done = (): void => {
        watching.dispose();
        clearTimeout(timer);
        resolve();
      };
    });
  }

  #read(id: string): Lease | undefined {
    return parseLease(leaseSchema, this.#leasePath(id));
  }

  #format(isBusy: boolean): string {
    const lease = { format: 'acp-host-lease', writer: this.#writer, ...this.#mark, program: this.#options.program, isBusy };
    return JSON.stringify(lease);
  }

  #leasePath(id: string): string {
    return join(this.#options.directory, `${id}${leaseEnding}`);
  }

  #requestPath(id: string): string {
    return join(this.#options.directory, `${id}${requestEnding}`);
  }
}

interface ClaimOptions {
  readonly stopsTurn: boolean;
  readonly signal: AbortSignal;
}
