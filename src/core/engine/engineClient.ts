import { randomUUID } from 'node:crypto';
import { type Disposable, DisposableStore } from '../base/disposable.js';
import { HostError, toHostError } from '../base/errors.js';
import { Emitter } from '../base/event.js';
import { type Logger, nullLogger } from '../base/logger.js';
import type { CommandResult, ConversationCommand } from '../conversation/commands.js';
import { type ConversationListCommand, type ConversationListEvent, reduceList } from '../conversation/conversationList.js';
import { type ConversationEvent, reduceConversation } from '../conversation/events.js';
import {
  type ConversationClient,
  type ConversationListClient,
  parseConversation,
  parseReplicated,
  RemoteReplica,
  type Replica,
} from './replica.js';
import { emptyConversation, type SessionKey } from '../conversation/state.js';
import type { Wire } from '../link/wire.js';
import { identifyProcess, signalAll } from '../node/processTree.js';
import {
  type Attaching,
  conversationChannel,
  type EngineCalls,
  type EngineFacts,
  type EngineFactsEvent,
  type EngineNotice,
  type EngineSummary,
  factsChannel,
  type FrontEndCalls,
  listChannel,
  logChannel,
  noFacts,
  noticeChannel,
  parseLogLine,
  parseNotice,
  parseTraffic,
  reduceFacts,
  trafficChannel,
} from './contract.js';

/** What a front end does for the engine. */
export type FrontEndServices = {
  readonly [M in keyof FrontEndCalls]?: (params: FrontEndCalls[M]['params']) => Promise<FrontEndCalls[M]['result']>;
};

export interface EngineClientOptions {
  /** Connects to the engine, which it starts if there is none. @throws HostError why that is not possible */
  readonly connect: () => Promise<Wire>;
  readonly attaching: Omit<Attaching, 'id'>;
  readonly services: FrontEndServices;
  readonly log?: Logger;
  /** How long a call may take before the engine is asked whether it is still there, and how long that may take. */
  readonly patienceMs?: number;
}

/** `hanging`: it does not answer, until it does. `lost`: with the reason, until `connected` is called, or until the next attempt by itself. */
export type EngineConnection =
  | { readonly state: 'connecting' }
  | { readonly state: 'connected' | 'hanging'; readonly engine: EngineSummary }
  | { readonly state: 'lost'; readonly error: HostError };

export interface OpenConversationOptions {
  /** Absolute. */
  readonly cwd: string;
  /** A new conversation if absent. */
  readonly id?: string | undefined;
  /** The user's choice if absent. */
  readonly agentId?: string | undefined;
  /** The agent's session with which a new conversation begins. */
  readonly session?: SessionKey | undefined;
}

interface Shown extends OpenConversationOptions {
  readonly id: string;
  readonly replica: ConversationReplica;
}

type ConversationReplica = RemoteReplica<ConversationClient['state'], ConversationEvent, ConversationCommand>;

const defaultPatienceMs = 5_000;
/** How long an engine that is ending may take. */
const endingMs = 20_000;
const retryMs = 100;
/** Attempts to reach a lost engine, with pauses in between. */
const pausesMs = [0, 100, 500, 1_000, 2_000, 5_000];

/** Returns the process of the engine that does not answer, if that is what the error says. */
export function hangingEngine({ code, params: { pid } }: HostError): number | undefined {
  return code === 'engine_hangs' && typeof pid === 'number' ? pid : undefined;
}

/** Ends an engine that does not answer. Turns that run are interrupted. */
export async function killEngine(pid: number): Promise<void> {
  const found = await identifyProcess(pid);
  if (found !== undefined) await signalAll([found], 'SIGKILL');
}

/**
 * An engine as a front end sees it. Conversations and lists keep their last state while the engine cannot be reached, and continue when it is
 * back: the one that was lost, or the next one.
 */
export class EngineClient implements Disposable {
  /** Stands in what is answered here. */
  readonly id = randomUUID();
  readonly #options: EngineClientOptions;
  readonly #owned = new DisposableStore();
  readonly #onConnection = this.#owned.add(new Emitter<EngineConnection>());
  readonly #onNotice = this.#owned.add(new Emitter<EngineNotice>());
  readonly #onTraffic = this.#owned.add(new Emitter<number>());
  readonly #onClosed = this.#owned.add(new Emitter<string>());
  readonly #list: RemoteReplica<ConversationListClient['state'], ConversationListEvent, ConversationListCommand>;
  readonly #facts: RemoteReplica<EngineFacts, EngineFactsEvent, never>;
  /** By their channels. */
  readonly #shown = new Map<string, Shown>();
  #seen: readonly string[] | undefined;
  #connection: EngineConnection = { state: 'connecting' };
  #wire: Wire | undefined;
  #connecting: Promise<Wire> | undefined;
  /** The kinds of channels on which something could not be read. */
  readonly #unread = new Set<string>();
  #isProbing = false;
  #isDisposed = false;

  constructor(options: EngineClientOptions) {
    this.#options = options;
    const resync = (channel: string) => (): void => void this.call('resync', { channel }).catch(() => {});
    this.#list = new RemoteReplica({
      initial: { revision: 0, conversations: [] },
      reduce: reduceList,
      execute: (command) => this.#result(this.call('execute_list', { command })),
      resync: resync(listChannel),
    });
    this.#facts = new RemoteReplica<EngineFacts, EngineFactsEvent, never>({
      initial: noFacts,
      reduce: reduceFacts,
      execute: () => Promise.resolve({ ok: true }),
      resync: resync(factsChannel),
    });
    this.#facts.onChange(({ events }) => {
      if (events === undefined || events.some(({ type }) => type === 'processes')) this.#announceTraffic();
    });
  }

  readonly onConnection = this.#onConnection.event;
  readonly onNotice = this.#onNotice.event;
  /** Fires with the id of a process that may have more traffic to read: a new one, or one of which everything had been read. */
  readonly onTraffic = this.#onTraffic.event;
  /** The engine has closed a conversation that was open here, for example because it was deleted elsewhere. */
  readonly onClosed = this.#onClosed.event;

  get connection(): EngineConnection {
    return this.#connection;
  }

  get list(): ConversationListClient {
    return this.#list;
  }

  get facts(): Pick<Replica<EngineFacts, EngineFactsEvent, never>, 'state' | 'onChange'> {
    return this.#facts;
  }

  /** Reaches the engine, if it is not reached. Resolves when the list and the facts are known. @throws HostError why that is not possible */
  async connected(): Promise<void> {
    await this.#reach();
  }

  /** Opens a conversation, or returns the open one. Its state arrives a moment later. Starts nothing. */
  open({ id = randomUUID(), ...options }: OpenConversationOptions): ConversationClient {
    const channel = conversationChannel(id);
    const known = this.#shown.get(channel);
    if (known !== undefined) return known.replica;
    const replica = new RemoteReplica<ConversationClient['state'], ConversationEvent, ConversationCommand>({
      initial: emptyConversation(id, options.cwd),
      reduce: reduceConversation,
      execute: (command) => this.#result(this.call('execute', { id, command })),
      resync: () => void this.call('resync', { channel }).catch(() => {}),
    });
    const shown = { ...options, id, replica };
    this.#shown.set(channel, shown);
    if (this.#wire !== undefined) void this.#openIn(this.#wire, shown);
    else void this.#reach().catch(() => {});
    return replica;
  }

  /** Call this when the user sees other conversations of those that are open here. What ends out of sight is unread. */
  see(ids: readonly string[]): void {
    this.#seen = ids;
    if (this.#wire !== undefined) this.#tellSeen(this.#wire);
  }

  /** The conversation is no longer shown here. It goes on if something runs in it. */
  async release(id: string): Promise<void> {
    if (!this.#forget(id)) return;
    await this.#wire?.call('release', { id }).catch(() => {});
  }

  /** Ends the conversation gracefully, unless another front end shows it. */
  async end(id: string): Promise<void> {
    if (!this.#shown.has(conversationChannel(id))) return;
    await this.#wire?.call('end', { id }).catch(() => {});
    this.#forget(id);
  }

  /** @throws HostError of the engine, or why it cannot be reached */
  async call<M extends keyof EngineCalls>(method: M, params: EngineCalls[M]['params']): Promise<EngineCalls[M]['result']> {
    const wire = this.#wire ?? (await this.#reach());
    // What it is asked may take any time, for example until an agent has started.
    const probing = setTimeout(() => void this.#probe(wire), this.#patienceMs);
    try {
      return (await wire.call(method, params)) as EngineCalls[M]['result'];
    } finally {
      clearTimeout(probing);
    }
  }

  /**
   * Starts another engine in place of this one, which ends in order, or is killed if it does not answer. Turns that run are interrupted.
   * @throws HostError `usage` if it runs in a window, which it would take along; why no other one can be started
   */
  async restart(): Promise<void> {
    const { connection } = this;
    const engine = 'engine' in connection ? connection.engine : undefined;
    if (engine?.location === 'window') throw new HostError('usage', { reason: 'engine_in_window' });
    const hangs = connection.state === 'lost' ? hangingEngine(connection.error) : undefined;
    const stuck = connection.state === 'hanging' ? engine?.pid : hangs;
    if (stuck !== undefined) await killEngine(stuck);
    else await this.stop();
    await this.#reach();
  }

  /** Ends the engine in order. Resolves when it has ended, or is not reached anyway. */
  async stop(): Promise<void> {
    const wire = this.#wire;
    if (wire === undefined) return;
    const closed = new Promise<void>((resolve) => wire.onClosed(() => resolve()));
    try {
      await wire.call('stop_engine', {});
    } catch (error) {
      // It may be gone before its answer arrives.
      if (toHostError(error).code !== 'engine_lost') throw error;
    }
    await closed;
  }

  /** Like `dispose`. Resolves when the engine has ended, if it does so because nobody uses it any more. */
  async leave(): Promise<void> {
    const wire = this.#wire;
    if (wire === undefined) return this.dispose();
    this.#isDisposed = true;
    const closed = new Promise<void>((resolve) => wire.onClosed(() => resolve()));
    const isLast = await wire.call('leave', {}).catch(() => false);
    if (isLast === true) await closed;
    this.#isDisposed = false;
    this.dispose();
  }

  /** Leaves the engine. Conversations in which something runs go on. */
  dispose(): void {
    if (this.#isDisposed) return;
    this.#isDisposed = true;
    for (const { replica } of this.#shown.values()) replica.dispose();
    this.#shown.clear();
    this.#wire?.dispose();
    this.#list.dispose();
    this.#facts.dispose();
    this.#owned.dispose();
  }

  #forget(id: string): boolean {
    const channel = conversationChannel(id);
    this.#shown.get(channel)?.replica.dispose();
    return this.#shown.delete(channel);
  }

  async #result(result: Promise<CommandResult>): Promise<CommandResult> {
    return result.catch((error: unknown) => ({ ok: false, error: toHostError(error).toData() }));
  }

  #reach(): Promise<Wire> {
    if (this.#isDisposed) return Promise.reject(new HostError('disposed', { reason: 'connection' }));
    if (this.#wire !== undefined) return Promise.resolve(this.#wire);
    return (this.#connecting ??= this.#connect().finally(() => (this.#connecting = undefined)));
  }

  get #patienceMs(): number {
    return this.#options.patienceMs ?? defaultPatienceMs;
  }

  /** Finds out whether the engine is still there. */
  async #probe(wire: Wire): Promise<void> {
    if (this.#isProbing || wire !== this.#wire || this.#connection.state !== 'connected') return;
    const { engine } = this.#connection;
    this.#isProbing = true;
    const noticing = setTimeout(() => this.#set({ state: 'hanging', engine }), this.#patienceMs);
    try {
      await wire.call('summary', {});
    } catch {
      return; // The wire is closed, which has its own end.
    } finally {
      clearTimeout(noticing);
      this.#isProbing = false;
    }
    if (wire === this.#wire && this.connection.state === 'hanging') this.#set({ state: 'connected', engine });
  }

  async #connect(): Promise<Wire> {
    this.#set({ state: 'connecting' });
    try {
      const { wire, engine } = await this.#attach();
      this.#wire = wire;
      for (const shown of this.#shown.values()) void this.#openIn(wire, shown);
      this.#tellSeen(wire);
      this.#set({ state: 'connected', engine });
      this.#announceTraffic();
      return wire;
    } catch (thrown) {
      const error = toHostError(thrown);
      this.#set({ state: 'lost', error });
      throw error;
    }
  }

  async #attach(): Promise<{ readonly wire: Wire; readonly engine: EngineSummary }> {
    const { connect, attaching, log = nullLogger } = this.#options;
    const until = Date.now() + endingMs;
    for (;;) {
      const wire = await connect();
      wire.serve((method, params) => this.#serve(method as keyof FrontEndCalls, params));
      wire.onTold(({ channel, message }) => this.#told(channel, message, log));
      wire.onClosed((error) => this.#onLost(wire, error));
      try {
        const engine = (await wire.call('attach', { ...attaching, id: this.id })) as EngineSummary;
        if (!this.#isDisposed) return { wire, engine };
        wire.dispose();
      } catch (error) {
        wire.dispose();
        // It is ending, and the next one can be started when it is gone.
        if (toHostError(error).code !== 'engine_lost' || Date.now() > until) throw error;
        await new Promise((resolve) => setTimeout(resolve, retryMs));
      }
      if (this.#isDisposed) throw new HostError('disposed', { reason: 'connection' });
    }
  }

  /** The engine tells only of processes whose traffic this connection has read. */
  #announceTraffic(): void {
    // Before, ids may be those of the last engine.
    if (this.#connection.state !== 'connected') return;
    for (const { id } of this.#facts.state.processes) this.#onTraffic.fire(id);
  }

  async #openIn(wire: Wire, { id, cwd, agentId, session }: Shown): Promise<void> {
    await wire
      .call('open', { id, cwd, agentId, session })
      .catch((error: unknown) => this.#options.log?.warn('Could not open a conversation in the engine', error));
  }

  #tellSeen(wire: Wire): void {
    if (this.#seen === undefined) return;
    // An older engine does not know this call, and marks only what no window shows.
    wire
      .call('see', { ids: this.#seen })
      .catch((error: unknown) => this.#options.log?.warn('Could not tell the engine what the user sees', error));
  }

  #serve<M extends keyof FrontEndCalls>(method: M, params: unknown): Promise<unknown> {
    const service = this.#options.services[method];
    return service === undefined
      ? Promise.reject(new HostError('unsupported', { detail: String(method) }))
      : service(params as FrontEndCalls[M]['params']);
  }

  #told(channel: string, message: unknown, log: Logger): void {
    if (this.#receive(channel, message, log)) return;
    const [kind = ''] = channel.split(' ');
    if (this.#unread.has(kind)) return;
    this.#unread.add(kind);
    log.warn(`The engine told something on the channel “${kind}” that this version cannot read`);
  }

  /** @returns false if it cannot be read */
  #receive(channel: string, message: unknown, log: Logger): boolean {
    switch (channel) {
      case listChannel:
        return this.#list.take(parseReplicated(message), message);
      case factsChannel:
        return this.#facts.take(parseReplicated(message), message);
      case noticeChannel:
        return use(parseNotice(message), (notice) => this.#onNotice.fire(notice));
      case trafficChannel:
        return use(parseTraffic(message), ({ process }) => this.#onTraffic.fire(process));
      case logChannel:
        return use(parseLogLine(message), ({ level, text }) => log[level](text));
      default:
        return this.#receiveConversation(channel, message);
    }
  }

  #receiveConversation(channel: string, message: unknown): boolean {
    const shown = this.#shown.get(channel);
    if (shown === undefined) return true;
    const told = parseConversation(message);
    if (told?.type !== 'closed') return shown.replica.take(told, message);
    this.#forget(shown.id);
    this.#onClosed.fire(shown.id);
    return true;
  }

  #onLost(wire: Wire, error: HostError): void {
    if (this.#wire !== wire || this.#isDisposed) return;
    this.#wire = undefined;
    this.#set({ state: 'lost', error });
    void this.#reconnect();
  }

  async #reconnect(): Promise<void> {
    for (const pauseMs of pausesMs) {
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
      if (this.#isDisposed || this.#wire !== undefined) return;
      try {
        await this.#reach();
        return;
      } catch (error) {
        this.#options.log?.warn('Could not reach the engine', error);
      }
    }
  }

  #set(connection: EngineConnection): void {
    this.#connection = connection;
    this.#onConnection.fire(connection);
  }
}

function use<T>(told: T | undefined, by: (told: T) => void): boolean {
  if (told !== undefined) by(told);
  return told !== undefined;
}
