import { sep } from 'node:path';
import { type Disposable, DisposableStore } from '../base/disposable.js';
import type { HostError } from '../base/errors.js';
import { Emitter } from '../base/event.js';
import type { Logger } from '../base/logger.js';
import { toFolderError } from '../journal/storageError.js';
import { watchFolder } from '../node/folderWatch.js';
import {
  fileVersion,
  namesIn,
  readSmallFile,
  readSmallFiles,
  removeSmallFile,
  replaceSmallFile,
  type SmallFile,
} from '../node/smallFiles.js';

const ending = '.json';
const pollMs = 2_000;
const retryMs = 2_000;

interface Entry<T> {
  readonly version: string;
  /** Undefined if the file is incomplete, foreign or from a newer version. Such a file is not changed. */
  readonly value: T | undefined;
}

/** Return undefined to remove the file. */
type Change<T> = (before: T | undefined) => T | undefined;

interface Waiting<T> {
  readonly change: Change<T>;
  readonly kind: string | undefined;
}

export interface JsonFolderOptions<T> {
  /** Absolute; created if missing when something is written. */
  readonly directory: string;
  readonly parse: (text: string) => T | undefined;
  readonly format: (value: T) => string;
  readonly log: Logger;
  /** Called when a change could not be made, unless others are waiting already. */
  readonly onTrouble?: (cause: unknown) => void;
}

/** One small file per name. Caches what was read, and follows changes by other processes. */
export class JsonFolder<T> implements Disposable {
  readonly #options: JsonFolderOptions<T>;
  readonly #owned = new DisposableStore();
  readonly #onChange = this.#owned.add(new Emitter<void>());
  readonly #entries = new Map<string, Entry<T>>();
  /** Changes of files that could not be read or written, in order. Readers see them already; they are written as soon as possible. */
  readonly #waiting = new Map<string, readonly Waiting<T>[]>();
  #retry: NodeJS.Timeout | undefined;
  #unreadable: HostError | undefined;
  #loading: Promise<void> | undefined;

  constructor(options: JsonFolderOptions<T>) {
    this.#options = options;
  }

  /** Fires when a file changed. Active from the first `load` on. */
  readonly onChange = this.#onChange.event;

  /** Why the folder could not be listed the last time; undefined if it could, or if there is none yet. */
  get unreadable(): HostError | undefined {
    return this.#unreadable;
  }

  /** The known values; all values after `load`. */
  get values(): readonly T[] {
    const values: T[] = [];
    const add = (value: T | undefined): void => {
      if (value !== undefined) values.push(value);
    };
    for (const [name, { value }] of this.#entries) if (!this.#waiting.has(name)) add(value);
    for (const name of this.#waiting.keys()) add(this.#changed(name, this.#entries.get(name)?.value));
    return values;
  }

  /** Reads all files, and watches them from then on. */
  load(): Promise<void> {
    return (this.#loading ??= this.#load());
  }

  get(name: string): T | undefined {
    // Without change notifications, it must read the folder again.
    const known = this.#loading === undefined ? undefined : this.#entries.get(name);
    return this.#changed(name, (known ?? this.#read(name))?.value);
  }

  /** Always reads the file. @throws the system's error if that fails, while `get` returns the last known value */
  readAgain(name: string): T | undefined {
    return this.#changed(name, this.#keep(name, readSmallFile(this.#path(name)))?.value);
  }

  /**
   * Reads the value again and writes it back changed, so that changes by other processes are not lost. A change that fails is made later,
   * to what is there then.
   * @param change returns the new value. If it returns the same value, nothing is written; if it returns undefined, the file is removed
   * @param kind of changes that each replace what the one before did, such as those of a draft: only the last of them waits
   * @returns the current value; a foreign file is not changed
   */
  update(name: string, change: Change<T>, kind?: string): T | undefined {
    const wasWaiting = this.isWaiting;
    const waiting = this.#waiting.get(name) ?? [];
    const isReplaced = kind !== undefined && waiting.at(-1)?.kind === kind;
    this.#waiting.set(name, [...(isReplaced ? waiting.slice(0, -1) : waiting), { change, kind }]);
    try {
      return this.#write(name);
    } catch (error) {
      if (waiting.length === 0) {
        this.#options.log.error('Could not change a file among the saved conversations; trying again', {
          path: this.#path(name),
          error,
        });
      }
      this.#retryLater();
      if (!wasWaiting) this.#options.onTrouble?.(error);
      this.#onChange.fire();
      return this.#changed(name, this.#entries.get(name)?.value);
    }
  }

  /** Whether changes are waiting to be written. */
  get isWaiting(): boolean {
    return this.#waiting.size > 0;
  }

  dispose(): void {
    this.#writeRest();
    clearTimeout(this.#retry);
    this.#owned.dispose();
    this.#entries.clear();
  }

  #changed(name: string, value: T | undefined): T | undefined {
    return (this.#waiting.get(name) ?? []).reduce<T | undefined>((before, { change }) => change(before), value);
  }

  /** Writes the changes to a file. @throws the system's error if the file can't be read, because it must not be overwritten then */
  #write(name: string): T | undefined {
    const entry = this.#keep(name, readSmallFile(this.#path(name)));
    const isForeign = entry !== undefined && entry.value === undefined;
    const before = entry?.value;
    const after = isForeign ? undefined : this.#changed(name, before);
    const isSame = after === before || (after !== undefined && before !== undefined && this.#isSame(after, before));
    if (!isSame) {
      if (after === undefined) removeSmallFile(this.#path(name));
      else replaceSmallFile(this.#path(name), this.#options.format(after));
    }
    this.#waiting.delete(name);
    if (isSame) return after;
    this.#read(name);
    this.#onChange.fire();
    return after;
  }

  #retryLater(): void {
    this.#retry ??= setTimeout(() => {
      this.#retry = undefined;
      this.#writeRest();
      if (this.#waiting.size > 0) this.#retryLater();
    }, retryMs);
    this.#retry.unref();
  }

  #writeRest(): void {
    for (const name of [...this.#waiting.keys()]) {
      try {
        this.#write(name);
      } catch {
        // Already reported when it failed for the first time.
      }
    }
  }

  #isSame(one: T, other: T): boolean {
    return this.#options.format(one) === this.#options.format(other);
  }

  async #load(): Promise<void> {
    const { directory } = this.#options;
    this.#owned.add(watchFolder({ directory, pollMs, onChange: (names) => void this.#follow(names) }));
    await this.#readAll();
  }

  async #follow(changed: readonly string[] | undefined): Promise<void> {
    const before = new Map(this.#entries);
    if (changed === undefined) await this.#readAll();
    else for (const name of changed.map(nameOf)) if (name !== undefined) this.#read(name);
    const isSame = before.size === this.#entries.size && [...before].every(([name, entry]) => this.#entries.get(name) === entry);
    if (!isSame) this.#onChange.fire();
  }

  async #readAll(): Promise<void> {
    const names = this.#names();
    const there = new Set(names);
    for (const name of this.#entries.keys()) if (!there.has(name)) this.#entries.delete(name);
    const changed = names.filter((name) => {
      const known = this.#entries.get(name);
      return known === undefined || known.version !== fileVersion(this.#path(name));
    });
    await readSmallFiles(
      changed,
      (name) => this.#path(name),
      (name, file) => this.#keep(name, file),
    );
  }

  #names(): readonly string[] {
    const { directory } = this.#options;
    try {
      const names = namesIn(directory);
      this.#unreadable = undefined;
      return names.map(nameOf).filter((name) => name !== undefined);
    } catch (error) {
      this.#unreadable = toFolderError(error, directory);
      this.#options.log.error('Could not read the folder of saved conversations', error);
      return [];
    }
  }

  #read(name: string): Entry<T> | undefined {
    try {
      const known = this.#entries.get(name);
      if (known?.version === fileVersion(this.#path(name))) return known;
      return this.#keep(name, readSmallFile(this.#path(name)));
    } catch (error) {
      this.#options.log.warn('Could not read a file among the saved conversations', { path: this.#path(name), error });
      return this.#entries.get(name);
    }
  }

  #keep(name: string, file: SmallFile | undefined): Entry<T> | undefined {
    if (file === undefined) {
      this.#entries.delete(name);
      return undefined;
    }
    const known = this.#entries.get(name);
    if (known?.version === file.version) return known;
    const entry = { version: file.version, value: this.#options.parse(file.text) };
    if (entry.value === undefined)
      this.#options.log.warn('Left a file among the saved conversations unchanged', { path: this.#path(name) });
    this.#entries.set(name, entry);
    return entry;
  }

  #path(name: string): string {
    return `${this.#options.directory}${sep}${name}${ending}`;
  }
}

function nameOf(file: string): string | undefined {
  return file.endsWith(ending) ? file.slice(0, -ending.length) : undefined;
}
