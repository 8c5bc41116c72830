/** One agent with one session, shown and answered as the options say. `run` and `chat` decide what is sent. */
import {
  type AgentHost,
  type ContentBlock,
  createAgentHost,
  type Disposable,
  DisposableStore,
  Emitter,
  HostError,
  type JournalStore,
  checkPrompt,
  fallbackAgent,
  readConversation,
  Redactor,
  requestTitle,
  type Session,
  type SessionEvent,
  type SessionState,
  suggestedAgent,
  toHostError,
  type TurnOutcome,
} from '../../core/index.js';
import type { ConversationRequest, RecoveryChoice } from '../arguments/request.js';
import type { FrontEnd } from '../frontEnds/frontEnd.js';
import { answerRequests } from '../input/answering.js';
import type { RecoveryOffer } from '../output/output.js';
import type { Io } from '../system/io.js';
import { openJournals } from '../system/journals.js';
import { clientInfo } from '../system/packageVersion.js';
import { stateFolder } from '../system/stateFolder.js';
import { isRefusal, offerRecovery, type Blocker, toBlocker, untilLive } from './recovery.js';
import { selectMode, selectModel } from './selectors.js';
import { signInAdvice } from './signIn.js';
import type { ConversationTarget } from './target.js';

export class Conversation implements Disposable {
  readonly host: AgentHost;
  readonly #request: ConversationRequest;
  readonly #target: ConversationTarget;
  readonly #frontEnd: FrontEnd;
  readonly #owned = new DisposableStore();
  readonly #startAbort = new AbortController();
  readonly #journals: JournalStore;
  readonly #onEvent = new Emitter<SessionEvent>();
  #session: Session | undefined;
  /** Sessions whose events are shown. */
  readonly #shown = new Set<Session>();
  /** The history of an earlier session, sent to the agent with the next prompt. */
  #context: ContentBlock | undefined;

  constructor(request: ConversationRequest, target: ConversationTarget, frontEnd: FrontEnd, io: Io) {
    this.#request = request;
    this.#target = target;
    this.#frontEnd = frontEnd;
    const { output } = frontEnd;
    const redactor = new Redactor();
    this.#journals = openJournals(stateFolder(request.state, io), redactor, {
      onError: (error) => output.error(error.toData()),
      onRemoved: (text) => output.note(text),
    });
    this.host = createAgentHost({
      agent: target.agent.definition,
      cwd: target.cwd,
      terminalAuth: true,
      baseEnv: io.env,
      redactor,
      restart: {},
      requestDeadlines: { permissionMs: request.askTimeoutMs, questionMs: request.askTimeoutMs },
      journals: this.#journals,
      clientInfo: clientInfo(),
    });
    this.#owned.add(this.host);
    this.#owned.add(frontEnd.answerer);
    this.#owned.add(this.host.onStatus((status) => output.status(status, this.host.info)));
  }

  /**
   * Starts the agent and opens the session with its mode and model.
   * @returns the blocker where the agent is running but can't resume the session @throws HostError any other error
   */
  async open(): Promise<Blocker | undefined> {
    const { output } = this.#frontEnd;
    const { agent, sessionId } = this.#target;
    if (agent.isFallback) {
      const { label, install } = suggestedAgent;
      output.note(`${label} was not found, so the ${fallbackAgent.commonName} answers. To install it: ${install.command}`);
    }
    await this.host.start(this.#startAbort.signal);
    // Before the first event of the session: an agent may send some before it responds.
    this.#owned.add(this.host.onSession((session) => this.#opened(session)));
    try {
      await this.#enter(sessionId === undefined ? this.host.newSession() : this.host.loadSession(sessionId, await this.#saved()));
      return undefined;
    } catch (thrown) {
      const error = toHostError(thrown);
      if (sessionId === undefined || this.#session !== undefined || !isRefusal(error)) throw error;
      return { type: 'refused', error };
    }
  }

  /** Why the session does not accept prompts and will not without help. */
  get blocker(): Blocker | undefined {
    return this.#session && toBlocker(this.#session);
  }

  /** Returns what a new session can receive of the one that the agent can't resume. @throws HostError `storage_failed` */
  offer({ error }: Blocker): Promise<RecoveryOffer> {
    return offerRecovery(
      this.host,
      this.#journals,
      {
        sessionId: this.#session?.id ?? this.#target.sessionId ?? '',
        createdAt: this.#session === undefined ? this.#target.createdAt : undefined,
      },
      error,
    );
  }

  /** Continues in a new session. @throws HostError as AgentHost.newSession */
  async recover(offer: RecoveryOffer, choice: RecoveryChoice): Promise<void> {
    await this.#enter(this.host.newSession({ continues: offer.sessionId }));
    this.#context = choice === 'context' ? offer.block : undefined;
    // Some agents reuse session IDs in each process.
    if (offer.sessionId !== this.#session?.id) await this.host.closeSession(offer.sessionId);
  }

  /** Restarts a lost agent and resumes the session. @throws HostError why it failed */
  async retry(): Promise<void> {
    const sessionId = this.#session?.id ?? this.#target.sessionId;
    if (sessionId !== undefined) await this.#enter(this.host.loadSession(sessionId));
  }

  /** Runs one turn. Waits for a lost agent first, because a prompt not yet sent cannot be sent twice. @throws HostError where the agent does not come back */
  async prompt(text: string): Promise<TurnOutcome> {
    const session = this.#current();
    await untilLive(session);
    const content: readonly ContentBlock[] = [...(this.#context === undefined ? [] : [this.#context]), { type: 'text', text }];
    this.#warn(content);
    const outcome = await session.prompt(content);
    // An agent that exited unexpectedly may not have read it.
    if (outcome.type !== 'interrupted') this.#context = undefined;
    if (outcome.type === 'failed' && outcome.error.code === 'auth_required') this.#frontEnd.output.note(this.#signIn());
    return outcome;
  }

  /** Explains a long wait before it begins. */
  #warn(content: readonly ContentBlock[]): void {
    const risk = checkPrompt(this.host.info ?? { name: this.host.agent.id }, content);
    if (risk === undefined) return;
    this.#frontEnd.output.note(
      `${this.host.agent.label} hangs on a run of ${risk.runChars} characters without a space: it does not respond for seconds to minutes. To avoid this, put the text in a file and name the file in the prompt`,
    );
  }

  /** Resolves once the lost session accepts prompts again. @throws HostError why it will not */
  untilLive(): Promise<void> {
    return untilLive(this.#current());
  }

  /** Events of the open session, fired after they were shown. */
  readonly onEvent = this.#onEvent.event;

  /** The open session, once there is one. */
  get session(): Session | undefined {
    return this.#session;
  }

  /** Asks the agent to stop the turn. */
  cancel(): void {
    this.#session?.cancel();
  }

  /** Reports an error and what to do about it. */
  fail(error: HostError): void {
    const { output } = this.#frontEnd;
    const wantsSignIn = error.code === 'auth_required';
    const data = error.toData();
    const authMethods = this.host.info?.authMethods ?? [];
    output.error(wantsSignIn ? { ...data, data: { ...data.data, authMethods } } : data, wantsSignIn ? undefined : this.host.stderrTail());
    if (wantsSignIn) output.note(this.#signIn());
  }

  /** Ends the agent at once, even while it is starting. */
  async kill(): Promise<void> {
    this.#startAbort.abort();
    await this.host.stop({ force: true });
  }

  dispose(): void {
    this.#owned.dispose();
  }

  /** Called first, and again each time a lost agent is back. */
  #opened(session: Session): void {
    const { output } = this.#frontEnd;
    if (this.host.info) output.opened(session, this.host.info);
    if (session.openedBy === 'replacement') output.note('The conversation continues in a new session');
    this.#session = session;
    if (this.#shown.has(session)) return output.note(`${this.host.agent.label} restarted and resumed the session`);
    this.#shown.add(session);
    this.#owned.add(
      session.onEvent((event) => {
        output.event(session, event);
        this.#onEvent.fire(event);
      }),
    );
    this.#owned.add(
      answerRequests(session, {
        policy: { permission: this.#request.permission, answer: this.#request.answer },
        answerer: this.#frontEnd.answerer,
        onUnusable: (request) => output.note(`--answer is not an option for "${requestTitle(request)}", so the request was canceled`),
      }),
    );
  }

  async #enter(opening: Promise<Session>): Promise<void> {
    const session = await opening;
    if (this.#request.mode !== undefined) await selectMode(session, this.#request.mode);
    if (this.#request.model !== undefined) await selectModel(session, this.#request.model);
  }

  /** The conversation to resume; undefined: the host finds the newest with that ID. */
  async #saved(): Promise<SessionState | undefined> {
    const { agent, sessionId, createdAt } = this.#target;
    return sessionId === undefined || createdAt === undefined
      ? undefined
      : readConversation(this.#journals, agent.definition.id, sessionId, { createdAt });
  }

  #current(): Session {
    if (this.#session === undefined) throw new HostError('internal', 'No session is open yet');
    return this.#session;
  }

  #signIn(): string {
    return signInAdvice(this.#target.agent.definition, this.host.info);
  }
}
