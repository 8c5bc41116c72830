/** Marks the conversations whose turn ended out of sight until the user sees them, and notifies about the end. */
import {
  type ConversationActivity,
  type ConversationListEntry,
  type ConversationState,
  type Disposable,
  isLateNews,
  type LateTrace,
  lateTraceOf,
} from '../../core/index.js';
import { showMessage } from '../window/windowMessages.js';

export interface DoneTurnsOptions {
  readonly conversations: {
    readonly list: readonly ConversationListEntry[];
    /** Returns a conversation that is open here. */
    get(id: string): { readonly conversation: { readonly state: ConversationState } } | undefined;
    onListChange(listener: () => void): Disposable;
    change(command: { readonly type: 'mark_unread'; readonly id: string; readonly isUnread: boolean }): Promise<void>;
  };
  nameOf(entry: ConversationListEntry): string;
  /** Whether a visible page shows the conversation. */
  isOnScreen(id: string): boolean;
  /** Whether this window has the focus. */
  isFocused(): boolean;
  notice(): 'never' | 'unfocused' | 'hidden';
  show(id: string): void;
  /** Shows all conversations. */
  showAll(): void;
  /** Until when turns ended about which `cameBack` has told, in milliseconds since the epoch. Outlives the windows. */
  readonly told: { read(): number; write(until: number): void };
  /** Runs work that no command waits for, and shows what fails. */
  readonly report: (work: () => Promise<unknown>) => Promise<void>;
}

type Ending = 'is done' | 'has failed' | 'was interrupted';

export class DoneTurns implements Disposable {
  readonly #options: DoneTurnsOptions;
  readonly #watching: Disposable;
  /** The conversations in which something runs. */
  #running = new Set<string>();
  /** What the conversations of this window do between turns. */
  #late: ReadonlyMap<string, LateTrace | undefined> = new Map();

  constructor(options: DoneTurnsOptions) {
    this.#options = options;
    this.#watching = options.conversations.onListChange(() => this.look());
    this.look();
  }

  /** Call this when a page became visible, or shows another conversation. */
  see(): void {
    for (const { id, isUnread } of this.#options.conversations.list) if (isUnread && this.#options.isOnScreen(id)) this.#mark(id, false);
  }

  /** Tells what ended while no window was open. Call this once, when the list is known. */
  cameBack(): void {
    const { conversations, told, notice, show, showAll } = this.#options;
    const since = told.read();
    const ended = conversations.list.filter(
      ({ id, isUnread, usedAt, isArchived }) => isUnread && !isArchived && usedAt > since && !this.#options.isOnScreen(id),
    );
    const [only, ...others] = ended;
    if (only === undefined) return;
    told.write(Math.max(...ended.map(({ usedAt }) => usedAt)));
    if (notice() === 'never') return;
    const what = others.length === 0 ? `${this.#whose(only)} ended` : `${ended.length} turns ended`;
    void showMessage('information', `${what} while you were away`, 'Show').then((choice) => {
      if (choice === undefined) return;
      if (others.length === 0) show(only.id);
      else showAll();
    });
  }

  dispose(): void {
    this.#watching.dispose();
  }

  /** Call this when anything happened in a conversation. */
  look(): void {
    const { conversations } = this.#options;
    const before = this.#running;
    // A conversation that was closed or deleted did not end its turn.
    this.#running = new Set(conversations.list.filter((entry) => this.#runs(entry)).map(({ id }) => id));
    for (const entry of conversations.list) {
      if (before.has(entry.id) && !this.#running.has(entry.id)) this.#ended(entry);
      else if (entry.isUnread && this.#running.has(entry.id) && !before.has(entry.id)) this.#mark(entry.id, false);
    }
    this.#lookAtLate();
    // Another window, in which it was out of sight, may have marked what is on screen here.
    this.see();
  }

  /** Marks the conversations in which something ended after its turn, or in which the agent went on by itself. */
  #lookAtLate(): void {
    const { conversations, isOnScreen } = this.#options;
    const before = this.#late;
    const quiet = conversations.list.filter(({ id }) => !this.#running.has(id));
    this.#late = new Map(
      quiet.flatMap(({ id }) => {
        const entry = conversations.get(id);
        return entry === undefined ? [] : [[id, lateTraceOf(entry.conversation.state)] as const];
      }),
    );
    for (const [id, now] of this.#late) if (isLateNews(before.get(id), now) && !isOnScreen(id)) this.#mark(id, true);
  }

  /** Also between two turns of a queue, and while the list is ahead of the conversation. */
  #runs({ id, activity }: ConversationListEntry): boolean {
    if (running.has(activity)) return true;
    const state = this.#options.conversations.get(id)?.conversation.state;
    if (state === undefined || activity === 'blocked') return false;
    const isWorking = state.sending !== undefined || (state.session !== undefined && state.session.turn.type !== 'idle');
    return isWorking || state.outbox.some(({ held }) => held === undefined);
  }

  #ended(entry: ConversationListEntry): void {
    const state = this.#options.conversations.get(entry.id)?.conversation.state;
    const ending = state && endingOf(state, entry.activity);
    if (ending === undefined) return;
    const isHidden = !this.#options.isOnScreen(entry.id);
    if (isHidden) this.#mark(entry.id, true);
    const notice = this.#options.notice();
    const isWanted = notice !== 'never' && (!this.#options.isFocused() || (notice === 'hidden' && isHidden));
    if (!isWanted) return;
    void showMessage('information', `${this.#whose(entry)} ${ending}`, 'Show').then((choice) => {
      if (choice !== undefined) this.#options.show(entry.id);
    });
  }

  #whose(entry: ConversationListEntry): string {
    return [entry.agent?.label, this.#options.nameOf(entry)].filter((name) => name !== undefined).join(' · ');
  }

  #mark(id: string, isUnread: boolean): void {
    const { conversations, report } = this.#options;
    void report(() => conversations.change({ type: 'mark_unread', id, isUnread }));
  }
}

const running: ReadonlySet<ConversationActivity> = new Set(['opening', 'busy', 'needs_input']);

/** @returns undefined if nothing ended, or if the user ended it */
function endingOf({ session }: ConversationState, activity: ConversationActivity): Ending | undefined {
  if (activity === 'blocked') return 'has failed';
  const end = session?.turn.type === 'idle' ? session.items.findLast((item) => item.kind === 'turn_end') : undefined;
  if (end?.kind !== 'turn_end') return undefined;
  const { outcome } = end;
  if (outcome.type === 'failed') return 'has failed';
  if (outcome.type === 'interrupted' || activity === 'interrupted') return 'was interrupted';
  return outcome.stopReason === 'cancelled' ? undefined : 'is done';
}
