/**
 * The drafts, their chips, and the unsent prompts of all conversations. Drafts have files of their own, because a draft changes while the user
 * types, and chips and unsent prompts may have large pictures.
 */
import { join } from 'node:path';
import * as z from 'zod/mini';
import { type Disposable, DisposableStore } from '../base/disposable.js';
import type { HostError } from '../base/errors.js';
import type { Logger } from '../base/logger.js';
import { inRow } from '../conversation/conversationList.js';
import { type Chip, type DraftContent, emptyDraft } from '../conversation/draft.js';
import type { ConversationRecord } from '../conversation/ports.js';
import { holdReasons, type OutboxPrompt } from '../conversation/state.js';
import { promptBlock } from '../journal/eventSchema.js';
import { toStorageError } from '../journal/journalFormat.js';
import { firstLine, promptText } from '../session/content.js';
import { JsonFolder, jsonFormat, type JsonFolderOptions } from './jsonFolder.js';

const prompts = z.catch(
  z.array(
    z.pipe(
      z.object({
        id: z.string(),
        at: z.number(),
        content: z.array(promptBlock),
        held: z.catch(z.optional(z.enum(holdReasons)), undefined),
      }),
      z.transform(({ held, ...prompt }): OutboxPrompt => ({ ...prompt, held })),
    ),
  ),
  [],
);
const promptsFormat = jsonFormat<Pick<Unsent, 'outbox' | 'returned'>>(
  'acp-host-unsent',
  1,
  z.object({ outbox: prompts, returned: prompts }),
);
const draftFormat = jsonFormat('acp-host-draft', 1, z.object({ draft: z.string() }));
export const chipSchema: z.ZodMiniType<Chip> = z.object({
  id: z.string(),
  label: z.string(),
  title: z.string(),
  content: promptBlock,
  comment: z.exactOptional(z.object({ path: z.string(), firstLine: z.number(), lastLine: z.number(), text: z.string() })),
});
const chipsFormat = jsonFormat<Pick<DraftContent, 'chips'>>('acp-host-chips', 1, z.object({ chips: z.array(chipSchema) }));

export interface UnsentMemoryOptions {
  /** Absolute; created if missing. */
  readonly stateFolder: string;
  readonly log: Logger;
  /** Called once when nothing can be saved, and again only after everything was. */
  readonly onError: ((error: HostError) => void) | undefined;
}

/** What is not sent in a conversation. */
export type Unsent = Omit<ConversationRecord, 'place'>;

export const nothingUnsent: Unsent = { outbox: [], returned: [], draft: emptyDraft };

export class UnsentMemory implements Disposable {
  readonly #owned = new DisposableStore();
  readonly #prompts: JsonFolder<Pick<Unsent, 'outbox' | 'returned'>>;
  readonly #drafts: JsonFolder<{ readonly draft: string }>;
  readonly #chips: JsonFolder<Pick<DraftContent, 'chips'>>;

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
    this.#prompts = open('unsent', promptsFormat);
    this.#drafts = open('drafts', draftFormat);
    this.#chips = open('chips', chipsFormat);
  }

  has(id: string): boolean {
    return this.#folders.some((files) => files.get(id) !== undefined);
  }

  /** The beginning of the unsent text, or the label of the first chip; undefined if there is neither, or only white space. */
  wordsIn(id: string): string | undefined {
    const { outbox, returned, draft } = this.recall(id) ?? nothingUnsent;
    const [prompt] = [...outbox, ...returned];
    const words = prompt === undefined ? firstLine(draft.text) || draft.chips[0]?.label : firstLine(promptText(prompt.content));
    return words && inRow(words);
  }

  recall(id: string): Unsent | undefined {
    if (!this.has(id)) return undefined;
    const { outbox, returned } = this.#prompts.get(id) ?? nothingUnsent;
    return { outbox, returned, draft: { text: this.#drafts.get(id)?.draft ?? '', chips: this.#chips.get(id)?.chips ?? [] } };
  }

  remember(id: string, { outbox, returned, draft }: Unsent): void {
    this.#prompts.update(id, () => (outbox.length + returned.length === 0 ? undefined : { outbox, returned }));
    this.#drafts.update(id, () => (draft.text === '' ? undefined : { draft: draft.text }));
    this.#chips.update(id, () => (draft.chips.length === 0 ? undefined : { chips: draft.chips }));
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
