import { agentBackText, unansweredText } from '../../text/noticeText.js';
import type { Answering } from '../input/answering.js';
import { answeredElsewhereText } from '../../text/requestText.js';
import { promptLine } from '../../text/plainText.js';
import {
  type ChangeSet,
  type ConversationClient,
  type ConversationEvent,
  type ConversationState,
  lastTurnOf,
  lateWorkIn,
  type SessionEvent,
  type SessionState,
  type UserRequest,
} from '../../core/index.js';
import type { Output } from '../output/output.js';

/** Tells once what each turn changed in the folder, as soon as it has ended and that is known. */
class ChangeWatch {
  readonly #output: Pick<Output, 'changed' | 'unrecorded'>;
  /** The sessions of the turns that have ended, of which nothing was told yet, by the IDs of the turns. */
  readonly #ended = new Map<string, string>();
  #hasNews = false;
  #seen: Pick<ConversationState, 'changes' | 'changesFailure'> | undefined;
  #toldReasons = new Set<string | undefined>();

  constructor(output: Pick<Output, 'changed' | 'unrecorded'>) {
    this.#output = output;
  }

  /** Call this when the end of the turn was shown, before `update`. */
  ended(sessionId: string, turnId: string): void {
    this.#ended.set(turnId, sessionId);
    this.#hasNews = true;
  }

  update(state: ConversationState): void {
    const { changes, changesFailure } = state;
    const isSeen = changes === this.#seen?.changes && changesFailure === this.#seen.changesFailure;
    if (this.#ended.size === 0 || (isSeen && !this.#hasNews)) return;
    this.#seen = { changes, changesFailure };
    this.#hasNews = false;
    for (const set of changes) this.#tell(set);
    if (changesFailure === undefined || this.#toldReasons.has(changesFailure.params.reason)) return;
    this.#toldReasons.add(changesFailure.params.reason);
    this.#output.unrecorded(changesFailure);
  }

  #tell(set: ChangeSet): void {
    const sessionId = this.#ended.get(set.id);
    if (sessionId === undefined || set.kind === 'running') return;
    this.#ended.delete(set.id);
    this.#output.changed(sessionId, set);
  }
}

/** Short names for the agent's requests, in the order in which they are asked here: a program may answer `ask1` before it is asked. */
export class RequestNames {
  readonly #names = new Map<string, string>();
  readonly #ids = new Map<string, string>();

  /** Returns the event with the name of its request in place of the ID. */
  named(event: SessionEvent): SessionEvent {
    if (event.type === 'request_opened') return { ...event, request: { ...event.request, id: this.#nameOf(event.request.id) } };
    return event.type === 'request_closed' ? { ...event, requestId: this.#nameOf(event.requestId) } : event;
  }

  /** @returns the ID of a request; undefined for a name that no request has */
  idOf(name: string): string | undefined {
    return this.#ids.get(name);
  }

  #nameOf(id: string): string {
    const known = this.#names.get(id);
    if (known !== undefined) return known;
    const name = `ask${this.#names.size + 1}`;
    this.#names.set(id, name);
    this.#ids.set(name, id);
    return name;
  }
}

export type ConversationChange = Parameters<Parameters<ConversationClient['onChange']>[0]>[0];

/** Shows what happens in a conversation, in the order in which it happens, and passes the agent's requests on. */
export class Narrator {
  readonly #output: Output;
  readonly #answering: Answering;
  readonly #names: RequestNames;
  readonly #frontEnd: string;
  readonly #changes: ChangeWatch;
  readonly #startedAt = Date.now();
  readonly #requests = new Map<string, UserRequest>();
  /** Sessions that were open before. */
  readonly #known = new Set<string>();
  /** The open session; undefined while none accepts prompts. */
  #open: string | undefined;
  /** The agent is ready, but its session is not, and is reported first. */
  #isReadyHeld = false;
  /** The items of what still worked after the last turn. */
  #late = '';
  readonly #unanswered = new Set<string>();
  /** The agent repeats the history. */
  #isReplaying = false;
  /** It comes to a conversation of others, which is not known yet. */
  #isJoining: boolean;

  /** @param frontEnd its ID, which stands in what is answered here */
  constructor(output: Output, answering: Answering, names: RequestNames, frontEnd: string, isJoining: boolean) {
    this.#frontEnd = frontEnd;
    this.#isJoining = isJoining;
    this.#names = names;
    this.#output = output;
    this.#answering = answering;
    this.#changes = new ChangeWatch(output);
  }

  /** Whether a session has been open. */
  get wasOpen(): boolean {
    return this.#known.size > 0;
  }

  show({ state, events = [] }: ConversationChange): void {
    if (this.#isJoining) return this.#join(state);
    const open = state.live ? state.session?.id : undefined;
    const isOpened = open !== undefined && open !== this.#open;
    if (isOpened) this.#announce(open, state, events);
    this.#open = open;
    for (const event of events) {
      if (event.type === 'session_shown') this.#isReplaying = false;
      else if (event.type === 'session') for (const one of event.events) this.#tell(state, one);
      else if (event.type === 'asked') this.#tellIn('', event.event);
      else if (event.type === 'status') this.#showStatus(state);
    }
    this.#changes.update(state);
    if (isOpened) this.#releaseReady(state);
    this.#showLate(state);
    this.#showUnanswered(state);
  }

  /** Tells of messages that may or may not have reached the turn that is over. */
  #showUnanswered({ outbox, agent }: ConversationState): void {
    for (const { id, held, content } of outbox) {
      if (held !== 'unanswered' || this.#unanswered.has(id)) continue;
      this.#unanswered.add(id);
      this.#output.notice({
        severity: 'warning',
        code: 'message_unanswered',
        message: unansweredText(agent, promptLine(content, 100)),
      });
    }
  }

  #showLate(state: ConversationState): void {
    const { session } = state;
    if (session === undefined || session.turn.type !== 'idle') return;
    const works = lateWorkIn(state);
    const late = works.map(({ id }) => id).join('\n');
    if (late === this.#late) return;
    this.#late = late;
    this.#output.late(session.sessionId, works);
  }

  /** Tells the last turn from its beginning. */
  #join(state: ConversationState): void {
    const { session, isRestored, status, info } = state;
    if (!isRestored) return;
    this.#isJoining = false;
    this.#output.status(status, info);
    for (const request of state.requests) this.#tellIn('', { type: 'request_opened', at: request.at, request });
    if (session === undefined) return;
    this.#output.opened({ state: session, options: session.options, openedBy: 'attached' }, info);
    this.#open = state.live ? session.id : undefined;
    this.#known.add(session.id);
    for (const event of lastTurnOf(session)) this.#tell(state, event);
    this.#changes.update(state);
    this.#showLate(state);
  }

  /** Reports the session before anything that happened in it. */
  #announce(key: string, state: ConversationState, events: readonly ConversationEvent[]): void {
    const { session, info, openedBy, agent } = state;
    const begun = events.findLast((event) => event.type === 'session_shown');
    const options = (begun === undefined ? session : begun.session)?.options ?? [];
    if (session !== undefined && info !== undefined && openedBy !== undefined)
      this.#output.opened({ state: session, options, openedBy }, info);
    if (begun?.session !== undefined) this.#tellNoticesOf(begun.session);
    if (this.#known.has(key)) this.#output.note(agentBackText(agent));
    else if (openedBy === 'replacement') this.#output.note('The conversation continues in a new session');
    else if (openedBy === 'forked') this.#output.note('The conversation continues in a session that the agent forked');
    this.#known.add(key);
  }

  /** Shows notices of the host from opening the session. Earlier processes have shown their own. */
  #tellNoticesOf({ sessionId, items }: SessionState): void {
    for (const item of items) {
      if (item.kind !== 'notice' || !('code' in item) || item.at < this.#startedAt) continue;
      const { kind: _, id: _id, turnId: _turnId, ...notice } = item;
      this.#output.event(sessionId, { type: 'host_notice', ...notice }, false);
    }
  }

  #tell(state: ConversationState, told: SessionEvent): void {
    const { session } = state;
    if (session === undefined) return;
    if (told.type === 'turn_started') this.#releaseReady(state);
    if (told.type === 'opened') this.#isReplaying = true;
    this.#tellIn(session.sessionId, told);
  }

  /** @param sessionId empty for what the agent asks outside of its session */
  #tellIn(sessionId: string, told: SessionEvent): void {
    const event = this.#names.named(told);
    this.#output.event(sessionId, event, this.#isReplaying);
    if (event.type === 'turn_ended' && !this.#isReplaying) this.#changes.ended(sessionId, event.turnId);
    // The agent's own options arrive with its answer, after the history.
    if (event.type === 'options') this.#isReplaying = false;
    if (event.type === 'request_opened') {
      this.#requests.set(event.request.id, event.request);
      this.#answering.opened(event.request);
    }
    if (event.type === 'request_closed') this.#closed(event);
  }

  #closed({ requestId, answer, by }: Extract<SessionEvent, { type: 'request_closed' }>): void {
    const request = this.#requests.get(requestId);
    this.#requests.delete(requestId);
    this.#answering.closed(requestId, answer);
    if (request !== undefined && by !== undefined && by.id !== this.#frontEnd)
      this.#output.note(answeredElsewhereText(request, answer, by));
  }

  #showStatus(state: ConversationState): void {
    const { status, info, opening, live } = state;
    if (status.state === 'ready' && opening !== undefined && !live) {
      this.#isReadyHeld = true;
      return;
    }
    this.#releaseReady(state);
    this.#output.status(this.#withoutAnswered(status), info);
  }

  #releaseReady({ info }: ConversationState): void {
    if (this.#isReadyHeld) this.#output.status({ state: 'ready' }, info);
    this.#isReadyHeld = false;
  }

  /** Hides waiting for a request that the options answer. */
  #withoutAnswered(status: ConversationState['status']): ConversationState['status'] {
    if (status.state !== 'waiting') return status;
    const { since } = status;
    const requests = this.#answering.openCount;
    return requests === 0 ? { state: 'busy', since } : { state: 'waiting', since, requests };
  }
}
