/** The sessions of agents that are no conversations, as rows of the Conversations view. An agent is asked when its rows are opened. */
import type { HostError } from '../../core/index.js';
import {
  type AgentSessionList,
  type ConversationListEntry,
  Emitter,
  type Disposable,
  type EngineClient,
  type EngineFacts,
  toHostError,
} from '../../core/index.js';
import { missingText } from '../../text/listText.js';
import { describeError } from '../../text/errorText.js';
import type { ListNode } from './listNodes.js';

export type OthersNode = Extract<ListNode, { type: 'others' }>;
export type SessionNode = Extract<ListNode, { type: 'session' }>;

/** The number of rows that each *Load More…* adds. */
const pageLength = 20;

export interface OtherSessionsParts {
  readonly engine: {
    readonly facts: { readonly state: EngineFacts; onChange(listener: () => void): Disposable };
    readonly call: EngineClient['call'];
  };
  /** The conversations. */
  ours(): readonly ConversationListEntry[];
  /** Nothing may start in the folder otherwise. */
  isTrusted(): boolean;
}

/** What an agent listed, or why it did not. */
type Answer = { readonly list: AgentSessionList } | { readonly error: HostError };

interface Asked {
  readonly answer: Promise<Answer>;
  /** The list, once it is there. */
  list?: AgentSessionList;
  /** The number of rows. */
  length: number;
}

export class OtherSessions implements Disposable {
  readonly #parts: OtherSessionsParts;
  readonly #asked = new Map<string, Asked>();
  readonly #onChange = new Emitter<void>();
  readonly #watching: Disposable;
  #known = '';

  constructor(parts: OtherSessionsParts) {
    this.#parts = parts;
    this.#known = this.#agents().join('\n');
    this.#watching = parts.engine.facts.onChange(() => {
      const known = this.#agents().join('\n');
      if (known === this.#known) return;
      this.#known = known;
      this.#onChange.fire();
    });
  }

  /** Fires when the rows are to be drawn again. */
  readonly onChange = this.#onChange.event;

  /** Returns one row for each agent that is known to list its sessions. @param cwd absolute */
  nodesIn(cwd: string): readonly OthersNode[] {
    if (!this.#parts.isTrusted()) return [];
    return this.#agents().map((id) => {
      const agent = { id, label: this.#parts.engine.facts.state.agents[id]?.label ?? id };
      return { type: 'others', id: othersId(cwd, id), agent, cwd };
    });
  }

  /** Asks the agent, which is started for it, unless it was asked before. */
  async childrenOf(node: OthersNode): Promise<readonly ListNode[]> {
    const asked = this.#ask(node);
    const answer = await asked.answer;
    const said = (text: string, isError = false): ListNode => ({ type: 'said', id: `${node.id}\nsaid ${text}`, text, isError });
    if ('error' in answer) {
      const { title, text } = describeError(answer.error.toData(), { agent: node.agent.label });
      const why = said([title, text].filter((part) => part !== '').join('. '), true);
      return answer.error.code === 'auth_required' ? [why, { type: 'sign_in', id: `${node.id}\nsign in`, of: node.id }] : [why];
    }
    const sessions = this.#others(node, answer.list);
    const notes = missingText({ ...answer.list, sessions }).map((text) => said(text));
    if (sessions.length === 0) return [said('No other sessions in this folder'), ...notes];
    const { offers } = answer.list;
    const rows = sessions.slice(0, asked.length).map((session): SessionNode => {
      return { type: 'session', id: sessionNodeId(node, session.sessionId), agent: node.agent, cwd: node.cwd, session, offers };
    });
    const left = sessions.length - rows.length;
    return [...rows, ...(left > 0 ? [{ type: 'more', id: `${node.id}\nmore`, of: node.id, left } as const] : notes)];
  }

  /** @param id of a session's row that was drawn */
  find(id: string | undefined): SessionNode | undefined {
    for (const [of, { list }] of this.#asked) {
      const node = this.#nodeOf(of);
      const session = list?.sessions.find(({ sessionId }) => sessionNodeId(node, sessionId) === id);
      if (list !== undefined && session !== undefined && id !== undefined)
        return { type: 'session', id, agent: list.agent, cwd: node.cwd, session, offers: list.offers };
    }
    return undefined;
  }

  /** @param id of the row with an agent */
  agentOf(id: string | undefined): Pick<OthersNode, 'agent' | 'cwd'> | undefined {
    const { cwd } = id === undefined || !this.#asked.has(id) ? {} : this.#nodeOf(id);
    return cwd === undefined ? undefined : this.nodesIn(cwd).find((node) => node.id === id);
  }

  /** Draws more rows of a list. @param id of the row with the agent */
  showMore(id: string | undefined): void {
    const asked = id === undefined ? undefined : this.#asked.get(id);
    if (asked === undefined) return;
    asked.length += pageLength;
    this.#onChange.fire();
  }

  /** Asks the agent again when its rows are drawn. @param id of the row with the agent, or of one of its sessions; absent: all agents */
  reload(id?: string): void {
    for (const of of this.#asked.keys()) if (id === undefined || of === id || id.startsWith(`${of}\n`)) this.#asked.delete(of);
    this.#onChange.fire();
  }

  dispose(): void {
    this.#watching.dispose();
    this.#onChange.dispose();
  }

  #agents(): readonly string[] {
    const { agents } = this.#parts.engine.facts.state;
    return Object.keys(agents)
      .filter((id) => agents[id]?.listsSessions === true)
      .toSorted();
  }

  #ask(node: OthersNode): Asked {
    const known = this.#asked.get(node.id);
    if (known !== undefined) return known;
    const asked: Asked = { answer: this.#list(node), length: pageLength };
    this.#asked.set(node.id, asked);
    void asked.answer.then((answer) => {
      if ('list' in answer) asked.list = answer.list;
    });
    return asked;
  }

  async #list({ cwd, agent }: OthersNode): Promise<Answer> {
    try {
      return { list: await this.#parts.engine.call('agent_sessions', { cwd, agentId: agent.id, scope: 'folder' }) };
    } catch (error) {
      return { error: toHostError(error) };
    }
  }

  /** Without those that have become conversations since the agent was asked. */
  #others({ agent }: OthersNode, { sessions }: AgentSessionList): AgentSessionList['sessions'] {
    const own = this.#parts.ours().filter((one) => one.agent?.id === agent.id);
    const ids = new Set(own.map(({ sessionId }) => sessionId));
    return sessions.filter(({ sessionId }) => !ids.has(sessionId));
  }

  #nodeOf(id: string): Pick<OthersNode, 'id' | 'cwd'> {
    return { id, cwd: id.slice('others:'.length, id.indexOf('\n')) };
  }
}

/** Returns the id of the row with an agent. */
export function othersId(cwd: string, agentId: string): string {
  return `others:${cwd}\n${agentId}`;
}

function sessionNodeId({ id }: Pick<OthersNode, 'id'>, sessionId: string): string {
  return `${id}\nsession ${sessionId}`;
}
