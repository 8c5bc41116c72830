/** The sessions that agents have saved and that are no conversations of ours: begun by an agent's own command line, or in another host. */
import type { Disposable } from '../base/disposable.js';
import { HostError } from '../base/errors.js';
import type { AgentHost } from '../host/agentHost.js';
import type { SavedList, SavedSession } from '../host/api.js';
import { realFolderPath } from '../node/smallFiles.js';
import type { AgentPool, SharedAgent } from './agentPool.js';
import type { AgentName, ConversationPorts } from './ports.js';
import type { SessionKey } from './state.js';

/** Whose sessions, and where its process works. */
export interface AgentPlace {
  /** Absolute. */
  readonly cwd: string;
  /** Absent: the agent that the user chose. */
  readonly agentId?: string | undefined;
}

export interface AgentSessionsQuery extends AgentPlace {
  /** `folder`: those of `cwd`. */
  readonly scope: 'folder' | 'everywhere';
}

export interface AgentSessionList extends SavedList {
  readonly agent: AgentName;
  /** What the agent does with a session of the list. It can be opened in any case. */
  readonly offers: readonly AgentSessionChange['type'][];
}

/** Something to do with a session in the agent. */
export type AgentSessionChange =
  | { readonly type: 'delete' }
  | { readonly type: 'rename'; readonly title: string }
  | { readonly type: 'fork' };

/** What became of it. */
export interface ChangedAgentSession {
  /** The session that the agent forked, which can be opened like those of the list. */
  readonly forked?: string;
}

export type AgentPorts = Pick<ConversationPorts, 'chooseAgent' | 'createHost'>;

/** How long an agent that was started for a list stays: the next thing is often to open one of its sessions, or to delete some. */
const keptMs = 30_000;

export interface AgentSessionsParts {
  readonly pool: AgentPool;
  /** Finds the conversation that is at the session, or continued from it. */
  readonly find: (session: SessionKey) => string | undefined;
  /** Whether a conversation has the session open. */
  readonly isOpen: (session: SessionKey) => boolean;
}

export class AgentSessions implements Disposable {
  readonly #parts: AgentSessionsParts;
  #kept: { readonly shared: SharedAgent; readonly timer: NodeJS.Timeout } | undefined;

  constructor(parts: AgentSessionsParts) {
    this.#parts = parts;
  }

  /**
   * Starts the agent if it is not running.
   * @throws HostError `unsupported` if the agent has no list; as ConversationPorts.chooseAgent, AgentHost.start and SavedSessions.list
   */
  list(ports: AgentPorts, { scope, ...place }: AgentSessionsQuery): Promise<AgentSessionList> {
    return this.#with(ports, place, async ({ agent, saved, rename, forks }) => {
      if (saved === undefined) throw new HostError('unsupported', { reason: 'session_list' });
      const list = await saved.list(scope === 'folder' ? { cwd: place.cwd } : {});
      const able = { delete: saved.remove, rename, fork: forks };
      const isOurs = (sessionId: string): boolean => this.#parts.find({ agentId: agent.id, sessionId }) !== undefined;
      return {
        ...list,
        sessions: othersIn(list.sessions, isOurs, scope === 'folder' ? place.cwd : undefined),
        agent: { id: agent.id, label: agent.label },
        offers: (['delete', 'rename', 'fork'] as const).filter((change) => able[change] !== undefined),
      };
    });
  }

  /** Starts the agent if it is not running. @throws HostError `usage` for deleting a session that is open here; `unsupported`, and as `list` */
  async change(ports: AgentPorts, place: AgentPlace, sessionId: string, change: AgentSessionChange): Promise<ChangedAgentSession> {
    return this.#with(ports, place, async (host): Promise<ChangedAgentSession> => {
      switch (change.type) {
        case 'rename':
          if (host.rename === undefined) throw new HostError('unsupported', { reason: 'session_rename' });
          await host.rename(sessionId, change.title);
          return {};
        case 'fork':
          return { forked: await host.forkSession(sessionId) };
        case 'delete':
          // The agent would save it again.
          if (this.#parts.isOpen({ agentId: host.agent.id, sessionId })) throw new HostError('usage', { reason: 'session_open' });
          if (host.saved?.remove === undefined) throw new HostError('unsupported', { reason: 'session_delete' });
          await host.saved.remove(sessionId);
          return {};
      }
    });
  }

  /** Leaves an agent that was started for a list. */
  async end(): Promise<void> {
    const kept = this.#takeKept();
    await kept?.release(() => {});
  }

  dispose(): void {
    this.#takeKept()?.leave();
  }

  async #with<T>(ports: AgentPorts, place: AgentPlace, work: (host: AgentHost) => Promise<T>): Promise<T> {
    const choice = await ports.chooseAgent(place.agentId);
    const shared = await this.#parts.pool.acquire(place.cwd, choice, () => ports.createHost(choice));
    try {
      await shared.host.start();
      return await work(shared.host);
    } finally {
      const before = this.#takeKept();
      const timer = setTimeout(() => void this.end(), keptMs);
      timer.unref();
      this.#kept = { shared, timer };
      void before?.release(() => {});
    }
  }

  #takeKept(): SharedAgent | undefined {
    const kept = this.#kept;
    this.#kept = undefined;
    clearTimeout(kept?.timer);
    return kept?.shared;
  }
}

/**
 * Returns the sessions that are no conversations of ours.
 * @param folder only those of this folder; some agents list all of them
 */
export function othersIn(
  listed: readonly SavedSession[],
  isOurs: (sessionId: string) => boolean,
  folder: string | undefined,
): readonly SavedSession[] {
  const real = new Map<string, string>();
  const realOf = (path: string): string => {
    const known = real.get(path) ?? realFolderPath(path);
    real.set(path, known);
    return known;
  };
  return listed.filter(({ sessionId, cwd }) => !isOurs(sessionId) && (folder === undefined || realOf(cwd) === realOf(folder)));
}
