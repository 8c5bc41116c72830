/** One agent and one session in it, shown and answered as the command line says. `run` and `chat` decide what is said in it. */
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
  readConversation,
  Redactor,
  type Session,
  type SessionEvent,
  type SessionState,
  toHostError,
  type TurnOutcome,
} from '../../core/index.js';
import type { ConversationRequest, RecoveryChoice } from '../arguments/request.js';
import type { FrontEnd } from '../frontEnds/frontEnd.js';
import { answerAsks } from '../input/answering.js';
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
  readonly #place: ConversationTarget;
  readonly #frontEnd: FrontEnd;
  readonly #owned = new DisposableStore();
  readonly #startAbort = new AbortController();
  readonly #journals: JournalStore;
  readonly #onEvent = new Emitter<SessionEvent>();
  #session: Session | undefined;
  /** Sessions that are shown. */
  readonly #shown = new Set<Session>();
  /** What was said in an earlier session; goes to the agent with the next prompt. */
  #context: ContentBlock | undefined;

  constructor(request: ConversationRequest, place: ConversationTarget, frontEnd: FrontEnd, io: Io) {
    this.#request = request;
    this.#place = place;
    this.#frontEnd = frontEnd;
    const { output } = frontEnd;
    const redactor = new Redactor();
    this.#journals = openJournals(stateFolder(request.state, io), redactor, {
      onError: (error) => output.error(error.toData()),
      onRemoved: (words) => output.note(words),
    });
    this.host = createAgentHost({
      agent: place.agent.definition,
      cwd: place.cwd,
      terminalAuth: true,
      baseEnv: io.env,
      redactor,
      restart: {},
      askDeadlines: { permissionMs: request.askTimeoutMs, questionMs: request.askTimeoutMs },
      journals: this.#journals,
      clientInfo: clientInfo(),
    });
    this.#owned.add(this.host);
    this.#owned.add(frontEnd.answerer);
    this.#owned.add(this.host.onStatus((status) => output.status(status, this.host.info)));
  }

  /**
   * Starts the agent, and opens the session in its mode and model.
   * @returns what is in the way where the agent runs and does not take the session up @throws HostError what else is in the way
   */
  async open(): Promise<Blocker | undefined> {
    const { output } = this.#frontEnd;
    const { agent, sessionId } = this.#place;
    if (agent.isFallback) output.note('agentao was not found, so the demo agent answers. To install it: uv tool install agentao');
    await this.host.start(this.#startAbort.signal);
    // Before the first word of the session reaches us: an agent may speak before it is asked.
    this.#owned.add(this.host.onSession((session) => this.#opened(session)));
    try {
      await this.#enter(sessionId === undefined ? this.host.newSession() : this.host.loadSession(sessionId, await this.#kept()));
      return undefined;
    } catch (thrown) {
      const error = toHostError(thrown);
      if (sessionId === undefined || this.#session !== undefined || !isRefusal(error)) throw error;
      return { type: 'refused', error };
    }
  }

  /** Why the session cannot be prompted and is not going to come back by itself. */
  get blocker(): Blocker | undefined {
    return this.#session && toBlocker(this.#session);
  }

  /** What a new session could take over from the one that the agent does not take up. @throws HostError `storage_failed` */
  offer({ error }: Blocker): Promise<RecoveryOffer> {
    return offerRecovery(
      this.host,
      this.#journals,
      {
        sessionId: this.#session?.id ?? this.#place.sessionId ?? '',
        createdAt: this.#session === undefined ? this.#place.createdAt : undefined,
      },
      error,
    );
  }

  /** Goes on in a new session. @throws HostError as AgentHost.newSession */
  async recover(offer: RecoveryOffer, choice: RecoveryChoice): Promise<void> {
    await this.#enter(this.host.newSession({ continues: offer.sessionId }));
    this.#context = choice === 'context' ? offer.block : undefined;
    // Some agents count their sessions anew in each process.
    if (offer.sessionId !== this.#session?.id) await this.host.closeSession(offer.sessionId);
  }

  /** Starts a lost agent again and takes the session up. @throws HostError why not */
  async retry(): Promise<void> {
    const sessionId = this.#session?.id ?? this.#place.sessionId;
    if (sessionId !== undefined) await this.#enter(this.host.loadSession(sessionId));
  }

  /** One turn. Waits for a lost agent first: what was not sent yet is not sent twice. @throws HostError when it does not come back */
  async prompt(text: string): Promise<TurnOutcome> {
    const session = this.#current();
    await untilLive(session);
    const content: readonly ContentBlock[] = [...(this.#context === undefined ? [] : [this.#context]), { type: 'text', text }];
    this.#warn(content);
    const outcome = await session.prompt(content);
    // An agent that was lost may not have read it.
    if (outcome.type !== 'interrupted') this.#context = undefined;
    if (outcome.type === 'failed' && outcome.error.code === 'auth_required') this.#frontEnd.output.note(this.#signIn());
    return outcome;
  }

  /** Who is going to wait is told why before it begins. */
  #warn(content: readonly ContentBlock[]): void {
    const risk = checkPrompt(this.host.info ?? { name: this.host.agent.id }, content);
    if (risk === undefined) return;
    this.#frontEnd.output.note(
      `${this.host.agent.label} stands still over a run of ${risk.runChars} characters without a space: for seconds to minutes it neither answers nor stops. In a file, named in the prompt, the text does no harm`,
    );
  }

  /** Resolves when the lost session can be prompted again. @throws HostError why it cannot */
  untilLive(): Promise<void> {
    return untilLive(this.#current());
  }

  /** What happens in the open session, after it was shown. */
  readonly onEvent = this.#onEvent.event;

  /** The open session, once there is one. */
  get session(): Session | undefined {
    return this.#session;
  }

  /** Asks the agent to stop the turn. */
  cancel(): void {
    this.#session?.cancel();
  }

  /** Tells what is in the way, and what to do about it. */
  fail(error: HostError): void {
    const { output } = this.#frontEnd;
    const wantsSignIn = error.code === 'auth_required';
    const data = error.toData();
    const authMethods = this.host.info?.authMethods ?? [];
    output.error(wantsSignIn ? { ...data, data: { ...data.data, authMethods } } : data, wantsSignIn ? undefined : this.host.stderrTail());
    if (wantsSignIn) output.note(this.#signIn());
  }

  /** Ends the agent at once, also one that is still being started. */
  async kill(): Promise<void> {
    this.#startAbort.abort();
    await this.host.stop({ force: true });
  }

  dispose(): void {
    this.#owned.dispose();
  }

  /** At first, and again each time when the agent was lost and is back. */
  #opened(session: Session): void {
    const { output } = this.#frontEnd;
    if (this.host.info) output.opened(session, this.host.info);
    if (session.how === 'fresh') output.note('A new session goes on from here');
    this.#session = session;
    if (this.#shown.has(session)) return output.note(`${this.host.agent.label} is back, in the same session`);
    this.#shown.add(session);
    // What comes while the session is not live is the replay of what was shown already.
    this.#owned.add(session.onUpdate((update) => session.live && output.update(session, update)));
    this.#owned.add(
      session.onEvent((event) => {
        output.event(session, event);
        this.#onEvent.fire(event);
      }),
    );
    this.#owned.add(
      answerAsks(session, {
        policy: { permission: this.#request.permission, answer: this.#request.answer },
        answerer: this.#frontEnd.answerer,
        onUnusable: (ask) =>
          output.note(
            `--answer is none that the agent allows for "${ask.kind === 'question' ? ask.question : ask.subject.title}": cancelled`,
          ),
      }),
    );
  }

  async #enter(opening: Promise<Session>): Promise<void> {
    const session = await opening;
    if (this.#request.mode !== undefined) await selectMode(session, this.#request.mode);
    if (this.#request.model !== undefined) await selectModel(session, this.#request.model);
  }

  /** The very conversation that is continued; absent: the host finds the newest with that id. */
  async #kept(): Promise<SessionState | undefined> {
    const { agent, sessionId, createdAt } = this.#place;
    return sessionId === undefined || createdAt === undefined
      ? undefined
      : readConversation(this.#journals, agent.definition.id, sessionId, { createdAt });
  }

  #current(): Session {
    if (this.#session === undefined) throw new HostError('internal', 'There is no session yet');
    return this.#session;
  }

  #signIn(): string {
    return signInAdvice(this.#place.agent.definition, this.host.info);
  }
}
