import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { ContentBlock, PromptRequest, PromptResponse, SessionUpdate } from '@agentclientprotocol/sdk';
import {
  AcpProjection,
  type AcpUpdate,
  type BackendSession,
  type Delivery,
  deliveryIn,
  deliveryMeta,
  HostError,
  type Logger,
  type Meta,
  promptIdIn,
  type QueuedPrompt,
  queueMeta,
  type RequestUser,
  type SessionEvent,
  type SessionOption,
  type SessionSink,
  SubagentTasks,
  toHostError,
  WholeCharacters,
} from '../core/index.js';
import { withCommandTexts } from '../text/commandText.js';
import { waitText } from '../text/hintText.js';
import { compactionText, hostNoticeText } from '../text/noticeText.js';
import { sentence } from '../text/sentence.js';
import { optionFor, optionsForm } from './offers.js';
import { ServedPlans } from './servedPlans.js';
import { type Declared, toContentBlock } from './wire.js';

interface ServedSessionParts {
  /** The client does not know the session yet, so everything about it waits for `release`. */
  readonly isHeld: boolean;
  readonly capabilities: () => Declared;
  /** Returns the agent's name for users. */
  readonly label: () => string;
  readonly began: (session: ServedSession) => void;
  /** @param sessionId that of a sub-agent is its id */
  readonly send: (sessionId: string, update: AcpUpdate) => void;
  /** Closes the requests of the session that the client has not answered. */
  readonly closeRequests: (sessionId: string) => void;
  readonly log: Logger;
}

/** How long an agent may take to stop a turn. */
export const stopMs = 5_000;

/** The number of notices that wait for the next answer; of more, the last ones. */
const unsaidLimit = 20;

/** One session of the agent, as the client sees it. */
export class ServedSession implements SessionSink {
  /** What the agent asks in order to open it. */
  requestUser?: RequestUser | undefined;
  readonly #parts: ServedSessionParts;
  #session: BackendSession | undefined;
  #projection = new AcpProjection();
  readonly #notices = new HostNotices();
  readonly #queue = new QueueUpdates();
  readonly #plans = new ServedPlans();
  /** The sub-agents that the client may stop. */
  readonly #stoppable = new Set<string>();
  readonly #tasks = new SubagentTasks();
  readonly #characters = new WholeCharacters();
  #held: (() => void)[] | undefined;
  /** What is part of the next answer. */
  #unsaid: (() => void)[] = [];
  #isInTurn = false;
  /** Settles when no turn is running, and never rejects. */
  #turn: Promise<unknown> | undefined;
  #isCancelling = false;
  /** How often the client has canceled everything. */
  #cancels = 0;

  constructor(parts: ServedSessionParts) {
    this.#parts = parts;
    this.#held = parts.isHeld ? [] : undefined;
  }

  get id(): string {
    return this.#opened.id;
  }

  get options(): readonly SessionOption[] {
    return this.#opened.options;
  }

  get deliveries(): readonly Delivery[] {
    return this.#opened.deliveries;
  }

  /** What the agent added to the answer that opened the session. */
  get meta(): Meta | undefined {
    return this.#opened.meta;
  }

  begin(session: BackendSession): void {
    this.#session = session;
    this.#projection = new AcpProjection(this.#known(session.options), optionsForm);
    this.#parts.began(this);
  }

  history(event: SessionEvent): void {
    this.#tellWhole(event, true);
  }

  event(event: SessionEvent): void {
    this.#tellWhole(event, false);
  }

  #tellWhole(event: SessionEvent, isPast: boolean): void {
    for (const one of this.#tasks.pass(event)) for (const whole of this.#characters.pass(one)) this.#tell(whole, isPast);
  }

  #tell(event: SessionEvent, isPast: boolean): void {
    // The agent's own kinds of updates, and invalid ones, are not ACP.
    if (event.type === 'extension') return;
    const client = this.#parts.capabilities();
    const subagentId = 'subagentId' in event ? event.subagentId : undefined;
    // What sub-agents say is no answer of the agent, so it needs a client that knows them; what they call was always shown.
    if (!client.subagents && (event.type === 'subagent' || (event.type !== 'tool' && subagentId !== undefined))) return;
    if (event.type === 'subagent' && event.patch.canStop === true) this.#stoppable.add(event.agentId);
    if (event.type === 'subagent' && event.patch.canStop === false) this.#stoppable.delete(event.agentId);
    const from = client.subagents ? subagentId : undefined;
    const known = event.type === 'options' ? { ...event, options: this.#known(event.options) } : withCommandTexts(withEnd(event));
    const ours = this.#notices.noticeOf(event, this.#parts.label()) ?? this.#queue.updateOf(event);
    const updates =
      ours === undefined ? this.#plans.told(known, client.namedPlans, from).flatMap((told) => this.#projection.project(told)) : [ours];
    for (const update of updates) {
      const sendable = updateFor(update, client);
      const send = (): void => sendable && this.#parts.send(from ?? this.id, sendable);
      if (sendable === undefined) this.#parts.log.debug(`Not sent, because the client does not support it: ${update.sessionUpdate}`);
      // In words, it is part of an answer, and there is none outside of a turn.
      else if (sendable !== update && !this.#isInTurn && !isPast) this.#unsaid = [...this.#unsaid, send].slice(-unsaidLimit);
      else this.whenKnown(send);
    }
  }

  /** Sends something about the session once the client knows it. */
  whenKnown(send: () => void): void {
    if (this.#held === undefined) send();
    else this.#held.push(send);
  }

  release(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const send of held) send();
  }

  /**
   * @param signal is aborted when the client cancels its request
   * @throws HostError like BackendSession.prompt
   */
  async prompt({ prompt, _meta }: PromptRequest, signal: AbortSignal): Promise<PromptResponse> {
    const delivery = deliveryIn(_meta);
    const meta = _meta ?? undefined;
    if (delivery !== 'turn') return this.#join(prompt, delivery, meta);
    const cancels = this.#cancels;
    // Some clients send the next prompt without waiting for the end of the turn that they have canceled.
    if (this.#isCancelling) await this.#turnStopped();
    if (this.#cancels > cancels || signal.aborted) return { stopReason: 'cancelled' };
    if (this.#turn !== undefined) throw new HostError('session_busy');
    this.release();
    const cancel = (): void => this.#cancelTurn();
    signal.addEventListener('abort', cancel, { once: true });
    this.#isInTurn = true;
    for (const send of this.#unsaid.splice(0)) send();
    try {
      const turn = this.#opened.prompt(randomUUID(), prompt.map(toContentBlock), 'turn', meta);
      this.#turn = turn.catch(() => {});
      const { meta: added, ...end } = await turn;
      return { ...end, ...(added !== undefined && { _meta: { ...added } }) };
    } catch (thrown) {
      // ACP: closing a session cancels its turn.
      if (toHostError(thrown).code !== 'disposed') throw thrown;
      return { stopReason: 'cancelled' };
    } finally {
      for (const rest of this.#characters.end()) this.#tell(rest, false);
      this.#turn = undefined;
      this.#isCancelling = false;
      this.#isInTurn = false;
      signal.removeEventListener('abort', cancel);
    }
  }

  /** Sends a prompt to a running turn; answers when the agent has accepted it. The answer to the turn itself does not change. */
  async #join(prompt: readonly ContentBlock[], delivery: Delivery, meta: Meta | undefined): Promise<PromptResponse> {
    if (this.#turn === undefined || !this.deliveries.includes(delivery))
      throw new HostError('unsupported', { reason: 'delivery', delivery });
    const { stopReason } = await this.#opened.prompt(promptIdIn(meta) ?? randomUUID(), prompt.map(toContentBlock), delivery, meta);
    return { stopReason, _meta: { ...deliveryMeta(delivery) } };
  }

  /** Also closes the requests to the user from the running turn. */
  cancel(): void {
    this.#cancels++;
    this.#cancelTurn();
  }

  #cancelTurn(): void {
    this.#isCancelling = this.#turn !== undefined;
    this.#opened.cancel();
  }

  /** Does nothing if the client knows no such sub-agent of the session, or may not stop it. */
  stopSubagent(id: string): void {
    if (this.#stoppable.has(id)) this.#opened.stopSubagent?.(id);
  }

  setOption(id: string, value: string | boolean): Promise<void> {
    return this.#opened.setOption(id, value);
  }

  /**
   * Cancels the turn, and waits for its end unless that comes with `close`. Closes all requests of the session to the user.
   * @throws HostError `request_timeout` if it does not end
   */
  async stop(): Promise<void> {
    this.cancel();
    this.#parts.closeRequests(this.id);
    if (this.#opened.close !== undefined) return;
    await this.#turnStopped();
    if (this.#turn !== undefined) throw new HostError('request_timeout', { method: 'session/cancel', timeoutMs: stopMs });
  }

  /** Waits for the end of a turn that was canceled, as long as an agent may take. */
  async #turnStopped(): Promise<void> {
    await Promise.race([this.#turn, setTimeout(stopMs, undefined, { ref: false })]);
  }

  /** Call this after `stop`. An agent that cannot close a session keeps it. @throws HostError as BackendSession.close */
  async close(): Promise<void> {
    await this.#opened.close?.();
  }

  /** Returns the options in a form that the client supports. */
  #known(options: readonly SessionOption[]): readonly SessionOption[] {
    return options.map((option) => optionFor(option, this.#parts.capabilities()));
  }

  get #opened(): BackendSession {
    if (this.#session === undefined) throw new HostError('internal', { reason: 'session_not_begun' });
    return this.#session;
  }
}

/** ACP has no status for a call whose end the agent did not report. A client would show it as running for ever. */
function withEnd(event: SessionEvent): SessionEvent {
  if (event.type !== 'tool' || event.patch.status !== 'unreported') return event;
  const { origin: _, ...rest } = event;
  return { ...rest, patch: { ...event.patch, status: 'failed' }, meta: { ...event.meta, 'acp-host': { status: 'unreported' } } };
}

/**
 * Reports the agent's own queue to clients that know this program's extension. ACP has no update for it, so it is in the `_meta` of an
 * update.
 */
class QueueUpdates {
  #queue: readonly QueuedPrompt[] = [];

  /** @returns undefined for an event that does not change the queue */
  updateOf(event: SessionEvent): SessionUpdate | undefined {
    if (event.type === 'queued') this.#queue = [...this.#queue, event.prompt];
    else if (event.type === 'unqueued') this.#queue = this.#queue.filter(({ id }) => id !== event.promptId);
    else return undefined;
    return { sessionUpdate: 'session_info_update', _meta: { ...queueMeta(this.#queue) } };
  }
}

/** Shows as notices what the host knows about an agent and ACP has no update for. */
class HostNotices {
  /** Reported once, although the event is repeated while the agent does not read. */
  #isStalled = false;

  /**
   * @param agent its name for users
   * @returns undefined for events that are not the host's own
   */
  noticeOf(event: SessionEvent, agent: string): (SessionUpdate & { readonly sessionUpdate: 'notice' }) | undefined {
    if (event.type === 'host_notice') return { sessionUpdate: 'notice', severity: event.severity, ...hostNoticeText(event, agent) };
    if (event.type !== 'wait') return undefined;
    const wasStalled = this.#isStalled;
    this.#isStalled = event.wait?.kind === 'not_reading';
    if (event.wait === null || (wasStalled && this.#isStalled)) return undefined;
    return { sessionUpdate: 'notice', severity: 'info', title: waitText(event.wait, agent, event.at) };
  }
}

type Kind = SessionUpdate['sessionUpdate'] | 'plan_update' | 'plan_removed' | 'subagent_update';

const always = (): boolean => true;
const forCompaction = ({ session }: Declared): boolean => session?.compaction != null;
const forNamedPlans = ({ namedPlans }: Declared): boolean => namedPlans;

/** Whether a client gets updates of this kind: some kinds must be declared by the client. */
const kinds: Readonly<Record<Kind, (client: Declared) => boolean>> = {
  user_message_chunk: always,
  agent_message_chunk: always,
  agent_thought_chunk: always,
  tool_call: always,
  tool_call_update: always,
  plan: always,
  available_commands_update: always,
  current_mode_update: always,
  config_option_update: always,
  session_info_update: always,
  usage_update: always,
  notice: ({ session }) => session?.notices != null,
  compaction_update: forCompaction,
  compaction_summary_chunk: forCompaction,
  plan_update: forNamedPlans,
  plan_removed: forNamedPlans,
  subagent_update: ({ subagents }) => subagents,
};

/** @returns text instead if this client does not support the kind; undefined for what is not ACP, or cannot be expressed as text */
function updateFor(update: AcpUpdate, client: Declared): AcpUpdate | undefined {
  if (!isOfKnownKind(update)) return undefined;
  return kinds[update.sessionUpdate](client) ? update : inWords(update);
}

/** @param update from AcpProjection, which converts everything to ACP except an agent's own extensions */
function isOfKnownKind(update: AcpUpdate): update is AcpUpdate & SessionUpdate {
  return Object.hasOwn(kinds, update.sessionUpdate);
}

/**
 * Converts what a client has no update for to a quotation in the answer. It is separate from the agent's own text, and users can't overlook
 * it.
 */
type Update<K> = Extract<SessionUpdate, { readonly sessionUpdate: K }>;
type Severity = Update<'notice'>['severity'];

const labels: Readonly<Record<string, string>> = { warning: '**Warning:** ', error: '**Error:** ' } satisfies Partial<
  Record<Severity, string>
>;

/**
 * @param update an update that this client does not support
 * @returns undefined if it contains nothing for users
 */
function inWords(update: AcpUpdate & SessionUpdate): SessionUpdate | undefined {
  const words = wordsOf(update);
  if (words === undefined) return undefined;
  const text = `\n\n${words.replaceAll(/^/gm, '> ')}\n\n`;
  // A separate message, for clients that distinguish messages.
  return { sessionUpdate: 'agent_message_chunk', messageId: `acp-host-${randomUUID()}`, content: { type: 'text', text } };
}

function wordsOf(update: SessionUpdate): string | undefined {
  switch (update.sessionUpdate) {
    case 'notice':
      return paragraphs(`${labels[update.severity] ?? ''}${update.title}`, update.description ?? '');
    case 'compaction_update':
      return paragraphs(sentence(compactionText(update.status)), update.error ?? '', ...(update.summary ?? []).map(textOf));
    default:
      return undefined;
  }
}

function paragraphs(...texts: readonly string[]): string {
  return texts.filter((text) => text.trim() !== '').join('\n\n');
}

function textOf(block: ContentBlock): string {
  return block.type === 'text' ? block.text : '';
}

/** The sessions that the client has open, each once. */
export class OpenSessions {
  readonly #open = new Map<string, ServedSession>();
  /** The last attempt to open each session again. */
  readonly #reopening = new Map<string, Promise<unknown>>();

  get(sessionId: string): ServedSession | undefined {
    return this.#open.get(sessionId);
  }

  get all(): Iterable<ServedSession> {
    return this.#open.values();
  }

  add(session: ServedSession): void {
    this.#open.set(session.id, session);
  }

  /** Does nothing if the session is not open. @throws HostError as ServedSession.stop, and then it stays open; as BackendSession.close */
  async close(sessionId: string): Promise<void> {
    const closing = this.#open.get(sessionId);
    if (closing === undefined) return;
    await closing.stop();
    if (this.#open.get(sessionId) !== closing) return;
    this.#open.delete(sessionId);
    await closing.close();
  }

  /**
   * Runs `open` when nothing of the session is open: closes it first, and waits for an earlier attempt. Otherwise the agent would work in
   * one session twice, and the client would reach only one of the two.
   * @throws whatever `open` does, and HostError as `close`
   */
  async reopen<T>(sessionId: string, open: () => Promise<T>): Promise<T> {
    const before = this.#reopening.get(sessionId);
    const reopening = this.#after(before, sessionId, open);
    this.#reopening.set(sessionId, reopening);
    try {
      return await reopening;
    } finally {
      if (this.#reopening.get(sessionId) === reopening) this.#reopening.delete(sessionId);
    }
  }

  async #after<T>(before: Promise<unknown> | undefined, sessionId: string, open: () => Promise<T>): Promise<T> {
    await before?.catch(() => {});
    await this.close(sessionId);
    try {
      return await open();
    } catch (error) {
      // It may have begun.
      this.#open.delete(sessionId);
      throw error;
    }
  }
}
