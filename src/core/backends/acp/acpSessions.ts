import { HostError, toHostError } from '../../base/errors.js';
import type { McpServer as WireMcpServer } from '@agentclientprotocol/sdk';
import type { McpServer } from '../../agents/mcpServers.js';
import type { MethodSpec } from '../../rpc/peer.js';
import type { BackendSession, BackendSessions, OpenRequest, ResumeMethod, SessionSink } from '../agentBackend.js';
import { AcpSession, type AcpSessionParts } from './acpSession.js';
import type { AskingSession } from './askingSession.js';
import { AcpSubagents } from './acpSubagents.js';
import { toResumeError } from './acpCalls.js';
import { toWireMeta } from './map.js';
import type { Fields } from './schema/lenient.js';
import { forkMeta } from './schema/delivery.js';
import { type NewSessionResult, requests, type SetupParams, type SystemPrompt } from './schema/methods.js';
import type { SessionTerminals } from './sessionTerminals.js';
import { isOfOptions } from './schema/updates.js';
import { UnclaimedSessions } from './unclaimed.js';

export interface AcpSessionsParts extends Omit<AcpSessionParts, 'onClosed' | 'subagents'> {
  readonly resumeMethods: readonly ResumeMethod[];
  readonly forks?: BackendSessions['forks'];
  readonly saved?: BackendSessions['saved'];
  /** The agent lets sessions be renamed. */
  readonly isRenamable?: boolean;
  readonly takesOtherFolders: boolean;
}

type ResumeRequest = Extract<OpenRequest, { method: ResumeMethod }>;
type ForkRequest = Extract<OpenRequest, { method: 'fork' }>;
type NewRequest = Extract<OpenRequest, { method: 'new' }>;

const resumeCalls = { load: requests.loadSession, resume: requests.resumeSession } as const;

/** The sessions of one connection. Routes each update to its session, in wire order. */
export class AcpSessions implements BackendSessions {
  readonly resumeMethods: readonly ResumeMethod[];
  readonly forks?: NonNullable<BackendSessions['forks']>;
  readonly saved?: NonNullable<BackendSessions['saved']>;
  readonly rename?: NonNullable<BackendSessions['rename']>;
  readonly #parts: AcpSessionsParts;
  readonly #open = new Map<string, AcpSession>();
  /** The number of pending calls whose answers name their sessions. */
  #awaited = 0;
  /** The number of those that ran out of time and may still be answered. */
  #late = 0;
  readonly #unclaimed = new UnclaimedSessions();
  readonly #subagents: AcpSubagents;
  /** The ids of all sessions that were ever open. */
  readonly #opened = new Set<string>();
  /** Another id that the agent uses for the only session. */
  #otherId: string | undefined;
  /** Why the connection has ended. */
  #end: HostError | undefined;

  constructor(parts: AcpSessionsParts) {
    this.#parts = parts;
    this.resumeMethods = parts.resumeMethods;
    this.#subagents = new AcpSubagents({
      clock: parts.clock,
      report: parts.report,
      cancel: (sessionId) =>
        void parts.calls.cancel(sessionId).catch((error: unknown) => parts.log.debug('Could not send session/cancel', error)),
      isOpen: (sessionId) => this.#opened.has(sessionId),
      onNew: (subagent) => this.#unclaimed.claim(subagent.sessionId, subagent),
    });
    if (parts.forks !== undefined) this.forks = parts.forks;
    if (parts.saved !== undefined) this.saved = parts.saved;
    if (parts.isRenamable === true) this.rename = (sessionId, title) => this.#rename(sessionId, title);
  }

  [Symbol.iterator](): Iterator<AcpSession> {
    return this.#open.values();
  }

  /** The commands that run in the host, of all sessions and their sub-agents. */
  get terminals(): readonly SessionTerminals[] {
    return [...this.#open.values(), ...this.#subagents].flatMap(({ terminals }) => terminals ?? []);
  }

  open(request: OpenRequest, sink: SessionSink): Promise<BackendSession> {
    return request.method === 'new' || request.method === 'fork' ? this.#begin(request, sink) : this.#resume(request, sink);
  }

  /** Call this when the connection has ended: whatever is open will not continue, and nothing more is opened. */
  lose(error: HostError): void {
    this.#end = error;
    for (const session of this) session.lose(error);
  }

  receive(sessionId: string, update: Fields): void {
    const session = this.#open.get(sessionId) ?? this.#subagents.get(sessionId);
    if (session !== undefined) return session.receive(update);
    if (this.#awaited > 0 && this.#unclaimed.keep(sessionId, update, this.#parts.clock.now())) return;
    const meant = this.#sessionMeantBy(sessionId, true);
    if (meant !== undefined) return meant.receive(update);
    this.#parts.report('an update for a session that is not open', this.isForUser(sessionId) && isContent(update));
  }

  /**
   * Whether the user should have seen what came for a session that is not open: what follows the close of one, of it and its sub-agents, was
   * not for its user any more, and neither is a session that opens too late.
   */
  isForUser(sessionId: string): boolean {
    return this.#late === 0 && !this.#opened.has(sessionId) && !this.#subagents.wasKnown(sessionId);
  }

  /**
   * Some agents change the id of a session in the middle of it, for example when they compact it. If the only session waits for an answer
   * and has nothing yet, an update is the answer. What comes later under the same id belongs to it, too.
   */
  #sessionMeantBy(sessionId: string, isUpdate: boolean): AcpSession | undefined {
    const [session, other] = this.#open.values();
    if (session === undefined || other !== undefined || this.#opened.has(sessionId)) return undefined;
    // It may be that of a session that nobody waits for any more.
    const isAnswer = isUpdate && session.isAwaited && this.#late === 0;
    const isMeant = this.#otherId === sessionId || isAnswer || session.id.toLowerCase() === sessionId.toLowerCase();
    if (!isMeant) return undefined;
    this.#otherId = sessionId;
    return session;
  }

  /** Waits for a session whose id may be in the answer of a pending call. */
  async whenOpen(sessionId: string): Promise<AskingSession | undefined> {
    return (
      this.#open.get(sessionId) ??
      this.#subagents.get(sessionId) ??
      this.#sessionMeantBy(sessionId, false) ??
      (this.#awaited > 0 ? this.#unclaimed.whenClaimed(sessionId) : undefined)
    );
  }

  async #begin(request: NewRequest | ForkRequest, sink: SessionSink): Promise<BackendSession> {
    const { cwd } = request;
    const otherFolders = this.#foldersFor(request);
    const params = this.#toSetup(request, otherFolders);
    const isFork = request.method === 'fork';
    this.#awaited++;
    try {
      const { sessionId, ...offered } = await (isFork ? this.#fork(request, params, sink) : this.#ask(requests.newSession, params, sink));
      this.#throwIfEnded();
      const session = this.#create(sessionId, { cwd, otherFolders, sink, isReplaying: isFork });
      // The agent sent them before its answer, which has the last word.
      session.opened(offered, [], isFork, this.#unclaimed.take(sessionId, isOfOptions));
      this.#open.get(sessionId)?.terminals?.dispose();
      this.#open.set(sessionId, session);
      this.#opened.add(sessionId);
      sink.begin(session);
      this.#unclaimed.claim(session.id, session);
      return session;
    } finally {
      this.#awaited--;
      if (this.#awaited === 0) this.#dropUnclaimed();
    }
  }

  async #rename(sessionId: string, title: string): Promise<void> {
    const { calls } = this.#parts;
    try {
      await calls.request(requests.setTitle, { sessionId, title }, { timeoutMs: calls.deadlines.queryMs });
    } catch (error) {
      throw toResumeError(toHostError(error));
    }
  }

  /** Some agents replay the history of the fork. */
  async #fork({ sessionId, messageId }: ForkRequest, params: SetupParams, sink: SessionSink): Promise<NewSessionResult> {
    const { forks } = this.#parts;
    if (forks === undefined || (messageId !== undefined && forks === 'at_end')) throw new HostError('unsupported', { reason: 'fork' });
    try {
      const place = messageId === undefined ? {} : { _meta: { ...params._meta, ...forkMeta(messageId) } };
      const fork = await this.#ask(requests.forkSession, { ...params, ...place, sessionId }, sink);
      // It would take the place of the session that is open.
      if (fork.sessionId === sessionId || this.#open.has(fork.sessionId))
        throw new HostError('invalid_response', { reason: 'wrong_shape', method: requests.forkSession.method, path: 'sessionId' });
      return fork;
    } catch (error) {
      throw toResumeError(toHostError(error));
    }
  }

  #ask<P>(method: MethodSpec<P, NewSessionResult>, params: P, { requestUser: asker }: SessionSink): Promise<NewSessionResult> {
    const { calls } = this.#parts;
    const onGiveUp = (late: Promise<NewSessionResult>): void => {
      this.#late++;
      const forget = ({ sessionId }: NewSessionResult): void => this.#closeLate(sessionId);
      void late.then(forget, () => {}).finally(() => this.#late--);
    };
    return calls.request(method, params, { timeoutMs: calls.deadlines.sessionMs, onGiveUp, asker });
  }

  /** Whoever wanted the session is gone. */
  #closeLate(sessionId: string): void {
    if (this.#open.has(sessionId) || this.#end !== undefined) return;
    this.#opened.add(sessionId);
    const { calls, isClosable } = this.#parts;
    if (isClosable) calls.request(requests.closeSession, { sessionId }, { timeoutMs: calls.deadlines.queryMs }).catch(() => {});
  }

  async #resume(request: ResumeRequest, sink: SessionSink): Promise<BackendSession> {
    const { method, sessionId, cwd, knownOptions } = request;
    if (!this.resumeMethods.includes(method)) throw new HostError('unsupported', { reason: 'resume', method });
    const { calls } = this.#parts;
    const otherFolders = this.#foldersFor(request);
    const session = this.#create(sessionId, { cwd, otherFolders, sink, isReplaying: true });
    const before = this.#open.get(sessionId);
    // Registers the session before the call, because the whole history arrives before the answer.
    this.#open.set(sessionId, session);
    this.#opened.add(sessionId);
    sink.begin(session);
    try {
      const params = { sessionId, ...this.#toSetup(request, otherFolders) };
      const options = { timeoutMs: calls.deadlines.sessionMs, asker: sink.requestUser };
      const offered = await calls.request(resumeCalls[method], params, options);
      this.#throwIfEnded();
      session.opened(offered, knownOptions, method === 'load');
      before?.terminals?.dispose();
      if (before !== undefined) this.#subagents.forget(before);
      return session;
    } catch (error) {
      session.terminals?.dispose();
      if (before === undefined) this.#open.delete(sessionId);
      else this.#open.set(sessionId, before);
      throw toResumeError(toHostError(error));
    }
  }

  /** @returns undefined if the agent can't be told of any */
  #foldersFor({ otherFolders = [] }: OpenRequest): readonly string[] | undefined {
    return this.#parts.takesOtherFolders ? otherFolders : undefined;
  }

  /** The agent forgets the other folders and the system prompt unless each request has all of them. */
  #toSetup({ cwd, mcpServers, meta, systemPrompt }: OpenRequest, otherFolders: readonly string[] = []): SetupParams {
    return {
      cwd,
      mcpServers: mcpServers.map(toWire),
      ...(otherFolders.length > 0 && { additionalDirectories: [...otherFolders] }),
      ...(systemPrompt !== undefined && this.#parts.info.takesSystemPrompt && { systemPrompt: toSystemPrompt(systemPrompt) }),
      ...toWireMeta(meta),
    };
  }

  /** The connection may end with the answer, and nobody would tell the session later. */
  #throwIfEnded(): void {
    if (this.#end !== undefined) throw this.#end;
  }

  #create(sessionId: string, o: ConstructorParameters<typeof AcpSession>[1]): AcpSession {
    const session: AcpSession = new AcpSession(sessionId, o, {
      ...this.#parts,
      subagents: this.#subagents,
      onClosed: () => {
        if (this.#open.get(sessionId) === session) this.#open.delete(sessionId);
        this.#subagents.forget(session);
        this.#otherId = undefined;
      },
    });
    return session;
  }

  #dropUnclaimed(): void {
    const updates = this.#unclaimed.clear();
    if (updates > 0) this.#parts.report(`${updates} updates for sessions that were never opened`);
  }
}

const contentKinds: readonly unknown[] = ['agent_message_chunk', 'agent_thought_chunk', 'tool_call'];

function isContent(update: Fields): boolean {
  return contentKinds.includes(update['sessionUpdate']);
}

function toSystemPrompt(text: string): SystemPrompt {
  return { mode: 'append', content: [{ type: 'text', text }] };
}

function toWire(server: McpServer): WireMcpServer {
  const copied = (values: readonly { readonly name: string; readonly value: string }[]) => values.map((value) => ({ ...value }));
  return 'type' in server ? { ...server, headers: copied(server.headers) } : { ...server, args: [...server.args], env: copied(server.env) };
}
