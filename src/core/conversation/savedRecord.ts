import { isDeepStrictEqual } from 'node:util';
import { emptyDraft } from './draft.js';
import type { ConversationSummary } from './library.js';
import type { ConversationPorts, ConversationRecord } from './ports.js';

/** Saves the state that outlives the front end. Writes only changes. */
export class SavedRecord {
  readonly #ports: Pick<ConversationPorts, 'remember'>;
  #last: ConversationRecord = { place: undefined, outbox: [], returned: [], draft: emptyDraft };
  #summary: ConversationSummary | undefined;

  constructor(ports: Pick<ConversationPorts, 'remember'>) {
    this.#ports = ports;
  }

  /** Cheap if nothing changed, because it is called after each chunk of an answer. @param summary absent while there are no messages */
  keep(record: ConversationRecord, summary: ConversationSummary | undefined): void {
    const { place, outbox, returned, draft } = this.#last;
    const isSame =
      areSame(outbox, record.outbox) && returned === record.returned && draft === record.draft && isDeepStrictEqual(place, record.place);
    if (isSame && isDeepStrictEqual(this.#summary, summary)) return;
    this.#last = record;
    this.#summary = summary;
    this.#ports.remember(record, summary);
  }
}

function areSame<T>(some: readonly T[], others: readonly T[]): boolean {
  return some.length === others.length && some.every((one, index) => one === others[index]);
}
