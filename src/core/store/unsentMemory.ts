/**
 * The drafts, their chips, and the unsent prompts of all conversations. Drafts have files of their own, because a draft changes while the user
 * types, and chips and unsent prompts may have large pictures.
 */
import { join } from 'node:path';
import { type Disposable, DisposableStore } from '../base/disposable.js';
import type { HostError } from '../base/errors.js';
import type { Logger } from '../base/logger.js';
import type { Chip, DraftContent } from '../conversation/draft.js';
import { toStorageError } from '../journal/storageError.js';
import { promptText } from '../session/content.js';
import { JsonFolder, type JsonFolderOptions } from './jsonFolder.js';
import { formatChips, formatDraft, formatPrompts, parseChips, parseDraft, parsePrompts, type UnsentPrompts } from './savedFormat.js';

/** A list row has no room for more. */
const wordsChars = 200;

export interface UnsentMemoryOptions {
  /** Absolute; created if missing. */
  readonly stateFolder: string;
  readonly log: Logger;
  /** Called once when nothing can be saved, and again only after everything was. */
  readonly onError: ((error: HostError) => void) | undefined;
}

/** What is not sent in a conversation. */
export interface Unsent extends UnsentPrompts {
  readonly draft: DraftContent;
}

export const nothingUnsent: Unsent = { outbox: [], returned: [], draft: { text: '', chips: [] } };

export class UnsentMemory implements Disposable {
  readonly #owned = new DisposableStore();
  readonly #prompts: JsonFolder<UnsentPrompts>;
  readonly #drafts: JsonFolder<string>;
  readonly #chips: JsonFolder<readonly Chip[]>;

  constructor({ stateFolder, log, onError }: UnsentMemoryOptions) {
    const open = <T>(name: string, format: Pick<JsonFolderOptions<T>, 'parse' | 'format'>): JsonFolder<T> => {
      const folder: JsonFolder<T> = new JsonFolder({
        directory: join(stateFolder, name),
        ...format,
        log,
        onTrouble: (cause) => {
          const isTold = this.#folders.some((one) => one !== folder && one.isWaiting);
          if (!isTold) onError?.(toStorageError(cause, stateFolder, 'unsent_not_saved'));
        },
      });
      return this.#owned.add(folder);
    };
    this.#prompts = open('unsent', { parse: parsePrompts, format: formatPrompts });
    this.#drafts = open('drafts', { parse: parseDraft, format: formatDraft });
    this.#chips = open('chips', { parse: parseChips, format: formatChips });
  }

  has(id: string): boolean {
    return this.#folders.some((files) => files.get(id) !== undefined);
  }

  /** The beginning of the unsent text, or the label of the first chip; undefined if there is neither, or only white space. */
  wordsIn(id: string): string | undefined {
    const { outbox, returned, draft } = this.recall(id) ?? nothingUnsent;
    const [prompt] = [...outbox, ...returned];
    const words = prompt === undefined ? draft.text.trimStart() || draft.chips[0]?.label : promptText(prompt.content);
    return words?.slice(0, wordsChars);
  }

  recall(id: string): Unsent | undefined {
    if (!this.has(id)) return undefined;
    const { outbox, returned } = this.#prompts.get(id) ?? nothingUnsent;
    return { outbox, returned, draft: { text: this.#drafts.get(id) ?? '', chips: this.#chips.get(id) ?? [] } };
  }

  remember(id: string, { outbox, returned, draft }: Unsent): void {
    this.#prompts.update(id, () => (outbox.length + returned.length === 0 ? undefined : { outbox, returned }));
    this.#drafts.update(id, () => (draft.text === '' ? undefined : draft.text));
    this.#chips.update(id, () => (draft.chips.length === 0 ? undefined : draft.chips));
  }

  remove(id: string): void {
    for (const files of this.#folders) files.update(id, () => undefined);
  }

  dispose(): void {
    this.#owned.dispose();
  }

  get #folders(): readonly Pick<JsonFolder<unknown>, 'get' | 'update' | 'isWaiting'>[] {
    return [this.#prompts, this.#drafts, this.#chips];
  }
}
