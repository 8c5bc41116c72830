/** What the host says at the end of a turn about the agent, once per run of the agent and not in each of its sessions. */
import type { AgentInfo } from '../backends/agentBackend.js';
import type { HostNotice } from '../session/hostNotice.js';
import type { SessionState, TurnOutcome } from '../session/model.js';
import type { UnaskedActs } from './unaskedActs.js';

export interface RunNoticesParts {
  readonly host: { readonly info: AgentInfo | undefined };
  /** How many messages of the agent could not be read, over all of its runs. */
  readonly unread: () => number;
}

export class RunNotices {
  readonly #parts: RunNoticesParts;
  readonly #told = { unasked: new WeakSet<AgentInfo>(), unread: new WeakSet<AgentInfo>() };

  constructor(parts: RunNoticesParts) {
    this.#parts = parts;
  }

  /** Call this at the start of a turn. @returns the notices at its end */
  begin(turnId: string, unasked: UnaskedActs): (state: SessionState, outcome: TurnOutcome) => readonly HostNotice[] {
    const { host, unread } = this.#parts;
    const before = unread();
    return (state, outcome) => {
      const { info } = host;
      if (info === undefined) return [];
      const notices: HostNotice[] = [];
      notices.push(...this.#unaskedAct(info, () => unasked.in(turnId, state, info.name)));
      const messages = unread() - before;
      // Once, because some agents print log lines all the time. Not if the agent broke off: the last message is then only half sent, and
      // the end of the turn says that its answer is not complete.
      if (messages > 0 && outcome.type !== 'interrupted' && !this.#told.unread.has(info)) {
        this.#told.unread.add(info);
        notices.push({ code: 'messages_unread', params: { messages } });
      }
      return notices;
    };
  }

  /** Call this when tool calls were reported while no turn was running. @param itemIds of the tool calls */
  afterTurn(itemIds: ReadonlySet<string>, state: SessionState, unasked: UnaskedActs): readonly HostNotice[] {
    const { info } = this.#parts.host;
    return info === undefined ? [] : this.#unaskedAct(info, () => unasked.late(itemIds, state, info.name));
  }

  #unaskedAct(info: AgentInfo, find: () => ReturnType<UnaskedActs['in']>): readonly HostNotice[] {
    const act = this.#told.unasked.has(info) ? undefined : find();
    if (act === undefined) return [];
    this.#told.unasked.add(info);
    return [{ code: 'agent_acted_unasked', params: act }];
  }
}
