import { isDeepStrictEqual } from 'node:util';
import type { Disposable } from '../base/disposable.js';
import type { SessionState } from '../session/model.js';
import type { ConversationLibrary } from './library.js';
import type { Outbox } from './outbox.js';
import type { ConversationPlace, ConversationPorts } from './ports.js';
import type { SessionKey } from './state.js';
import type { Thread } from './thread.js';

export interface FollowerParts {
  readonly library: ConversationLibrary | undefined;
  readonly ports: Pick<ConversationPorts, 'readSaved' | 'log'>;
  readonly thread: Thread;
  readonly outbox: Outbox;
  readonly onChange: () => void;
}

interface Following {
  readonly key: SessionKey;
  readonly reading: Disposable;
}

/** Shows what another process adds to the conversation. What that process has sent no longer waits here. */
export class Follower {
  readonly #parts: FollowerParts;
  #following: Following | undefined;

  constructor(parts: FollowerParts) {
    this.#parts = parts;
  }

  /** Shows the output as it arrives. @param place where the other process works */
  follow(place: ConversationPlace): void {
    const { library } = this.#parts;
    const { agentId, sessionId, createdAt } = place;
    const key = { agentId, sessionId, createdAt };
    if (library === undefined || isDeepStrictEqual(this.#following?.key, key)) return;
    this.end();
    const reading = library.follow(place, (state) => void this.#show(key, state));
    this.#following = { key, reading };
  }

  end(): void {
    this.#following?.reading.dispose();
    this.#following = undefined;
  }

  /** Shows what is saved, unless the session is opened here meanwhile. */
  async showSaved(place: ConversationPlace): Promise<void> {
    const { thread } = this.#parts;
    const saved = await this.#read(place);
    const last = saved.at(-1);
    if (last !== undefined && thread.session === undefined) this.#put(place.agentId, last, saved.slice(0, -1));
  }

  async #show(key: SessionKey, state: SessionState): Promise<void> {
    const { thread, onChange } = this.#parts;
    const earlier = thread.isAt(key) ? thread.earlierSessions : (await this.#read(key)).slice(0, -1);
    if (this.#following?.key !== key) return;
    this.#put(key.agentId, state, earlier);
    onChange();
  }

  #put(agentId: string, state: SessionState, earlier: readonly SessionState[]): void {
    const { thread, outbox } = this.#parts;
    thread.show(agentId, state, earlier);
    outbox.dropSaid(state);
  }

  async #read(key: SessionKey): Promise<readonly SessionState[]> {
    const { ports } = this.#parts;
    try {
      return await ports.readSaved(key);
    } catch (error) {
      ports.log.warn('Could not read what another process saved of the conversation', error);
      return [];
    }
  }
}
