import { isDeepStrictEqual } from 'node:util';
import { type Disposable, DisposableStore } from '../base/disposable.js';
import { Emitter } from '../base/event.js';
import type { Batch } from './replica.js';
import type { ConversationState } from '../conversation/state.js';
import { realFolderPath } from '../node/smallFiles.js';
import type { SessionState } from '../session/model.js';
import { type AgentFacts, factName, type FolderFacts, noFolderFacts, type Saved } from '../store/factMemory.js';
import type { JsonFolder } from '../store/jsonFolder.js';
import type { AgentProcesses } from './agentProcesses.js';
import { type EngineFacts, type EngineFactsEvent, noFacts, reduceFacts } from './contract.js';

export interface EngineFactsParts {
  readonly folders: JsonFolder<Saved<FolderFacts>>;
  readonly agents: JsonFolder<Saved<AgentFacts>>;
  readonly processes: AgentProcesses;
}

/** What is known about folders and agents, for every front end. */
export class EngineFactsSource implements Disposable {
  readonly #parts: EngineFactsParts;
  readonly #owned = new DisposableStore();
  readonly #onBatch = this.#owned.add(new Emitter<Batch<EngineFactsEvent>>());
  /** The commands that were remembered with the options of a session: each session of an agent may offer something else. */
  readonly #offered = new WeakMap<SessionState['options'], SessionState['commands']>();
  #state: EngineFacts = noFacts;

  constructor(parts: EngineFactsParts) {
    this.#parts = parts;
    this.#owned.add(
      parts.processes.onChange(() => {
        const { all } = parts.processes;
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
    const { folders, agents, processes } = this.#parts;
    await Promise.all([folders.load(), agents.load()]);
    this.#state = {
      ...this.#state,
      folders: Object.fromEntries(folders.values.map(({ key, facts }) => [key, facts])),
      agents: Object.fromEntries(agents.values.map(({ key, facts }) => [key, facts])),
      processes: processes.all,
    };
  }

  rememberFolder(path: string, facts: Partial<FolderFacts>): void {
    const folder = realFolderPath(path);
    const all = { ...(this.#state.folders[folder] ?? noFolderFacts), ...facts };
    this.#parts.folders.update(factName(folder), () => ({ key: folder, facts: all }));
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
    this.#parts.agents.update(factName(id), () => ({ key: id, facts }));
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
