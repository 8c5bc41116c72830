import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Disposable } from '../base/disposable.js';
import { toHostError } from '../base/errors.js';
import { Emitter } from '../base/event.js';
import { AgentPool } from './agentPool.js';
import { type CommandResult, done, refuse } from './commands.js';
import { ConversationController } from './conversationController.js';
import {
  type ConversationListBatch,
  type ConversationListCommand,
  type ConversationListEvent,
  type ConversationListState,
  reduceList,
  toListEntry,
} from './conversationList.js';
import type { ConversationPorts } from './ports.js';

export interface OpenOptions {
  /** Absolute. */
  readonly cwd: string;
  /** The id under which the ports remember it; absent: a new one. */
  readonly id?: string;
  /** Absent: the user's choice. */
  readonly agentId?: string | undefined;
}

interface Entry {
  readonly conversation: ConversationController;
  readonly watching: Disposable;
}

/** Any number of conversations, also of one folder and agent: these share the agent's process. */
export class Conversations implements Disposable {
  readonly #portsFor: (id: string, cwd: string) => ConversationPorts;
  readonly #pool = new AgentPool();
  readonly #entries = new Map<string, Entry>();
  readonly #onBatch = new Emitter<ConversationListBatch>();
  #state: ConversationListState = { revision: 0, conversations: [] };

  /** @param portsFor called once per conversation */
  constructor(portsFor: (id: string, cwd: string) => ConversationPorts) {
    this.#portsFor = portsFor;
  }

  readonly onBatch = this.#onBatch.event;

  get state(): ConversationListState {
    return this.#state;
  }

  get(id: string): ConversationController | undefined {
    return this.#entries.get(id)?.conversation;
  }

  /** Begins to restore it; starts no agent. @returns the one that there is where the id is known */
  open({ cwd, id = randomUUID(), agentId }: OpenOptions): ConversationController {
    const known = this.get(id);
    if (known !== undefined) return known;
    const conversation = new ConversationController({ id, cwd, agentId, ports: this.#portsFor(id, cwd), pool: this.#pool });
    const watching = conversation.onBatch(() => this.#onChanged(conversation));
    this.#entries.set(id, { conversation, watching });
    this.#publish({ type: 'added', conversation: toListEntry(conversation.state) });
    void conversation.execute({ type: 'refresh_agent' });
    return conversation;
  }

  /** @returns false where there is no such conversation */
  async close(id: string): Promise<boolean> {
    const entry = this.#entries.get(id);
    if (entry === undefined) return false;
    this.#entries.delete(id);
    entry.watching.dispose();
    this.#publish({ type: 'removed', id });
    await entry.conversation.end();
    return true;
  }

  /** Never rejects. */
  async execute(command: ConversationListCommand): Promise<CommandResult> {
    try {
      if (command.type === 'close') return (await this.close(command.id)) ? done : refuse('conversation_unknown');
      const conversation = this.open(command);
      if (command.key !== undefined) await conversation.execute({ type: 'open_earlier', key: command.key });
      return { ok: true, ids: [conversation.id] };
    } catch (error) {
      return { ok: false, error: toHostError(error).toData() };
    }
  }

  /** Ends every agent gracefully. */
  async end(): Promise<void> {
    await Promise.all([...this.#entries.keys()].map((id) => this.close(id)));
    this.dispose();
  }

  dispose(): void {
    for (const { conversation, watching } of this.#entries.values()) {
      watching.dispose();
      conversation.dispose();
    }
    this.#entries.clear();
    this.#pool.dispose();
    this.#onBatch.dispose();
  }

  #onChanged({ id, state }: ConversationController): void {
    const conversation = toListEntry(state);
    const before = this.#state.conversations.find((one) => one.id === id);
    if (!isDeepStrictEqual(before, conversation)) this.#publish({ type: 'changed', conversation });
  }

  #publish(event: ConversationListEvent): void {
    const batch = { revision: this.#state.revision + 1, events: [event] };
    this.#state = reduceList(this.#state, batch);
    this.#onBatch.fire(batch);
  }
}
