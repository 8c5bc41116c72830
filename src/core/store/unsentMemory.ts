/** The drafts and unsent prompts of all conversations, in one folder for every process. */
import { randomUUID } from 'node:crypto';
import type { Disposable } from '../base/disposable.js';
import type { Logger } from '../base/logger.js';
import type { OutboxPrompt } from '../conversation/state.js';
import { promptText } from '../session/content.js';
import { JsonFolder } from './jsonFolder.js';
import { formatUnsent, nothingUnsent, parseUnsent, type Unsent } from './savedFormat.js';
import { mergePrompts, type UnsentPrompts } from './unsentPrompts.js';

/** Nobody reads more of it in a list. */
const wordsChars = 200;

export interface UnsentMemoryOptions {
  /** Absolute; created if missing. */
  readonly directory: string;
  readonly log: Logger;
}

export class UnsentMemory implements Disposable {
  readonly #files: JsonFolder<Unsent>;
  /** The prompts that this process last had in each conversation. */
  readonly #prompts = new Map<string, UnsentPrompts>();
  /** The drafts that this process last had. */
  readonly #drafts = new Map<string, string>();

  constructor({ directory, log }: UnsentMemoryOptions) {
    this.#files = new JsonFolder({ directory, parse: parseUnsent, format: formatUnsent, log });
  }

  has(id: string): boolean {
    return this.#files.get(id) !== undefined;
  }

  /** The beginning of what is not sent; undefined if there is nothing, or only blanks. */
  wordsIn(id: string): string | undefined {
    const { draft, outbox, returned } = this.#files.get(id) ?? nothingUnsent;
    const [prompt] = [...outbox, ...returned];
    if (prompt === undefined && draft.trim() === '') return undefined;
    return (prompt === undefined ? draft.trimStart() : promptText(prompt.content)).slice(0, wordsChars);
  }

  recall(id: string): UnsentPrompts | undefined {
    const unsent = this.#files.get(id);
    const { outbox, returned } = unsent ?? nothingUnsent;
    this.#prompts.set(id, { outbox, returned });
    return unsent && { outbox, returned };
  }

  remember(id: string, prompts: UnsentPrompts): void {
    const before = this.#prompts.get(id);
    this.#prompts.set(id, prompts);
    this.#update(id, (unsent) => ({ ...unsent, ...mergePrompts(unsent, before, prompts) }));
  }

  readDraft(id: string): string {
    const draft = this.#files.get(id)?.draft ?? '';
    this.#drafts.set(id, draft);
    return draft;
  }

  writeDraft(id: string, text: string): void {
    this.#drafts.set(id, text);
    this.#update(id, (unsent) => (unsent.draft === text ? unsent : { ...unsent, draft: text }), 'draft');
  }

  /** Does nothing if there is something already. */
  adopt(id: string, unsent: Unsent): void {
    this.#update(id, (there) => (there === nothingUnsent ? unsent : there));
  }

  /** Two saved conversations are one. A draft of `to` may be on screen, so that of `from` is returned to the composer. */
  move(from: string, to: string): void {
    const { draft, outbox, returned } = this.#files.get(from) ?? nothingUnsent;
    const prompt: OutboxPrompt = { id: randomUUID(), at: Date.now(), content: [{ type: 'text', text: draft }], held: undefined };
    this.#update(to, (unsent) => ({
      draft: unsent.draft,
      outbox: [...unsent.outbox, ...outbox],
      returned: [...unsent.returned, ...returned, ...(draft === '' ? [] : [prompt])],
    }));
    this.#drafts.delete(from);
    this.#prompts.delete(from);
    this.remove(from);
  }

  remove(id: string): void {
    this.#files.update(id, () => undefined);
  }

  /** Saves again what this process has on screen of conversations that another process deleted. */
  keep(isDeletedElsewhere: (id: string) => boolean): void {
    for (const id of new Set([...this.#drafts.keys(), ...this.#prompts.keys()])) {
      const unsent = { ...nothingUnsent, ...this.#prompts.get(id), draft: this.#drafts.get(id) ?? '' };
      if (!isNothing(unsent) && isDeletedElsewhere(id) && !this.has(id)) this.#update(id, () => unsent);
    }
  }

  dispose(): void {
    this.#files.dispose();
  }

  #update(id: string, change: (unsent: Unsent) => Unsent, kind?: string): void {
    const changed = (before = nothingUnsent): Unsent | undefined => {
      const after = change(before);
      return isNothing(after) ? undefined : after;
    };
    this.#files.update(id, changed, kind);
  }
}

function isNothing({ draft, outbox, returned }: Unsent): boolean {
  return draft === '' && outbox.length === 0 && returned.length === 0;
}
