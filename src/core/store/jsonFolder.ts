import { sep } from 'node:path';
import { type Disposable, DisposableStore } from '../base/disposable.js';
import { Emitter } from '../base/event.js';
import type { Logger } from '../base/logger.js';
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

/** @returns undefined: the file is removed */
type Change<T> = (before: T | undefined) => T | undefined;

interface Waiting<T> {
  readonly change: Change<T>;
  readonly kind: string | undefined;
}

export interface JsonFolderOptions<T> {
  /** Absolute; created if missing. */
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
  /** The changes of files that could not be read or written, in order. They count as made, and are made as soon as possible. */
  readonly #waiting = new Map<string, readonly Waiting<T>[]>();
  #retry: NodeJS.Timeout | undefined;
  #loading: Promise<void> | undefined;

  constructor(options: JsonFolderOptions<T>) {
    this.#options = options;
  }

  /** Fires when a file changed. Active from the first `load` on. */
  readonly onChange = this.#onChange.event;

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

  /** Reads the file whatever is known of it. @throws the system's error, where `get` returns what was last known */
  readAgain(name: string): T | undefined {
    return this.#changed(name, this.#keep(name, readSmallFile(this.#path(name)))?.value);
  }

  /**
   * Reads the value again and writes it back changed, so that changes by other processes are not lost. A change that fails is made later,
   * to what is there then.
   * @param change returns the new value; the same value: nothing is written; undefined: the file is removed
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
        this.#options.log.error('A file among the saved conversations could not be changed; this is tried again', {
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

  /** Whether changes could not be made yet. */
  get isWaiting(): boolean {
    return this.#waiting.size > 0;
  }

  /** Whether the file is as it was last changed here: nothing waits to be written, and it is no foreign file. */
  isSaved(name: string): boolean {
    const entry = this.#entries.get(name);
    return !this.#waiting.has(name) && (entry === undefined || entry.value !== undefined);
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

  /** Makes the changes of a file. @throws the system's error: what others wrote there, and cannot be read, must not be overwritten */
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
        // Reported when it failed first.
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
    try {
      return namesIn(this.#options.directory)
        .map(nameOf)
        .filter((name) => name !== undefined);
    } catch (error) {
      this.#options.log.error('The folder of saved conversations could not be read', error);
      return [];
    }
  }

  #read(name: string): Entry<T> | undefined {
    try {
      const known = this.#entries.get(name);
      if (known?.version === fileVersion(this.#path(name))) return known;
      return this.#keep(name, readSmallFile(this.#path(name)));
    } catch (error) {
      this.#options.log.warn('A file among the saved conversations could not be read', { path: this.#path(name), error });
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
      this.#options.log.warn('A file among the saved conversations was left as it is', { path: this.#path(name) });
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
