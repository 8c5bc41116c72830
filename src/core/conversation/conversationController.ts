import { isDeepStrictEqual } from 'node:util';
import { type Disposable, DisposableStore } from '../base/disposable.js';
import { HostError, toHostError } from '../base/errors.js';
import type { Event } from '../base/event.js';
import type { ForkPoint } from '../host/api.js';
import type { RequestEvent } from '../session/event.js';
import type { ContentBlock } from '../session/model.js';
import { AgentHandle, SignInAttempt, statusFor } from './agentHandle.js';
import type { AgentPool } from './agentPool.js';
import type { CommandResult, ConversationCommand } from './commands.js';
import { Delivery } from './delivery.js';
import { emptyDraft } from './draft.js';
import { EarlierContext, withoutContext } from './context.js';
import { type ConversationView, isSpeech, type PublishedBatch, Publisher, withRequest } from './events.js';
import { type ConversationParts, executeCommand, restore, restorePlace, stopWaiting } from './executeCommand.js';
import type { ConversationPorts, ConversationRecord, ConversationSummary } from './ports.js';
import { OptionChanges } from './optionChanges.js';
import { Outbox } from './outbox.js';
import { Recovery } from './recovery.js';
import type { ConversationState, SessionKey } from './state.js';
import { summaryOf } from './conversationList.js';
import { Thread } from './thread.js';

export interface ControllerOptions {
  readonly id: string;
  /** Absolute. */
  readonly cwd: string;
  /** If absent, the agent that the user chose is used. */
  readonly agentId?: string | undefined;
  /** The agent's session with which it begins, if nothing of it is saved. */
  readonly session?: SessionKey | undefined;
  readonly ports: ConversationPorts;
  readonly pool: AgentPool;
  /** Resolves when the same conversation, which is being closed, has ended: its agent may still write. */
  readonly predecessor?: Promise<void> | undefined;
}

/**
 * One conversation: its agent, its session, and the prompts to send. Starts the agent only when it is needed,
 * resumes the session after a restart of the agent or the front end, and loses no prompt.
 */
export class ConversationController implements Disposable {
  readonly id: string;
  readonly onBatch: Event<PublishedBatch>;
  readonly #parts: ConversationParts;
  readonly #options: ControllerOptions;
  /** What outlives the engine, as it was saved last. */
  #saved: readonly [ConversationRecord, ConversationSummary | undefined] = [nothingSaved, undefined];
  readonly #publisher: Publisher;
  readonly #watching = new DisposableStore();
  #stderrBeforeTurn = '';
  #restoring: Promise<void> | undefined;
  #isRestored = false;
  #life: 'open' | 'ending' | 'disposed' = 'open';

  constructor(options: ControllerOptions) {
    this.id = options.id;
    this.#publisher = new Publisher(options.id, options.cwd);
    this.onBatch = this.#publisher.onBatch;
    this.#options = options;
    this.#parts = this.#assemble(options);
    const { changes } = options.ports;
    if (changes !== undefined) this.#watching.add(changes.onChange(() => this.#publish()));
  }

  /** The state after the last batch. */
  get state(): ConversationState {
    return this.#publisher.state;
  }

  /** Restores the state from before the front end was closed. Starts nothing. Concurrent calls share one promise. */
  restore(): Promise<void> {
    return (this.#restoring ??= this.#restore().finally(() => {
      this.#isRestored = true;
      this.#publish();
    }));
  }

  /** Whether it is at this session of the agent, or continued from it. */
  isAt(session: SessionKey): boolean {
    return this.#parts.thread.isAt(session);
  }

  /** The user's own content of a turn, in any of its sessions. */
  promptOf(turnId: string): readonly ContentBlock[] | undefined {
    const prompt = this.#parts.thread.promptOf(turnId);
    return prompt && withoutContext(prompt.content);
  }

  /** Where the agent may fork a session to continue from before this turn. */
  forkPointOf(turnId: string): ForkPoint | undefined {
    return this.#parts.thread.forkPointOf(turnId);
  }

  /** Tells the agent the user's name for its session, if it takes one. Here, that name counts in any case. */
  tellTitle(title: string): void {
    const { agent, thread, ports } = this.#parts;
    const { liveSession } = thread;
    if (liveSession === undefined) return;
    agent.host?.rename?.(liveSession.id, title).catch((error: unknown) => ports.log.warn('The agent did not rename its session', error));
  }

  /** Resolves when everything so far is saved, or can't be saved at the moment. */
  async flush(): Promise<void> {
    await this.#parts.thread.session?.flush();
  }

  /** The last line that the agent wrote to stderr since the turn began; empty if there is none. */
  stderrLine(): string {
    const line = this.#parts.agent.host?.stderrTail(1) ?? '';
    return line === this.#stderrBeforeTurn ? '' : line;
  }

  /** Never rejects. Immediate effects of the command are in batches that arrive before the result. */
  async execute(command: ConversationCommand): Promise<CommandResult> {
    try {
      await this.restore();
      this.#readAgain(command);
      await this.#restoring;
      // Nothing would save what the command changes, and nobody would release the conversation that it takes.
      if (this.#life === 'disposed') throw new HostError('disposed', { reason: 'conversation' });
      return await executeCommand(this.#parts, command);
    } catch (error) {
      return { ok: false, error: toHostError(error).toData() };
    } finally {
      this.#publish();
    }
  }

  /** Ends the conversation gracefully, so that the agent can save its state. */
  async end(): Promise<void> {
    if (this.#life === 'open') this.#life = 'ending';
    stopWaiting(this.#parts);
    // Commands may wait for it: what they send is saved for later.
    await this.#restoring?.catch(() => {});
    await this.#parts.agent.release();
    // What the agent had not taken is in the outbox again.
    this.#remember();
    this.dispose();
  }

  dispose(): void {
    if (this.#life === 'disposed') return;
    this.#life = 'disposed';
    stopWaiting(this.#parts);
    // If the agent ends with it, the session need not be closed first.
    this.#parts.agent.dispose();
    this.#parts.options.clear();
    this.#parts.thread.dispose();
    this.#watching.dispose();
    this.#publisher.dispose();
  }

  /** Reads what could not be read, before the conversation goes on without it. */
  #readAgain({ type }: ConversationCommand): void {
    const { unread, thread } = this.#parts;
    const goesOn = type === 'open' || type === 'retry' || type === 'send';
    if (goesOn && unread !== undefined && thread.state === undefined) this.#restoring = restorePlace(this.#parts, unread);
  }

  async #restore(): Promise<void> {
    await this.#options.predecessor;
    await restore(this.#parts, this.#options.session);
  }

  #assemble({ cwd, ports, pool, ...given }: ControllerOptions): ConversationParts {
    let wantedId = given.agentId;
    const onChange = (): void => this.#publish();
    const outbox = new Outbox(ports.clock);
    const thread = new Thread(
      (batch) => {
        if (batch.events.some(({ type }) => type === 'turn_started')) this.#stderrBeforeTurn = this.#parts.agent.host?.stderrTail(1) ?? '';
        const isShown = this.#publisher.addSessionBatch(batch);
        if (isShown && isSpeech(batch.state, batch.events)) return this.#publisher.publishSpeech();
        delivery.returnAgentQueue(thread.session);
        if (batch.events.some(({ type }) => type === 'turn_ended')) recovery.onTurnEnded();
        delivery.onSessionChanged(batch);
        this.#publish();
      },
      (beginning) => this.#publisher.addBeginning(beginning),
    );
    const agentId = (): string | undefined => thread.boundAgentId ?? wantedId;
    const onAgentChange = (): void => {
      delivery.returnAgentQueue(thread.session);
      this.#publish();
    };
    const onLetGo = (): void => {
      delivery.leaveAgentQueue(thread.session);
      thread.freeze();
    };
    // Another conversation may have restarted the agent, so nothing else sends what waits here.
    const onRetired = (): void => queueMicrotask(() => recovery.blocker === undefined && delivery.advance());
    const onRestarted = (): void => recovery.onRestarted();
    const agent = new AgentHandle({ ports, pool, cwd, onChange: onAgentChange, onRestarted, onLetGo, onRetired });
    const context = new EarlierContext(() => thread.earlierSessions);
    // The one place that a missing sign-in leads to, whatever was asked of the agent. What was asked waits, and is asked again when the
    // session is opened after the sign-in.
    const onSignInNeeded = (error: HostError): void => void (recovery.blocker = { type: 'sign_in', error: error.toData() });
    const options = new OptionChanges(onChange, onSignInNeeded);
    const askAgain = async (): Promise<void> => {
      const session = thread.liveSession;
      try {
        if (session !== undefined) await options.askAgain(session);
        delivery.advance();
      } catch (thrown) {
        // What follows would run with other options than the user chose.
        const error = toHostError(thrown);
        if (error.code === 'auth_required') onSignInNeeded(error);
        else recovery.blocker = { type: 'failed', error: error.toData() };
      } finally {
        onChange();
      }
    };
    const requests: ConversationParts['requests'] = { all: [] };
    const onRequest = (event: RequestEvent): void => {
      requests.all = withRequest(requests.all, event);
      this.#publisher.addRequest(event);
      this.#publish();
    };
    const recovery: Recovery = new Recovery({
      ports,
      agent,
      thread,
      context,
      agentId,
      onChange,
      onRequest,
      onOpen: () => void (options.needSignIn ? askAgain() : delivery.advance()),
      onFailed: (wasStopped) => {
        delivery.forgetCancel();
        // If the end of the front end stops it, it is saved for later instead.
        if (wasStopped && this.#life === 'open') outbox.returnReady();
      },
    });
    const delivery: Delivery = new Delivery({
      outbox,
      context,
      onChange,
      liveSession: () => (options.needSignIn ? undefined : thread.liveSession),
      isAgentEnding: () => agent.isEnding,
      // What still waits at the end is saved for later.
      onSessionNeeded: () => void (this.#life === 'open' && recovery.open()),
      onSignInNeeded,
      onAnswered: () => {
        if (!options.needSignIn) recovery.blocker = undefined;
      },
    });
    return {
      ports,
      agent,
      thread,
      signIn: new SignInAttempt(onRequest),
      recovery,
      requests,
      context,
      outbox,
      draft: { content: emptyDraft },
      options,
      delivery,
      resent: new Map(),
      agentId,
      wantAgent: (wanted) => (wantedId = wanted),
    };
  }

  #publish(): void {
    if (this.#life === 'disposed') return;
    const view = viewOf(this.#parts, this.#isRestored);
    this.#publisher.publish(view);
    this.#remember(view);
  }

  #remember(view = viewOf(this.#parts, this.#isRestored)): void {
    const { thread, context, delivery } = this.#parts;
    // What is not restored yet would be overwritten.
    if (this.#life === 'disposed' || !this.#isRestored) return;
    const { place } = thread;
    const record = {
      place: place && { ...place, withContext: context.current !== undefined, ...(context.fork && { fork: context.fork }) },
      outbox: [...delivery.unsaved(thread.session), ...view.outbox],
      returned: view.returned,
      draft: view.draft,
    };
    const now = [record, summaryOf(view)] as const;
    // Most of it keeps its identity.
    if (isDeepStrictEqual(this.#saved, now)) return;
    this.#saved = now;
    this.#options.ports.remember(...now);
  }
}

const nothingSaved: ConversationRecord = { place: undefined, outbox: [], returned: [], draft: emptyDraft };
const noChanges: ConversationView['changes'] = [];
const waitsForTurn: ConversationView['whileRunning'] = { deliveries: [], canUnqueue: false };

/** Returns the state of a conversation, as its parts have it. */
function viewOf(parts: ConversationParts, isRestored: boolean): ConversationView {
  const { ports, agent, thread, recovery, requests, context, outbox, draft, options, delivery } = parts;
  // Must come first: reading it delivers the session's events, which precede all other changes.
  const session = thread.state;
  const { host } = agent;
  const live = thread.liveSession;
  return {
    isRestored,
    session,
    requests: requests.all,
    agent: agent.summary,
    status: statusFor(host, requests.all, session, live !== undefined),
    info: host?.info,
    opening: recovery.since === undefined ? undefined : { since: recovery.since },
    live: live !== undefined,
    whileRunning: live?.whileRunning ?? waitsForTurn,
    openedBy: thread.session?.openedBy,
    earlierSessions: thread.earlierSessions,
    // A session that the agent forked knows it.
    context: session?.fork === 'made' ? undefined : context.current,
    outbox: outbox.all,
    returned: outbox.returned,
    draft: draft.content,
    optionChanges: options.pending,
    sending: delivery.sending && { promptId: delivery.sending.id },
    interrupted: delivery.interrupted,
    blocker: recovery.blocker,
    changes: ports.changes?.sets ?? noChanges,
    changesFailure: ports.changes?.failure?.toData(),
  };
}
