import { isDeepStrictEqual } from 'node:util';
import { type Disposable, DisposableStore } from '../base/disposable.js';
import { Emitter } from '../base/event.js';
import type { Batch } from '../conversation/events.js';
import type { ConversationState } from '../conversation/state.js';
import { realFolderPath } from '../node/smallFiles.js';
import type { SessionState } from '../session/model.js';
import type { ConversationStore } from '../store/conversationStore.js';
import { type AgentFacts, factName, type FolderFacts, noFolderFacts } from '../store/factMemory.js';
import type { AgentProcesses } from './agentProcesses.js';
import { type EngineFacts, type EngineFactsEvent, noFacts, reduceFacts } from './contract.js';

/** What is known about folders and agents, for every front end. */
export class EngineFactsSource implements Disposable {
  readonly #store: Pick<ConversationStore, 'folders' | 'agents'>;
  readonly #processes: AgentProcesses;
  readonly #owned = new DisposableStore();
  readonly #onBatch = this.#owned.add(new Emitter<Batch<EngineFactsEvent>>());
  /** The commands that were remembered with the options of a session: each session of an agent may offer something else. */
  readonly #offered = new WeakMap<SessionState['options'], SessionState['commands']>();
  #state: EngineFacts = noFacts;

  constructor(store: Pick<ConversationStore, 'folders' | 'agents'>, processes: AgentProcesses) {
    this.#store = store;
    this.#processes = processes;
    this.#owned.add(
      processes.onChange(() => {
        const { all } = processes;
        this.#fire({ type: 'processes', processes: all });
        for (const one of all) if (one.listsSessions) this.#remember(one.agentId, { listsSessions: true, label: one.label });
      }),
    );
  }

  readonly onBatch = this.#onBatch.event;

  get state(): EngineFacts {
    return this.#state;
  }

  async load(): Promise<void> {
    const { folders, agents } = this.#store;
    await Promise.all([folders.load(), agents.load()]);
    this.#state = {
      ...this.#state,
      folders: Object.fromEntries(folders.values.map(({ key, facts }) => [key, facts])),
      agents: Object.fromEntries(agents.values.map(({ key, facts }) => [key, facts])),
      processes: this.#processes.all,
    };
  }

  rememberFolder(path: string, facts: Partial<FolderFacts>): void {
    const folder = realFolderPath(path);
    const all = { ...(this.#state.folders[folder] ?? noFolderFacts), ...facts };
    this.#store.folders.update(factName(folder), () => ({ key: folder, facts: all }));
    this.#fire({ type: 'folder', path: folder, facts: all });
  }

  /** Saves what the agent of a live conversation offers whenever that changes. */
  rememberOffer({ live, agent, session, info }: ConversationState): void {
    if (!live || agent === undefined || session === undefined) return;
    const { options, commands } = session;
    if (this.#offered.get(options) === commands) return;
    this.#offered.set(options, commands);
    this.#remember(agent.id, { options, commands, agentVersion: info?.version });
  }

  #remember(id: string, offered: Partial<AgentFacts>): void {
    const before = this.#state.agents[id];
    const facts = { options: [], commands: [], ...before, ...offered };
    if (isDeepStrictEqual(before, facts)) return;
    this.#store.agents.update(factName(id), () => ({ key: id, facts }));
    this.#fire({ type: 'agent', id, facts });
  }

  dispose(): void {
    this.#owned.dispose();
  }

  #fire(event: EngineFactsEvent): void {
    const batch = { revision: this.#state.revision + 1, events: [event] };
    this.#state = reduceFacts(this.#state, batch);
    this.#onBatch.fire(batch);
  }
}
