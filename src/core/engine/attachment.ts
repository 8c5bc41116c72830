import { type Disposable, DisposableStore } from '../base/disposable.js';
import { HostError } from '../base/errors.js';
import { within } from '../base/deadline.js';
import { refuse } from '../conversation/commands.js';
import { type ConversationEvent, joinEvents } from '../conversation/events.js';
import type { ConversationController } from '../conversation/conversationController.js';
import type { AgentPorts } from '../conversation/agentSessions.js';
import type { Conversations, OpenOptions } from '../conversation/conversations.js';
import type { ConversationState } from '../conversation/state.js';
import type { Wire } from '../link/wire.js';
import type { FrontEndIdentity } from '../session/event.js';
import { parseCall } from './callSchemas.js';
import type { AgentProcesses } from './agentProcesses.js';
import type { EngineChanges } from './engineChanges.js';
import type { EngineFactsSource } from './engineFacts.js';
import { ChannelServer } from './replica.js';
import {
  type Attaching,
  conversationChannel,
  type EngineCalls,
  type EngineLogLine,
  type EngineNotice,
  type EngineSummary,
  factsChannel,
  type FrontEndCalls,
  listChannel,
  logChannel,
  noticeChannel,
  trafficChannel,
} from './contract.js';

/** A slow disk delays the end of a turn no further. */
const saveMs = 1_000;

/** The engine, as far as its front ends ask for it. */
export interface AttachedEngine {
  readonly conversations: Conversations;
  readonly facts: EngineFactsSource;
  readonly processes: AgentProcesses;
  readonly changes: EngineChanges;
  /** Resolves when what is saved is known; undefined once it is. */
  readonly loaded: Promise<void> | undefined;
  summary(): EngineSummary;
  saved(): EngineCalls['saved']['result'];
  search(asked: EngineCalls['search']['params'], signal: AbortSignal): Promise<EngineCalls['search']['result']>;
  /** The front end has said who it is. */
  attached(attachment: Attachment): void;
  leave(attachment: Attachment): void;
  /** Ends the engine if nothing else keeps it. @returns whether it ends; the wire of the front end is closed when it has ended */
  stopWithout(attachment: Attachment): boolean;
  /** The front end acts on the conversation: from now on, it is asked what only a front end knows. */
  usedBy(id: string, attachment: Attachment): void;
  /** What starts an agent as this front end would, for what belongs to no conversation. */
  portsFor(attachment: Attachment, cwd: string): AgentPorts;
  /** The user sees these conversations. */
  seen(ids: readonly string[]): void;
  /** A front end shows a conversation no longer. */
  released(): void;
  /** @param by the front end that shows it no longer, once it has ended */
  end(id: string, by: Attachment): Promise<void>;
  stop(): void;
}

type Result<M extends keyof EngineCalls> = EngineCalls[M]['result'] extends undefined ? void : EngineCalls[M]['result'];

interface Shown {
  readonly conversation: ConversationController;
  readonly channel: ChannelServer<ConversationState, ConversationEvent>;
}

/** One front end at the engine: what it shows, and what it asks for. */
export class Attachment implements Disposable {
  readonly #engine: AttachedEngine;
  readonly #wire: Wire;
  readonly #isLocal: boolean;
  readonly #owned = new DisposableStore();
  readonly #shown = new Map<string, Shown>();
  readonly #others = new Map<string, { snapshot(): void; flush(): Promise<void> | undefined }>();
  /** The processes whose traffic this front end has read to its end. Of others it needs no word. */
  readonly #readTraffic = new Set<number>();
  #who: Attaching | undefined;
  #seen: readonly string[] | undefined;
  #search = new AbortController();

  /** @param isLocal the front end is in this process */
  constructor(engine: AttachedEngine, wire: Wire, isLocal: boolean) {
    this.#engine = engine;
    this.#wire = wire;
    this.#isLocal = isLocal;
    wire.serve((method, params) => this.#answer(method as keyof EngineCalls, params));
    this.#owned.add(wire.onClosed(() => engine.leave(this)));
  }

  /** Undefined until it has said so. */
  get who(): Attaching | undefined {
    return this.#who;
  }

  /** Who answers, as others are told. */
  get #by(): { readonly by: FrontEndIdentity } | undefined {
    const { program, id } = this.#who ?? {};
    return program === undefined || id === undefined ? undefined : { by: { program, id } };
  }

  shows(id: string): boolean {
    return this.#shown.has(id);
  }

  /** Whether the user sees the conversation in this front end. */
  isSeen(id: string): boolean {
    return this.shows(id) && this.#seen?.includes(id) !== false;
  }

  get shownIds(): readonly string[] {
    return [...this.#shown.keys()];
  }

  ask<M extends keyof FrontEndCalls>(method: M, params: FrontEndCalls[M]['params']): Promise<FrontEndCalls[M]['result']> {
    return this.#wire.call(method, params);
  }

  tellNotice(notice: EngineNotice): void {
    if (this.#who !== undefined) void this.#wire.tell(noticeChannel, notice);
  }

  tellLog(line: EngineLogLine): void {
    if (this.#who?.program === 'editor') void this.#wire.tell(logChannel, line);
  }

  /** The conversation has ended. Another one with its id may be shown by now. */
  closed(conversation: ConversationController): void {
    const shown = this.#shown.get(conversation.id);
    if (shown?.conversation !== conversation) return;
    shown.channel.close();
    this.#shown.delete(conversation.id);
  }

  dispose(): void {
    this.#search.abort();
    for (const { channel } of this.#shown.values()) channel.dispose();
    this.#shown.clear();
    this.#owned.dispose();
    this.#wire.dispose();
  }

  async #answer<M extends keyof EngineCalls>(method: M, params: unknown): Promise<unknown> {
    const parsed = parseCall(method, params);
    const { loaded } = this.#engine;
    if (loaded !== undefined) await loaded;
    return this.#handlers[method](parsed);
  }

  readonly #handlers: { readonly [M in keyof EngineCalls]: (params: EngineCalls[M]['params']) => Result<M> | Promise<Result<M>> } = {
    attach: (who) => {
      this.#who = who;
      const { conversations, facts, processes, changes } = this.#engine;
      if (who.recording !== undefined) changes.configure(who.recording);
      const wire = this.#wire;
      this.#others.set(listChannel, this.#owned.add(new ChannelServer({ source: conversations, wire, channel: listChannel })));
      this.#others.set(factsChannel, this.#owned.add(new ChannelServer({ source: facts, wire, channel: factsChannel })));
      this.#owned.add(
        processes.onTraffic((process) => {
          if (this.#readTraffic.delete(process)) void wire.tell(trafficChannel, { process });
        }),
      );
      this.#engine.attached(this);
      return this.#engine.summary();
    },
    summary: () => this.#engine.summary(),
    open: ({ id, cwd, agentId, session }) => {
      // It would be restored as an empty one, which replaces what Undo brings back.
      if (this.#engine.conversations.isDeleted(id)) {
        void this.#wire.tell(conversationChannel(id), { type: 'closed' });
        return refuse('conversation_unknown');
      }
      this.#show({ id, cwd, agentId, session });
      return { ok: true, ids: [id] };
    },
    find: (session) => ({ id: this.#engine.conversations.find(session) }),
    release: ({ id }) => {
      this.#hide(id);
      this.#engine.released();
    },
    end: async ({ id }) => {
      await this.#engine.end(id, this);
      this.#hide(id);
    },
    see: ({ ids }) => {
      this.#seen = ids;
      this.#engine.seen(ids);
    },
    resync: ({ channel }) => {
      const shown = [...this.#shown].find(([id]) => conversationChannel(id) === channel)?.[1];
      (shown?.channel ?? this.#others.get(channel))?.snapshot();
    },
    execute: async ({ id, command }) => {
      const conversation = this.#engine.conversations.get(id);
      if (conversation === undefined) return refuse('conversation_unknown');
      // What answers or stops starts nothing, so that another front end stays the one that knows how.
      if (command.type !== 'answer_request' && command.type !== 'cancel' && command.type !== 'stop_command') this.#engine.usedBy(id, this);
      const result = await conversation.execute({ ...command, ...(command.type === 'answer_request' && this.#by) });
      await this.#shown.get(id)?.channel.flush();
      return result;
    },
    execute_list: async ({ command }) => {
      const result = await this.#engine.conversations.execute(command);
      for (const channel of this.#others.values()) void channel.flush();
      return result;
    },
    saved: () => this.#engine.saved(),
    search: (asked) => {
      this.#search.abort();
      this.#search = new AbortController();
      return this.#engine.search(asked, this.#search.signal);
    },
    agent_sessions: (query) => this.#engine.conversations.agentSessions.list(this.#engine.portsFor(this, query.cwd), query),
    change_agent_session: ({ sessionId, change, ...place }) =>
      this.#engine.conversations.agentSessions.change(this.#engine.portsFor(this, place.cwd), place, sessionId, change),
    remember_folder: ({ path, facts }) => {
      this.#engine.facts.rememberFolder(path, facts);
      void this.#others.get(factsChannel)?.flush();
    },
    read_traffic: ({ process, ...o }) => {
      this.#readTraffic.add(process);
      return this.#engine.processes.read(process, o);
    },
    diagnostics: ({ process }) => {
      const found = this.#engine.processes.diagnostics(process);
      if (found === undefined) throw new HostError('usage', { reason: 'agent_not_running' });
      return found;
    },
    stderr_line: ({ id }) => this.#engine.conversations.get(id)?.stderrLine() ?? '',
    changed_files: ({ id, set }) => this.#engine.changes.get(id).files(set),
    changed_content: async ({ id, set, path, side }) => (await this.#engine.changes.get(id).content(set, path, side))?.toString('base64'),
    changes_patch: async ({ id, sets }) => (await this.#engine.changes.get(id).patch(sets)).toString('base64'),
    undo_changes: async ({ id, sets, paths }) => {
      // Its editor has what is not saved.
      this.#engine.usedBy(id, this);
      const result = await this.#engine.changes.get(id).undo({ ids: sets, paths });
      await this.#shown.get(id)?.channel.flush();
      return result;
    },
    is_changed: ({ cwd, path }) => this.#engine.changes.isChanged(cwd, path),
    line_origin: ({ cwd, ...place }) => this.#engine.changes.lineOrigin(cwd, place),
    note_saved: ({ paths }) => this.#engine.changes.noteSaved(paths),
    leave: () => this.#engine.stopWithout(this),
    stop_engine: () => this.#engine.stop(),
  };

  #show(o: OpenOptions & { readonly id: string }): void {
    const { id } = o;
    const conversation = this.#engine.conversations.open(o);
    const shown = this.#shown.get(id);
    if (shown?.conversation === conversation) shown.channel.snapshot();
    else {
      shown?.channel.dispose();
      const outside = this.#isLocal ? {} : { whenSaved: savedBy(conversation) };
      const options = { source: conversation, wire: this.#wire, channel: conversationChannel(id), join: joinEvents, ...outside };
      this.#shown.set(id, { conversation, channel: new ChannelServer(options) });
    }
  }

  #hide(id: string): void {
    this.#shown.get(id)?.channel.dispose();
    this.#shown.delete(id);
  }
}

/** A front end that outlives this process must not have seen a turn end that the next engine does not know. */
function savedBy(conversation: ConversationController): (events: readonly ConversationEvent[]) => Promise<unknown> | undefined {
  const isEnd = (event: ConversationEvent): boolean => event.type === 'session' && event.events.some(({ type }) => type === 'turn_ended');
  // Not within the event.
  return (events) =>
    events.some(isEnd)
      ? within(
          Promise.resolve().then(() => conversation.flush()),
          saveMs,
        )
      : undefined;
}
