import type { SessionState } from '../../core/index.js';
import type { Outbox, UnsentPrompt } from './outbox.js';
import type { ConversationPorts } from './ports.js';
import type { Thread } from './thread.js';

/** What outlives the window, however that ends: at which conversation it is, and the messages that no turn has taken. Writes only what changed. */
export class WindowRecord {
  readonly #ports: ConversationPorts;
  #queue: SessionState['queue'] = [];
  #unsent: readonly UnsentPrompt[] = [];

  constructor(ports: ConversationPorts) {
    this.#ports = ports;
  }

  keepPlace({ place }: Thread, withContext: boolean): void {
    if (place !== undefined) this.#ports.remember({ ...place, withContext });
  }

  forgetPlace(): void {
    this.#ports.remember(undefined);
  }

  /** Cheap where nothing changed: it is called after each piece of an answer. */
  keepUnsent(thread: Thread, outbox: Outbox): void {
    const { queue } = thread;
    const unsent = outbox.all;
    if (this.#queue === queue && this.#unsent === unsent) return;
    this.#queue = queue;
    this.#unsent = unsent;
    this.#ports.rememberUnsent([...queue.map((prompt) => ({ ...prompt, held: undefined })), ...unsent]);
  }
}
