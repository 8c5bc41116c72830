/**
 * Which process works in which conversation. A small file per conversation says it, a sign of life per process, and a file beside it asks its owner
 * to let go. A process that is gone, or gives no sign of life, is passed over.
 */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { type Disposable, DisposableStore } from '../base/disposable.js';
import { HostError } from '../base/errors.js';
import { Emitter } from '../base/event.js';
import type { Logger } from '../base/logger.js';
import type { ConversationSeats, SeatRequest } from '../conversation/library.js';
import type { Elsewhere } from '../conversation/state.js';
import { watchFolder } from '../node/folderWatch.js';
import { lifeOf, markOfThisProcess, type ProcessMark } from '../node/processAlive.js';
import {
  createSmallFile,
  namesIn,
  readSmallFile,
  removeSmallFile,
  replaceSmallFile,
  touchedAt,
  touchSmallFile,
} from '../node/smallFiles.js';

export interface LeaseTiming {
  /** Between two signs of life. */
  readonly signMs: number;
  /** Without a sign for so long, a process is passed over. */
  readonly silentMs: number;
  /** How long an idle owner may take to let go, and one that has to stop a turn first. */
  readonly letGoMs: number;
  readonly stopMs: number;
}

export const defaultLeaseTiming: LeaseTiming = { signMs: 1_000, silentMs: 8_000, letGoMs: 5_000, stopMs: 15_000 };

const leaseSchema = z.object({
  format: z.literal('acp-host-lease'),
  writer: z.string(),
  pid: z.number(),
  startedAt: z.optional(z.string()),
  host: z.string(),
  program: z.enum(['editor', 'terminal']),
  isBusy: z.boolean(),
});
type Lease = z.infer<typeof leaseSchema>;
const requestSchema = z.object({
  format: z.literal('acp-host-let-go'),
  writer: z.string(),
  program: z.enum(['editor', 'terminal']),
  stopsTurn: z.boolean(),
});

const leaseEnding = '.json';
const requestEnding = '.let-go';

export interface LeasesOptions {
  /** Absolute; made when missing. */
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
  readonly #onLost = this.#owned.add(new Emitter<string>());
  readonly #held = new Map<string, { isBusy: boolean }>();
  /** Of processes that are there, as far as was seen last. */
  #others: ReadonlyMap<string, Lease> = new Map();
  #mark: ProcessMark | undefined;
  #starting: Promise<void> | undefined;
  #signing: Disposable | undefined;
  #looks: Promise<void> = Promise.resolve();

  constructor(options: LeasesOptions) {
    this.#options = options;
  }

  readonly onChange = this.#onChange.event;
  readonly onWanted = this.#onWanted.event;
  readonly onLost = this.#onLost.event;

  /** Looks, and goes on looking. Concurrent calls share one. */
  start(): Promise<void> {
    return (this.#starting ??= this.#start());
  }

  elsewhere(id: string): Elsewhere | undefined {
    const lease = this.#others.get(id);
    return lease && { program: lease.program, isBusy: lease.isBusy };
  }

  /** @throws HostError `usage` (`open_elsewhere`) where a turn runs there that is not to be stopped, `cancelled` */
  async claim(id: string, options: ClaimOptions): Promise<boolean> {
    try {
      return await this.#claim(id, options);
    } catch (error) {
      if (error instanceof HostError) throw error;
      // A disk that takes nothing keeps nobody from working; that nothing is saved is said where that happens.
      this.#options.log.warn('Others cannot be told who works in a conversation', error);
      this.#held.set(id, { isBusy: false });
      return true;
    }
  }

  async #claim(id: string, { stopsTurn, signal }: ClaimOptions): Promise<boolean> {
    await this.start();
    if (this.#held.has(id)) return false;
    await this.#beginSigning();
    const { letGoMs, stopMs } = this.#options.timing;
    const until = Date.now() + (stopsTurn ? stopMs : letGoMs);
    try {
      for (;;) {
        if (signal.aborted) throw new HostError('cancelled', { reason: 'opening' });
        const lease = this.#read(id);
        if (lease === undefined) {
          if (createSmallFile(this.#leasePath(id), this.#format(false))) break;
        } else if (lease.writer === this.#writer) break;
        else if (!(await this.#isThere(lease)) || (Date.now() >= until && (stopsTurn || !lease.isBusy))) {
          replaceSmallFile(this.#leasePath(id), this.#format(false));
        } else if (lease.isBusy && !stopsTurn) {
          throw new HostError('usage', { reason: 'open_elsewhere', program: lease.program });
        } else {
          this.#ask(id, stopsTurn);
          await this.#changed(Math.min(this.#options.timing.signMs, Math.max(1, until - Date.now())));
        }
      }
    } finally {
      removeSmallFile(this.#requestPath(id));
    }
    this.#held.set(id, { isBusy: false });
    await this.#look();
    return true;
  }

  setBusy(id: string, isBusy: boolean): void {
    const held = this.#held.get(id);
    if (held === undefined || held.isBusy === isBusy) return;
    held.isBusy = isBusy;
    this.#attempt(() => {
      if (this.#read(id)?.writer === this.#writer) replaceSmallFile(this.#leasePath(id), this.#format(isBusy));
    });
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
    // A process that is gone changes no file.
    const looking = setInterval(() => this.#others.size > 0 && void this.#look(), timing.signMs);
    looking.unref();
    this.#owned.add({ dispose: () => clearInterval(looking) });
    this.#attempt(() => this.#owned.add(watchFolder({ directory, pollMs: timing.signMs, onChange: () => void this.#look() })));
    await this.#look();
  }

  async #beginSigning(): Promise<void> {
    this.#mark ??= await markOfThisProcess();
    if (this.#signing !== undefined || this.#owned.disposed) return;
    replaceSmallFile(this.#signPath(this.#writer), '');
    const signing = setInterval(() => this.#sign(), this.#options.timing.signMs);
    signing.unref();
    this.#signing = {
      dispose: () => {
        clearInterval(signing);
        this.#attempt(() => removeSmallFile(this.#signPath(this.#writer)));
      },
    };
    this.#owned.add(this.#signing);
  }

  #sign(): void {
    try {
      touchSmallFile(this.#signPath(this.#writer));
    } catch {
      this.#attempt(() => replaceSmallFile(this.#signPath(this.#writer), ''));
    }
  }

  #attempt(write: () => void): void {
    try {
      write();
    } catch (error) {
      this.#options.log.warn('Others cannot be told who works in a conversation', error);
    }
  }

  /** One look after another: a later one knows more. */
  #look(): Promise<void> {
    const { log } = this.#options;
    this.#looks = this.#looks
      .then(() => this.#lookOnce())
      .catch((error: unknown) => log.warn('Who works in which conversation could not be read', error));
    return this.#looks;
  }

  /** Reads all leases and requests: there are as many as conversations that somebody works in. */
  async #lookOnce(): Promise<void> {
    if (this.#owned.disposed) return;
    const names = namesIn(this.#options.directory);
    const others = new Map<string, Lease>();
    const lost: string[] = [];
    for (const id of names.flatMap((name) => (name.endsWith(leaseEnding) ? [name.slice(0, -leaseEnding.length)] : []))) {
      const lease = this.#read(id);
      if (lease === undefined || lease.writer === this.#writer) continue;
      if (this.#held.delete(id)) lost.push(id);
      if (await this.#isThere(lease)) others.set(id, lease);
    }
    const isSame =
      others.size === this.#others.size &&
      [...others].every(([id, lease]) => {
        const before = this.#others.get(id);
        return before?.writer === lease.writer && before.isBusy === lease.isBusy;
      });
    this.#others = others;
    for (const id of lost) this.#onLost.fire(id);
    if (!isSame) this.#onChange.fire();
    for (const id of this.#held.keys()) {
      const request = names.includes(`${id}${requestEnding}`) ? parse(requestSchema, this.#requestPath(id)) : undefined;
      if (request !== undefined && request.writer !== this.#writer)
        this.#onWanted.fire({ id, stopsTurn: request.stopsTurn, program: request.program });
    }
  }

  async #isThere(lease: Lease): Promise<boolean> {
    const signedAt = touchedAt(this.#signPath(lease.writer));
    if (signedAt === undefined || Date.now() - signedAt > this.#options.timing.silentMs) return false;
    return (await lifeOf(lease)) !== 'gone';
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
    return parse(leaseSchema, this.#leasePath(id));
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

  #signPath(writer: string): string {
    return join(this.#options.directory, 'processes', writer);
  }
}

/** @returns undefined where there is none, or none of ours */
function parse<T>(schema: z.ZodMiniType<T>, path: string): T | undefined {
  try {
    const file = readSmallFile(path);
    const parsed = file === undefined ? undefined : schema.safeParse(JSON.parse(file.text));
    return parsed?.success === true ? parsed.data : undefined;
  } catch {
    return undefined; // torn, or somebody else's
  }
}
interface ClaimOptions {
  readonly stopsTurn: boolean;
  readonly signal: AbortSignal;
}
