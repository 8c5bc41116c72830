import { isDeepStrictEqual } from 'node:util';
import type { Disposable } from '../base/disposable.js';
import { Emitter } from '../base/event.js';
import type { SessionBatch } from '../host/api.js';
import type { SessionState } from '../session/model.js';
import type { ConversationBatch, ConversationEvent, Facet, FacetEvent } from './events.js';
import type { SessionBeginning } from './sessionBeginning.js';
import { rememberReduction } from './sharedReduction.js';
import { type ConversationState, emptyConversation } from './state.js';

export type ConversationView = Omit<ConversationState, 'revision' | 'id' | 'cwd'>;

interface FacetRule {
  changed(before: ConversationView, now: ConversationView): boolean;
  event(view: ConversationView): FacetEvent;
}

/** For a facet whose producer keeps its identity as long as nothing changed. */
function byIdentity(facet: Facet, event: (view: ConversationView) => FacetEvent): FacetRule {
  return { changed: (before, now) => before[facet] !== now[facet], event };
}

/** For a small facet that is created anew for each read. */
function byContent(facet: Facet, event: (view: ConversationView) => FacetEvent): FacetRule {
  return { changed: (before, now) => !isDeepStrictEqual(before[facet], now[facet]), event };
}

/** Facets that arrive with a live session precede `live`: a front end that waits for `live` has all of them. */
const facets: Readonly<Record<Facet, FacetRule>> = {
  agent: byContent('agent', ({ agent }) => ({ type: 'agent', agent })),
  info: byIdentity('info', ({ info }) => ({ type: 'info', info })),
  status: byContent('status', ({ status }) => ({ type: 'status', status })),
  opening: byContent('opening', ({ opening }) => ({ type: 'opening', opening })),
  openedBy: byIdentity('openedBy', ({ openedBy }) => ({ type: 'openedBy', openedBy })),
  whileRunning: byContent('whileRunning', ({ whileRunning }) => ({ type: 'whileRunning', whileRunning })),
  live: byIdentity('live', ({ live }) => ({ type: 'live', live })),
  earlierSessions: byIdentity('earlierSessions', ({ earlierSessions }) => ({ type: 'earlierSessions', earlierSessions })),
  context: byIdentity('context', ({ context }) => ({ type: 'context', context })),
  outbox: byIdentity('outbox', ({ outbox }) => ({ type: 'outbox', outbox })),
  returned: byIdentity('returned', ({ returned }) => ({ type: 'returned', returned })),
  draft: byIdentity('draft', ({ draft }) => ({ type: 'draft', draft })),
  optionChanges: byIdentity('optionChanges', ({ optionChanges }) => ({ type: 'optionChanges', optionChanges })),
  sending: byContent('sending', ({ sending }) => ({ type: 'sending', sending })),
  interrupted: byIdentity('interrupted', ({ interrupted }) => ({ type: 'interrupted', interrupted })),
  blocker: byIdentity('blocker', ({ blocker }) => ({ type: 'blocker', blocker })),
  changesFailure: byContent('changesFailure', ({ changesFailure }) => ({ type: 'changesFailure', changesFailure })),
  isRestored: byIdentity('isRestored', ({ isRestored }) => ({ type: 'isRestored', isRestored })),
  isDeleted: byIdentity('isDeleted', ({ isDeleted }) => ({ type: 'isDeleted', isDeleted })),
};
const rules = Object.values(facets);

/** Creates numbered batches of changes, and the state after them. */
export class Publisher implements Disposable {
  readonly #onBatch = new Emitter<ConversationBatch>();
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

  /** Adds events of the session on screen. They are part of the next batch, before all other changes. */
  addSessionBatch({ before, events, state }: SessionBatch): void {
    // Not on screen yet; it will be shown in its state at that time.
    if (before !== this.#session) return;
    rememberReduction(before, events, state);
    this.#session = state;
    this.#pending.push({ type: 'session', events });
  }

  /** Shows another session with the next batch: its state when it was opened, then the events since. */
  addBeginning({ state, batches }: SessionBeginning): void {
    if (state !== this.#session) this.#pending.push({ type: 'session_shown', session: state });
    this.#session = state;
    for (const batch of batches) this.addSessionBatch(batch);
  }

  publish(view: ConversationView): void {
    const events = this.#pending;
    this.#pending = [];
    if (view.session !== this.#session) events.push({ type: 'session_shown', session: view.session });
    this.#session = view.session;
    for (const rule of rules) if (rule.changed(this.#state, view)) events.push(rule.event(view));
    if (view.changes !== this.#state.changes) {
      const [before, now] = [new Set(this.#state.changes), new Set(view.changes.map(({ id }) => id))];
      const sets = view.changes.filter((set) => !before.has(set));
      const gone = this.#state.changes.filter(({ id }) => !now.has(id)).map(({ id }) => id);
      if (sets.length + gone.length > 0) events.push({ type: 'change_sets', sets, gone });
    }
    if (events.length === 0) return;
    const { id, cwd } = this.#state;
    const revision = this.#state.revision + 1;
    this.#state = { ...view, id, cwd, revision };
    this.#onBatch.fire({ revision, events });
  }

  dispose(): void {
    this.#onBatch.dispose();
  }
}
