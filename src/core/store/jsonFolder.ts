import { sep } from 'node:path';
import { type Disposable, DisposableStore } from '../base/disposable.js';
import type { HostError } from '../base/errors.js';
import { isFields } from '../base/fields.js';
import { Emitter } from '../base/event.js';
import type { Logger } from '../base/logger.js';
import { parseJson } from '../base/parseJson.js';
import { toFolderError } from '../journal/journalFormat.js';
import { namesIn, readSmallFile, readSmallFiles, removeSmallFile, replaceSmallFile } from '../node/smallFiles.js';

const ending = '.json';
const retryMs = 2_000;

/** Return undefined to remove the file. */
type Change<T> = (before: T | undefined) => T | undefined;

export interface JsonFolderOptions<T> {
  /** Absolute; created if missing when something is written. Nobody else writes there. */
  readonly directory: string;
  readonly parse: (text: string) => T | undefined;
  readonly format: (value: T) => string;
  readonly log: Logger;
  /** Called when a change could not be made, unless others are waiting already. */
  readonly onTrouble?: (cause: unknown) => void;
}

/** One small file per name, and what is in them. */
export class JsonFolder<T> implements Disposable {
  readonly #options: JsonFolderOptions<T>;
  readonly #owned = new DisposableStore();
  readonly #onChange = this.#owned.add(new Emitter<string>());
  /** As on disk. Undefined if the file is incomplete, foreign or from a newer version. Such a file is not changed. */
  readonly #files = new Map<string, T | undefined>();
  /** Changes of files that could not be read or written, in order. Readers see them already; they are written as soon as possible. */
  readonly #waiting = new Map<string, readonly Change<T>[]>();
  #retry: NodeJS.Timeout | undefined;
  #unreadable: HostError | undefined;
  #loading: Promise<void> | undefined;

  constructor(options: JsonFolderOptions<T>) {
    this.#options = options;
  }

  /** Fires with the name of what changed. */
  readonly onChange = this.#onChange.event;

  /** Why the folder could not be listed the last time; undefined if it could, or if there is none yet. */
  get unreadable(): HostError | undefined {
    return this.#unreadable;
  }

  /** The known values; all values after `load`. */
  get values(): readonly T[] {
    const values: T[] = [];
    for (const name of new Set([...this.#files.keys(), ...this.#waiting.keys()])) {
      const value = this.#changed(name, this.#files.get(name));
      if (value !== undefined) values.push(value);
    }
    return values;
  }

  /** Reads all files. Concurrent calls share one promise. */
  load(): Promise<void> {
    return (this.#loading ??= this.#load());
  }

  get(name: string): T | undefined {
    if (!this.#files.has(name)) this.#read(name);
    return this.#changed(name, this.#files.get(name));
  }

  /** Whether changes are waiting to be written. */
  get isWaiting(): boolean {
    return this.#waiting.size > 0;
  }

  /**
   * Changes a value and its file. A change that fails is made later, to what is there then.
   * @param change returns the new value. If it returns the same value, nothing is written; if it returns undefined, the file is removed
   * @returns the current value; a foreign file is not changed
   */
  update(name: string, change: Change<T>): T | undefined {
    const wasWaiting = this.isWaiting;
    const waiting = this.#waiting.get(name) ?? [];
    this.#waiting.set(name, [...waiting, change]);
    try {
      return this.#write(name);
    } catch (error) {
      const path = this.#path(name);
      if (waiting.length === 0)
        this.#options.log.error('Could not change a file among the saved conversations; trying again', { path, error });
      this.#retryLater();
      if (!wasWaiting) this.#options.onTrouble?.(error);
      this.#onChange.fire(name);
      return this.#changed(name, this.#files.get(name));
    }
  }

  dispose(): void {
    this.#writeRest();
    clearTimeout(this.#retry);
    this.#owned.dispose();
    this.#files.clear();
  }

  #changed(name: string, value: T | undefined): T | undefined {
    return (this.#waiting.get(name) ?? []).reduce<T | undefined>((before, change) => change(before), value);
  }

  /** @throws the system's error, also if the file can't be read, because it must not be overwritten then */
  #write(name: string): T | undefined {
    if (!this.#files.has(name)) this.#keep(name, readSmallFile(this.#path(name))?.text);
    const before = this.#files.get(name);
    const isForeign = before === undefined && this.#files.has(name);
    const after = isForeign ? undefined : this.#changed(name, before);
    const text = after && this.#options.format(after);
    // Nobody else writes there, so that the next attempt needs only the outcome of these changes.
    this.#waiting.set(name, [() => after]);
    const isSame = isForeign || after === before || (before !== undefined && text === this.#options.format(before));
    if (!isSame) {
      if (text === undefined) removeSmallFile(this.#path(name));
      else replaceSmallFile(this.#path(name), text);
    }
    this.#waiting.delete(name);
    if (isSame) return after;
    if (after === undefined) this.#files.delete(name);
    else this.#files.set(name, after);
    this.#onChange.fire(name);
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

  async #load(): Promise<void> {
    await readSmallFiles(
      this.#names().filter((name) => !this.#files.has(name)),
      (name) => this.#path(name),
      (name, file) => this.#keep(name, file?.text),
    );
  }

  #names(): readonly string[] {
    const { directory, log } = this.#options;
    try {
      const names = namesIn(directory);
      this.#unreadable = undefined;
      return names.filter((file) => file.endsWith(ending)).map((file) => file.slice(0, -ending.length));
    } catch (error) {
      this.#unreadable = toFolderError(error, directory);
      log.error('Could not read the folder of saved conversations', error);
      return [];
    }
  }

  #read(name: string): void {
    const path = this.#path(name);
    try {
      this.#keep(name, readSmallFile(path)?.text);
    } catch (error) {
      this.#options.log.warn('Could not read a file among the saved conversations', { path, error });
    }
  }

  /** @param text undefined if there is no such file */
  #keep(name: string, text: string | undefined): void {
    if (text === undefined) return;
    const value = this.#options.parse(text);
    if (value === undefined) this.#options.log.warn('Left a file among the saved conversations unchanged', { path: this.#path(name) });
    this.#files.set(name, value);
  }

  #path(name: string): string {
    return `${this.#options.directory}${sep}${name}${ending}`;
  }
}

/**
 * A kind of file, which says in it what it is. No other version is read: such a file stays as it is.
 * @param schema of what else is in it; a schema of zod
 */
export function jsonFormat<T extends object>(
  format: string,
  version: number,
  schema: { safeParse(value: unknown): { readonly data?: T | undefined } },
): Pick<JsonFolderOptions<T>, 'parse' | 'format'> {
  return {
    parse(text) {
      const value = parseJson(text);
      const isKnown = isFields(value) && value['format'] === format && value['version'] === version;
      return isKnown ? schema.safeParse(value).data : undefined;
    },
    format: (value) => JSON.stringify({ format, version, ...value }),
  };
}
