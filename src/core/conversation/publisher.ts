import { isDeepStrictEqual } from 'node:util';
import type { Disposable } from '../base/disposable.js';
import { Emitter } from '../base/event.js';
import type { SessionBatch } from '../host/api.js';
import type { RequestEvent } from '../session/event.js';
import type { SessionState } from '../session/model.js';
import { type ConversationBatch, type ConversationEvent, type FacetEvent, facets, rememberReduction } from './events.js';
import { type ConversationState, emptyConversation } from './state.js';
import type { SessionBeginning } from './thread.js';

export type ConversationView = Omit<ConversationState, 'revision' | 'id' | 'cwd'>;

/** A batch of a conversation in this process. */
export interface PublishedBatch extends ConversationBatch {
  /** It only adds to what the agent says, and nothing else of the conversation changed. */
  readonly isSpeech: boolean;
}

/** Creates numbered batches of changes, and the state after them. */
export class Publisher implements Disposable {
  readonly #onBatch = new Emitter<PublishedBatch>();
  #state: ConversationState;
  /** Events of the session that are not published yet. */
  #pending: ConversationEvent[] = [];
  #session: SessionState | undefined;

  constructor(id: string, cwd: string) {
    this.#state = emptyConversation(id, cwd);
  }

  readonly onBatch = this.#onBatch.event;

  /** The state after the last batch. */
  get state(): ConversationState {
    return this.#state;
  }

  /**
   * Adds events of the session on screen. They are part of the next batch, before all other changes.
   * @returns false if it is not on screen yet; it will be shown in its state at that time
   */
  addSessionBatch({ before, events, state }: SessionBatch): boolean {
    if (before !== this.#session) return false;
    rememberReduction(before, events, state);
    this.#session = state;
    this.#pending.push({ type: 'session', events });
    return true;
  }

  /** Shows another session with the next batch: its state when it was opened, then the events since. */
  addBeginning({ state, batches }: SessionBeginning): void {
    if (state !== this.#session) this.#pending.push({ type: 'session_shown', session: state });
    this.#session = state;
    for (const batch of batches) this.addSessionBatch(batch);
  }

  addRequest(event: RequestEvent): void {
    this.#pending.push({ type: 'asked', event });
  }

  publish(view: ConversationView): void {
    const events = this.#pending;
    this.#pending = [];
    if (view.session !== this.#session) events.push({ type: 'session_shown', session: view.session });
    this.#session = view.session;
    // Most parts keep their identity as long as nothing changed, so that this costs little.
    for (const type of facets)
      if (!isDeepStrictEqual(this.#state[type], view[type])) events.push({ type, [type]: view[type] } as FacetEvent);
    if (view.changes !== this.#state.changes) {
      const [before, now] = [new Set(this.#state.changes), new Set(view.changes.map(({ id }) => id))];
      const sets = view.changes.filter((set) => !before.has(set));
      const gone = this.#state.changes.filter(({ id }) => !now.has(id)).map(({ id }) => id);
      if (sets.length + gone.length > 0) events.push({ type: 'change_sets', sets, gone });
    }
    if (events.length > 0) this.#fire(view, events, false);
  }

  /** Publishes what the agent says, with which nothing else changes. */
  publishSpeech(): void {
    const events = this.#pending;
    this.#pending = [];
    // Another session may wait to be shown.
    this.#fire({ ...this.#state, session: this.#session }, events, events.length === 1);
  }

  #fire(view: ConversationView, events: readonly ConversationEvent[], isSpeech: boolean): void {
    const { id, cwd } = this.#state;
    const revision = this.#state.revision + 1;
    this.#state = { ...view, id, cwd, revision };
    this.#onBatch.fire({ revision, events, isSpeech });
  }

  dispose(): void {
    this.#onBatch.dispose();
  }
}
