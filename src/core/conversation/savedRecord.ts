import type { ConversationPlace, ConversationPorts, ConversationRecord } from './ports.js';

/** Keeps what outlives the front end. Writes only what changed. */
export class SavedRecord {
  readonly #ports: Pick<ConversationPorts, 'remember'>;
  #last: ConversationRecord = { place: undefined, outbox: [], returned: [] };

  constructor(ports: Pick<ConversationPorts, 'remember'>) {
    this.#ports = ports;
  }

  /** Cheap where nothing changed: it is called after each piece of an answer. */
  keep(record: ConversationRecord): void {
    const { place, outbox, returned } = this.#last;
    if (outbox === record.outbox && returned === record.returned && isSamePlace(place, record.place)) return;
    this.#last = record;
    this.#ports.remember(record);
  }
}

function isSamePlace(one: ConversationPlace | undefined, other: ConversationPlace | undefined): boolean {
  return (
    one?.agentId === other?.agentId &&
    one?.sessionId === other?.sessionId &&
    one?.createdAt === other?.createdAt &&
    one?.continues === other?.continues &&
    one?.withContext === other?.withContext
  );
}
