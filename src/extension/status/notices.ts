/**
 * What the user is told outside of the pages: requests that no page shows, or that others answered; turns that ended out of sight; and that
 * the engine is lost.
 */
import { basename } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { PromptView } from '../../contract/view.js';
import {
  type ConversationActivity,
  type ConversationEvent,
  type ConversationListEntry,
  type ConversationState,
  type Disposable,
  DisposableStore,
  Emitter,
  type EngineClient,
  type Logger,
  openRequests,
  toDisposable,
  type UserRequest,
  isInTurn,
  runsTurn,
} from '../../core/index.js';
import { answeredElsewhereText } from '../../text/requestText.js';
import { showBriefly, showMessage } from '../window/windowMessages.js';

export interface RequestNoticeOptions {
  /** Whether requests out of sight appear in a notification. */
  isWanted(): boolean;
  /** Whether a page shows the conversation of the request. */
  isOnScreen(promptId: string): boolean;
  /** Returns the request as it is now; undefined if it is no longer open. */
  find(promptId: string): PromptView | undefined;
  show(promptId: string): void;
  select(promptId: string, optionId: string): void;
}

const showLabel = 'Show';
const allowLabel = 'Allow Once';

/** @returns a function that notifies once about each request that no page shows; call it with all open requests, oldest first */
export function createRequestNotices(options: RequestNoticeOptions): (prompts: readonly PromptView[]) => void {
  let known: ReadonlySet<string> = new Set();
  const notify = async (prompt: PromptView): Promise<void> => {
    const { text, allows } = noticeOf(prompt);
    const choice = await showMessage('information', text, showLabel, ...(allows === undefined ? [] : [allowLabel]));
    if (choice === undefined) return;
    // Only what the user read is allowed; a request that changed since is shown instead.
    const isSame = isDeepStrictEqual(noticeOf(options.find(prompt.id)), { text, allows });
    if (choice === allowLabel && allows !== undefined && isSame) options.select(prompt.id, allows);
    else options.show(prompt.id);
  };
  return (prompts) => {
    const added = prompts.filter(({ id }) => !known.has(id));
    known = new Set(prompts.map(({ id }) => id));
    if (options.isWanted()) for (const prompt of added) if (!options.isOnScreen(prompt.id)) void notify(prompt);
  };
}

interface RequestNotice {
  readonly text: string;
  /** The option that allows the request once; absent unless the text says everything about it. */
  readonly allows: string | undefined;
}

function noticeOf(prompt: PromptView | undefined): RequestNotice {
  if (prompt === undefined) return { text: '', allows: undefined };
  const whose = [prompt.agent, prompt.conversation].filter((name) => name !== undefined).join(' · ');
  const all = smallRequest(prompt);
  const text = [`${whose}: ${prompt.title}`, ...(all === undefined ? [] : [all.text])].join(' ');
  return { text, allows: all?.allows };
}

/** The number of characters that a notification shows on two lines. */
const smallChars = 120;

/** @returns undefined for a request that a notification can't show completely, or that needs a second look */
function smallRequest(prompt: PromptView): { readonly text: string; readonly allows: string } | undefined {
  if (prompt.kind !== 'permission' || prompt.note !== undefined || prompt.toolTitle !== undefined) return undefined;
  if (prompt.risks.length > 0) return undefined;
  const [part, ...others] = prompt.parts;
  const allows = prompt.options.filter(({ icon }) => icon === 'allows');
  if (part?.type !== 'text' || !part.code || others.length > 0 || allows.length !== 1) return undefined;
  const more = prompt.details.map((detail) => detail.text).filter((detail) => !part.text.includes(detail));
  // The whole path of the folder says where it runs.
  const where = prompt.context.filter((fact) => !more.some((detail) => fact === `in ${basename(detail)}`));
  const text = [part.text, ...where, ...more].join(' · ');
  // A notification puts everything on one line.
  const isShort = text.length <= smallChars && /^[\x20-\x7e\xb7]+$/.test(text) && !text.includes('  ');
  return isShort && allows[0] !== undefined ? { text, allows: allows[0].optionId } : undefined;
}

interface Eventful {
  onEvents(
    listener: (change: { readonly state: ConversationState; readonly events: readonly ConversationEvent[] | undefined }) => void,
  ): Disposable;
}

/**
 * Says how requests were answered in other windows and in terminals: here, they just disappear.
 * @param frontEnd the ID of this window, which stands in what is answered here
 */
export function watchAnswers(conversations: Eventful, frontEnd: string): Disposable {
  const open = new Map<string, UserRequest>();
  return conversations.onEvents(({ state, events }) => {
    // A snapshot says what is open, and not what became of the others.
    if (events === undefined) for (const request of openRequests(state)) open.set(request.id, request);
    for (const told of events ?? []) {
      for (const event of told.type === 'session' ? told.events : told.type === 'asked' ? [told.event] : []) {
        if (event.type === 'request_opened') open.set(event.request.id, event.request);
        if (event.type !== 'request_closed') continue;
        const request = open.get(event.requestId);
        open.delete(event.requestId);
        if (request === undefined || event.by === undefined || event.by.id === frontEnd) continue;
        showBriefly(answeredElsewhereText(request, event.answer, event.by));
      }
    }
  });
}

// Notifies about turns that ended: out of sight, or while no window was open.

interface DoneTurnsOptions {
  readonly conversations: {
    readonly list: readonly ConversationListEntry[];
    /** Returns a conversation that is open here. */
    get(id: string): { readonly conversation: { readonly state: ConversationState } } | undefined;
    onListChange(listener: () => void): Disposable;
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
  /** Until when turns ended in these folders of which a window has told, in milliseconds since the epoch. Outlives the windows. */
  readonly told: { read(): number; write(until: number): void };
}

type Ending = 'is done' | 'has failed' | 'was interrupted';

export class DoneTurns implements Disposable {
  readonly #options: DoneTurnsOptions;
  readonly #watching: Disposable;
  /** The conversations in which something runs. */
  #running = new Set<string>();

  constructor(options: DoneTurnsOptions) {
    this.#options = options;
    this.#watching = options.conversations.onListChange(() => this.look());
    this.look();
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
    for (const entry of conversations.list) if (before.has(entry.id) && !this.#running.has(entry.id)) this.#ended(entry);
  }

  /** Also between two turns of a queue, and while the list is ahead of the conversation. */
  #runs(entry: ConversationListEntry): boolean {
    // Not `opening`: after a restart of the agent, all of its conversations are opened again.
    if (runsTurn(entry)) return true;
    const state = this.#options.conversations.get(entry.id)?.conversation.state;
    if (state === undefined || entry.activity === 'blocked') return false;
    const isWorking = state.sending !== undefined || isInTurn(state);
    return isWorking || state.outbox.some(({ held }) => held === undefined);
  }

  #ended(entry: ConversationListEntry): void {
    const state = this.#options.conversations.get(entry.id)?.conversation.state;
    const ending = state && endingOf(state, entry.activity);
    if (ending === undefined) return;
    // A window was open: the row and the status bar tell of it.
    const { told } = this.#options;
    told.write(Math.max(told.read(), entry.usedAt));
    const isHidden = !this.#options.isOnScreen(entry.id);
    const notice = this.#options.notice();
    const isWanted = notice !== 'never' && (!this.#options.isFocused() || (notice === 'hidden' && isHidden));
    if (!isWanted) return;
    void showMessage('information', `${this.#whose(entry)} ${ending}`, 'Show').then((choice) => {
      if (choice !== undefined) this.#options.show(entry.id);
    });
  }

  #whose(entry: ConversationListEntry): string {
    return [entry.agent?.label, `"${this.#options.nameOf(entry)}"`].filter((name) => name !== undefined).join(': ');
  }
}

/** @returns undefined if nothing ended, or if the user ended it */
function endingOf({ session }: ConversationState, activity: ConversationActivity): Ending | undefined {
  if (activity === 'blocked') return 'has failed';
  const end = session?.turn.type === 'idle' ? session.items.findLast((item) => item.kind === 'turn_end') : undefined;
  if (end === undefined) return undefined;
  const { outcome } = end;
  if (outcome.type === 'failed') return 'has failed';
  if (outcome.type === 'interrupted' || activity === 'interrupted') return 'was interrupted';
  return outcome.stopReason === 'cancelled' ? undefined : 'is done';
}

/** An engine that is replaced by a newer one is back sooner. */
const noticedAfterMs = 2_000;

/** Logs when the engine is lost and when it is back, and knows whether it has been away for so long that the user must be told. */
export class EngineLoss implements Disposable {
  readonly #owned = new DisposableStore();
  readonly #onChange = this.#owned.add(new Emitter<void>());
  #timer: NodeJS.Timeout | undefined;
  #isNoticed = false;

  constructor(engine: Pick<EngineClient, 'onConnection'>, log: Logger) {
    this.#owned.add(
      engine.onConnection((connection) => {
        if (connection.state === 'connected') {
          const { version, pid, location } = connection.engine;
          log.info(`Connected to the engine ${version}, ${location} ${pid}`);
          this.#end();
        } else if (connection.state === 'hanging') {
          log.warn(`The engine does not respond, ${connection.engine.location} ${connection.engine.pid}`);
          this.#set(true);
        } else if (connection.state === 'lost') {
          log.warn('The engine cannot be reached', connection.error);
          this.#timer ??= setTimeout(() => this.#set(true), noticedAfterMs);
        }
      }),
    );
    this.#owned.add(toDisposable(() => clearTimeout(this.#timer)));
  }

  readonly onChange = this.#onChange.event;

  get isNoticed(): boolean {
    return this.#isNoticed;
  }

  dispose(): void {
    this.#owned.dispose();
  }

  #end(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#set(false);
  }

  #set(isNoticed: boolean): void {
    if (this.#isNoticed === isNoticed) return;
    this.#isNoticed = isNoticed;
    this.#onChange.fire();
  }
}
