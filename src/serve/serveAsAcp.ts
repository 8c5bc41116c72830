/** Makes any backend available as an ACP agent: the other side of the protocol that `backends/acp` implements. */
import { setTimeout } from 'node:timers/promises';
import {
  agent,
  type AgentConnection,
  type JsonRpcId,
  MessageTooLargeError,
  methods,
  type NewSessionRequest,
  type NewSessionResponse,
  RequestError,
  type SessionInfo,
  type Stream,
} from '@agentclientprotocol/sdk';
import {
  type AcpOffer,
  type AgentBackend,
  type BackendSession,
  type CallAsker,
  CallRequests,
  createFileAccess,
  deliveryOffer,
  forkedAfter,
  HostError,
  type HostServices,
  isVendorMethod,
  type Logger,
  MODE_OPTION_ID,
  type OpenRequest,
  type ResumeMethod,
  type SavedSession,
  type SavedSessions,
  systemClock,
  toHostError,
  UserRequestRegistry,
} from '../core/index.js';
import { clientStream } from './clientStream.js';
import { Dialogs } from './dialogs.js';
import { offerFor, toInitializeResponse, valueFor } from './offers.js';
import { OpenSessions, ServedSession, stopMs } from './servedSession.js';
import { absolute, answeringErrors, type Declared, newerCapabilities, parseFork, sessionIdIn, toMcpServer } from './wire.js';
import { askAgent, VendorMessagesToClient } from './vendorMessages.js';

interface ServeOptions {
  /** Connects to the served agent. Called once, at the start. */
  readonly connect: (services: HostServices) => Promise<AgentBackend>;
  readonly stream: Stream;
  /** Resolves when the client has closed its output but may still read. If absent, only the end of the stream shows that. */
  readonly inputEnded?: Promise<void>;
  /** The name of the served agent for users, until it reports its own. */
  readonly label: string;
  /** Absolute: the folder in which the agent starts. */
  readonly cwd: string;
  /** The version of this program. */
  readonly version: string;
  readonly log: Logger;
  /** Returns the arguments with which the client can run this program in a terminal to sign in. Absent if it cannot. */
  readonly signInArguments?: (methodId: string) => readonly string[];
}

export interface Serving {
  /**
   * Resolves when nothing of the agent is running and every request of the client was answered, as far as the connection accepts the
   * answer.
   */
  readonly ended: Promise<ServeEnd>;
  /** Ends the agent. */
  stop(o?: { readonly force?: boolean }): void;
}

export function serveAsAcp(options: ServeOptions): Serving {
  const server = new Server(options);
  return { ended: server.ended, stop: (o) => server.stop(o) };
}

/** A string to the SDK, whose types lack the newest updates. */
const sessionUpdate: string = methods.client.session.update;

/** How long an agent may take to answer what was asked before the client closed stdin. */
const lastAnswersMs = 10_000;

class Server {
  readonly ended: Promise<ServeEnd>;
  readonly #options: ServeOptions;
  readonly #registry: UserRequestRegistry;
  readonly #dialogs: Dialogs;
  readonly #connection: AgentConnection;
  readonly #backend: Promise<AgentBackend>;
  readonly #sessions = new OpenSessions();
  readonly #toClient: VendorMessagesToClient;
  /** Requests of the client that are being answered. */
  readonly #answering = new Set<Promise<unknown>>();
  /** The requests in `#answering` that have no deadline. */
  readonly #unlimited = new Set<Promise<unknown>>();
  readonly #calls = new CallRequests(() => this.#registry);
  readonly #firstAnswer: Promise<void>;
  #onAnswer = (): void => {};
  /** Of the last `initialize` that arrived. */
  #newer = newerCapabilities(undefined);
  #capabilities: Declared = this.#newer;
  #label: string;

  constructor(options: ServeOptions) {
    this.#options = options;
    this.#firstAnswer = new Promise((resolve) => (this.#onAnswer = resolve));
    this.#label = options.label;
    this.#registry = new UserRequestRegistry(
      {
        opened: (request) => {
          const { at, sessionId } = request;
          if (!this.#calls.emit(sessionId, { type: 'request_opened', at, request }))
            this.#dialogs.open(request, this.#sessions.get(sessionId));
        },
        closed: (request, answer) => this.#dialogs.close(request, answer),
        refused: (_, refused) => options.log.warn('Ignored options of a request that have no unique id', { refused }),
      },
      systemClock,
    );
    this.#toClient = new VendorMessagesToClient(
      () => this.#connection.client,
      (params, send) => {
        const session = this.#sessions.get(sessionIdIn(params) ?? '');
        if (session === undefined) send();
        else session.whenKnown(send);
      },
      options.log,
    );
    this.#backend = options.connect({
      vendor: this.#toClient,
      requestUser: (request, signal) => this.#registry.requestUser(request, signal),
      filesIn: createFileAccess,
    });
    this.#connection = this.#app().connect(
      clientStream(options.stream, options.log, (params) => (this.#newer = newerCapabilities(params))),
    );
    this.#dialogs = new Dialogs({
      client: this.#connection.client,
      answer: (id, answer) => this.#registry.answer(id, answer),
      capabilities: () => this.#capabilities,
      log: options.log,
    });
    this.ended = this.#end();
  }

  stop(o: { readonly force?: boolean } = {}): void {
    void this.#backend.then((backend) => backend.close(o)).catch(() => this.#connection.close());
  }

  #app() {
    const { session } = methods.agent;
    type Call<P> = Readonly<{ params: P; signal: AbortSignal; requestId: JsonRpcId }>;
    type Handle<P, R> = (params: P, signal: AbortSignal, requestId: JsonRpcId) => Promise<R>;
    const answer = <P, R>(handle: Handle<P, R>, tracked = [this.#answering]) => {
      return ({ params, signal, requestId }: Call<P>): Promise<R> =>
        this.#tracked(
          answeringErrors(() => handle(params, signal, requestId), this.#label),
          tracked,
        );
    };
    const unlimited = [this.#answering, this.#unlimited];
    return agent({ name: 'acp-host' })
      .onRequest(
        session.prompt,
        answer((params, signal) => this.#session(params.sessionId).prompt(params, signal), unlimited),
      )
      .onNotification(session.cancel, sessionIdIn, ({ params }) => this.#cancel(params))
      .onRequest(
        methods.agent.initialize,
        answer(async ({ clientCapabilities }) => {
          this.#capabilities = { ...clientCapabilities, ...this.#newer };
          const { info, sessions } = await this.#backend;
          this.#label = info.title ?? info.name;
          // What follows may only reach the client after the response.
          setImmediate(() => this.#toClient.release());
          return toInitializeResponse({ ...this.#options, info, sessions, client: this.#capabilities });
        }),
      )
      .onRequest(
        methods.agent.authenticate,
        answer(async ({ methodId }, signal, requestId) => {
          const { authenticate } = await this.#backend;
          if (authenticate === undefined) throw new HostError('unsupported', { reason: 'sign_in' });
          await this.#calls.during(this.#askerFor(requestId), (requestUser) => authenticate(methodId, { signal, requestUser }));
          return {};
        }, unlimited),
      )
      .onRequest(
        methods.agent.logout,
        answer(async () => {
          const { signOut } = await this.#backend;
          if (signOut === undefined) throw RequestError.methodNotFound(methods.agent.logout);
          await signOut();
          return {};
        }),
      )
      .onRequest(
        session.new,
        answer((params, _, requestId) => this.#begin({ method: 'new', ...toSetup(params) }, requestId)),
      )
      .onRequest(
        session.load,
        answer((params, _, requestId) => this.#resume('load', params, requestId)),
      )
      .onRequest(
        session.resume,
        answer((params, _, requestId) => this.#resume('resume', { ...params, mcpServers: params.mcpServers ?? [] }, requestId)),
      )
      .onRequest(
        'session/fork',
        parseFork,
        answer(({ sessionId, ...params }, _, requestId) =>
          this.#begin({ method: 'fork', ...toSetup(params), sessionId, messageId: forkedAfter(params._meta) }, requestId),
        ),
      )
      .onRequest('*', ({ method, params, signal, requestId }) =>
        answer((given, until) => this.#askAgent(method, given, until), unlimited)({ params, signal, requestId }),
      )
      .onNotification('*', async ({ method, params }) => {
        if (isVendorMethod(method)) (await this.#backend.catch(() => undefined))?.vendor?.notify(method, params);
        else this.#options.log.debug(`Ignored a notification of the client: ${method}`);
      })
      .onRequest(
        session.close,
        answer(async ({ sessionId }) => {
          this.#session(sessionId);
          await this.#sessions.close(sessionId);
          return {};
        }),
      )
      .onRequest(
        session.list,
        answer(async ({ cwd }) => {
          const saved = savedIn(await this.#backend, session.list);
          return { sessions: (await saved.list(cwd == null ? {} : { cwd })).sessions.map(toSessionInfo) };
        }),
      )
      .onRequest(
        session.delete,
        answer(async ({ sessionId }) => {
          const saved = savedIn(await this.#backend, session.delete);
          if (saved.remove === undefined) throw RequestError.methodNotFound(session.delete);
          // An agent with the session open would save it again.
          await this.#sessions.close(sessionId);
          await saved.remove(sessionId);
          return {};
        }),
      )
      .onRequest(
        session.setMode,
        answer(async ({ sessionId, modeId }) => {
          await this.#session(sessionId).setOption(MODE_OPTION_ID, modeId);
          return {};
        }),
      )
      .onRequest(
        session.setConfigOption,
        answer(async ({ sessionId, configId, value }) => {
          const served = this.#session(sessionId);
          await served.setOption(configId, valueFor(served.options, configId, value));
          return { configOptions: [...offerFor(served.options, this.#capabilities).configOptions] };
        }),
      );
  }

  #cancel(sessionId: string | undefined): void {
    if (sessionId === undefined) return this.#options.log.warn('The client sent session/cancel without the ID of a session');
    const session = this.#sessions.get(sessionId);
    if (session !== undefined) session.cancel();
    else for (const one of this.#sessions.all) one.stopSubagent(sessionId);
  }

  #session(sessionId: string): ServedSession {
    const session = this.#sessions.get(sessionId);
    if (session === undefined) throw RequestError.sessionNotFound(sessionId);
    return session;
  }

  async #begin(request: OpenRequest, requestId: JsonRpcId): Promise<NewSessionResponse> {
    const session = this.#create(true);
    const opened = await this.#open(request, session, requestId);
    await opened.replayed;
    // The client may only know the session after the response.
    setImmediate(() => session.release());
    return { sessionId: opened.id, ...this.#offer(session) };
  }

  async #resume(method: ResumeMethod, { sessionId, ...params }: Reopening, requestId: JsonRpcId) {
    const { sessions } = await this.#backend;
    // An open session would be closed first, for nothing.
    if (!sessions.resumeMethods.includes(method)) throw new HostError('unsupported', { reason: 'resume', method });
    const request = { method, sessionId, knownOptions: [], ...toSetup(params) } as const;
    return this.#sessions.reopen(sessionId, async () => {
      const session = this.#create(false);
      const opened = await this.#open(request, session, requestId);
      await opened.replayed;
      return this.#offer(session);
    });
  }

  async #open(request: OpenRequest, session: ServedSession, requestId: JsonRpcId): Promise<BackendSession> {
    const { sessions } = await this.#backend;
    return this.#calls.during(this.#askerFor(requestId), (requestUser) => {
      session.requestUser = requestUser;
      return sessions.open(request, session);
    });
  }

  /** What the agent asks before it answers is asked because of the client's request. */
  #askerFor(requestId: JsonRpcId): CallAsker {
    return { onRequest: (event) => event.type === 'request_opened' && this.#dialogs.open(event.request, undefined, requestId) };
  }

  async #askAgent(method: string, params: unknown, signal: AbortSignal): Promise<unknown> {
    const { vendor } = await this.#backend;
    if (!isVendorMethod(method) || vendor === undefined) throw RequestError.methodNotFound(method);
    return askAgent(vendor, method, params, signal);
  }

  /** Also offers what the session supports beyond ACP, if there is anything. */
  #offer({ options, deliveries, meta }: ServedSession): AcpOffer & { readonly _meta?: Record<string, unknown> } {
    const added = { ...meta, ...(deliveries.length > 1 && deliveryOffer(deliveries)) };
    return { ...offerFor(options, this.#capabilities), ...(Object.keys(added).length > 0 && { _meta: added }) };
  }

  #create(isHeld: boolean): ServedSession {
    return new ServedSession({
      isHeld,
      label: () => this.#label,
      capabilities: () => this.#capabilities,
      began: (session) => this.#sessions.add(session),
      send: (sessionId, update) => {
        // A message that cannot be written ends the connection, which is noticed there.
        this.#connection.client.notify(sessionUpdate, { sessionId, update }).catch(() => {});
      },
      closeRequests: (sessionId) => this.#registry.cancelSession(sessionId, 'session_closed'),
      log: this.#options.log,
    });
  }

  #tracked<T>(answer: Promise<T>, places: readonly Set<Promise<unknown>>[]): Promise<T> {
    for (const place of places) place.add(answer);
    const forget = (): void => {
      for (const place of places) place.delete(answer);
      this.#onAnswer();
    };
    answer.then(forget, forget);
    return answer;
  }

  /**
   * An editor that is gone can't be told from a client that only closed stdin and waits for its answers, so the agent gets a few seconds
   * for them, once it has started.
   */
  async #answerTheRest(): Promise<void> {
    for (const session of this.#sessions.all) session.cancel();
    this.#registry.cancelAll('session_closed');
    await this.#backend.catch(() => {});
    await Promise.all([atMost(lastAnswersMs, this.#answerLimited()), atMost(stopMs, Promise.allSettled(this.#unlimited))]);
  }

  async #answerLimited(): Promise<void> {
    const limited = (): readonly Promise<unknown>[] => [...this.#answering].filter((answer) => !this.#unlimited.has(answer));
    while (limited().length > 0) await Promise.allSettled(limited());
  }

  async #end(): Promise<ServeEnd> {
    const lost = this.#backend.then(
      (backend) => new Promise<ServeEnd>((resolve) => backend.onClosed(({ error }) => resolve({ type: 'lost', error }))),
      (thrown: unknown): ServeEnd => ({ type: 'failed', error: toHostError(thrown) }),
    );
    const closed = this.#connection.closed.then((): ServeEnd => ({ type: 'left', ...unreadable(this.#connection.signal.reason) }));
    const left = Promise.race([closed, ...inputEnd(this.#options)]);
    const end = await Promise.race([lost, left]);
    if (end.type === 'left') await Promise.race([this.#answerTheRest(), this.#connection.closed, lost]);
    this.#registry.cancelAll(end.type === 'left' ? 'session_closed' : 'agent_gone');
    // A client that is about to initialize gets to know why there is no agent.
    if (end.type === 'failed') await Promise.race([left, this.#firstAnswer]);
    await this.#backend.then(
      (backend) => backend.close({ nothingRuns: end.type === 'left' }),
      () => {},
    );
    while (this.#answering.size > 0) await Promise.allSettled(this.#answering);
    this.#registry.dispose();
    return end;
  }
}

function atMost(ms: number, work: Promise<unknown>): Promise<unknown> {
  return Promise.race([work, setTimeout(ms, undefined, { ref: false })]);
}

function inputEnd({ inputEnded }: ServeOptions): readonly Promise<ServeEnd>[] {
  return inputEnded === undefined ? [] : [inputEnded.then((): ServeEnd => ({ type: 'left' }))];
}

type Reopening = NewSessionRequest & { readonly sessionId: string };

function toSetup({ cwd, mcpServers, _meta: meta }: NewSessionRequest) {
  return { cwd: absolute(cwd), mcpServers: mcpServers.map(toMcpServer), ...(meta != null && { meta }) };
}

// The saved sessions of the agent, in ACP's form.

/** @throws RequestError if the agent has no list */
function savedIn({ sessions: { saved } }: AgentBackend, method: string): SavedSessions {
  if (saved === undefined) throw RequestError.methodNotFound(method);
  return saved;
}

function toSessionInfo({ updatedAt, ...session }: SavedSession): SessionInfo {
  return { ...session, ...(updatedAt === undefined ? {} : { updatedAt: new Date(updatedAt).toISOString() }) };
}

/**
 * `left`: the client closed the connection, sends nothing more, or sent something that ends the connection, which is in `error`. `lost`:
 * the agent ended. `failed`: the agent did not start.
 */
export type ServeEnd =
  | { readonly type: 'left'; readonly error?: HostError }
  | { readonly type: 'lost'; readonly error: HostError }
  | { readonly type: 'failed'; readonly error: HostError };

/** @param reason why the SDK ended the connection */
function unreadable(reason: unknown): { readonly error?: HostError } {
  if (!(reason instanceof MessageTooLargeError)) return {};
  const params = { reason: 'message_too_large', limitBytes: reason.maxMessageBytes } as const;
  return { error: new HostError('agent_exited', params, { cause: reason }) };
}
