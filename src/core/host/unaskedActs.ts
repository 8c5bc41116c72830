import { findKnownAgent } from '../agents/knownAgents.js';
import type { AgentInfo } from '../backends/agentBackend.js';
import type { AskGate } from '../session/agentHint.js';
import { type HostNotice, type HostNotices, type UnaskedAct, unaskedActs } from '../session/hostNotice.js';
import type { SessionState, ToolItem, TurnOutcome } from '../session/model.js';
import { choicesOf, neverAsks, selectOf } from '../session/sessionOption.js';
import type { UserRequest } from '../session/userRequest.js';
import type { SessionOptions } from './sessionOptions.js';

type UnaskedParams = HostNotices['agent_acted_unasked'];

/** Names that say of a mode that something is not asked, beside those that ask before nothing. In a description, they would also match the opposite ("never without asking"). */
const saysSo = /auto.?(approv|accept|run)|accept.?edits|don.?t.?ask/i;
/** Also the name of an ordinary mode, so it counts only if the user chose it. */
const saysSoIfChosen = /auto/i;

/**
 * Finds what the agent of one session did without asking its user first. One rule for all agents: it executed a tool of a kind that changes
 * something or runs a command, in a session in which it has never asked for permission. A permission or a yes-or-no request counts as
 * asking, and so does any other request that a tool of such a kind waited for (extensions also ask with lists). There is no notice if the
 * mode explains the act: if the mode's value or name says so (`yolo`, `bypassPermissions`, `full-access`), if it is called `auto` and was
 * set through this session, or, for file changes, if the host itself adds a hint to it (`edits_without_asking`).
 */
export class UnaskedActs {
  #hasAsked: boolean;
  readonly #set: Pick<SessionOptions, 'wasSet'>;

  /** @param initial what is known about the session from earlier processes; acts in it are history @param set the options that were set through the session */
  constructor({ items }: Pick<SessionState, 'items'>, set: Pick<SessionOptions, 'wasSet'>) {
    this.#hasAsked = items.some(wasAskedAbout);
    this.#set = set;
  }

  onRequest(request: UserRequest): void {
    if (request.kind === 'confirm' || (request.kind === 'permission' && request.byHost !== true)) this.#hasAsked = true;
  }

  /** @param tools that the agent has called since it was looked last, oldest first @param agentName as in `AgentInfo` */
  among(tools: readonly ToolItem[], { options }: SessionState, agentName: string | undefined): UnaskedParams | undefined {
    const acts = tools.filter(hasActed);
    this.#hasAsked ||= acts.some(wasAskedAbout);
    if (this.#hasAsked) return undefined;
    const mode = selectOf(options, 'mode');
    const choice = mode && choicesOf(mode).find(({ value }) => value === mode.currentValue);
    const names = mode === undefined ? '' : `${mode.currentValue} ${choice?.name ?? ''}`;
    const isChosen = mode !== undefined && this.#set.wasSet(mode.id, mode.currentValue);
    const isSilent = mode !== undefined && neverAsks(choice ?? { value: mode.currentValue, name: '' });
    if (isSilent || saysSo.test(names) || (isChosen && saysSoIfChosen.test(names))) return undefined;
    const isOnlyCommands = choice?.hint === 'edits_without_asking';
    const tool = acts.find(({ toolKind }) => !isOnlyCommands || toolKind === 'execute');
    if (tool === undefined || !isUnaskedAct(tool.toolKind)) return undefined;
    const gate = gateOf(agentName, mode);
    return { act: tool.toolKind, title: tool.title, ...(gate && { gate }) };
  }
}

/** A command that failed also ran, and so, as far as anybody knows, did a call whose end the agent never reported. */
function hasActed({ toolKind, status, exit }: ToolItem): boolean {
  return isUnaskedAct(toolKind) && (status === 'completed' || status === 'unreported' || exit !== undefined);
}

function wasAskedAbout(item: SessionState['items'][number]): boolean {
  return item.kind === 'tool' && isUnaskedAct(item.toolKind) && (item.waitedMs !== undefined || item.waitsSince !== undefined);
}

function isUnaskedAct(kind: string): kind is UnaskedAct {
  return unaskedActs.some((act) => act === kind);
}

/** What prevents it, if known and available: a mode that the agent offers and that is not set. */
function gateOf(agentName: string | undefined, mode: ReturnType<typeof selectOf>): AskGate | undefined {
  const gate = findKnownAgent(agentName)?.askGate;
  if (gate?.by !== 'mode') return gate;
  const choice = mode && choicesOf(mode).find(({ value }) => value === gate.mode);
  return choice === undefined || mode?.currentValue === gate.mode ? undefined : { by: 'mode', mode: choice.name };
}

// What the host says at the end of a turn about the agent, once per run of the agent and not in each of its sessions.

export class RunNotices {
  readonly #host: { readonly info: AgentInfo | undefined };
  readonly #unread: () => number;
  readonly #told = { unasked: new WeakSet<AgentInfo>(), unread: new WeakSet<AgentInfo>() };

  /** @param unread returns how many messages of the agent could not be read, over all of its runs */
  constructor(host: { readonly info: AgentInfo | undefined }, unread: () => number) {
    this.#host = host;
    this.#unread = unread;
  }

  /** Call this at the start of a turn. @returns the notices at its end, before that is reported */
  begin(unasked: UnaskedActs): (tools: readonly ToolItem[], state: SessionState, outcome: TurnOutcome) => readonly HostNotice[] {
    const before = this.#unread();
    return (tools, state, outcome) => {
      const notices = this.ofTools(tools, state, unasked);
      const { info } = this.#host;
      const messages = this.#unread() - before;
      // Once, because some agents print log lines all the time. Not if the agent broke off: the last message is then only half sent, and
      // the end of the turn says that its answer is not complete.
      if (info === undefined || messages === 0 || outcome.type === 'interrupted' || this.#told.unread.has(info)) return notices;
      this.#told.unread.add(info);
      return [...notices, { code: 'messages_unread', params: { messages } }];
    };
  }

  /** Call this also when tool calls were reported while no turn was running. @param tools those calls, oldest first */
  ofTools(tools: readonly ToolItem[], state: SessionState, unasked: UnaskedActs): readonly HostNotice[] {
    const { info } = this.#host;
    const act = info === undefined || this.#told.unasked.has(info) ? undefined : unasked.among(tools, state, info.name);
    if (info === undefined || act === undefined) return [];
    this.#told.unasked.add(info);
    return [{ code: 'agent_acted_unasked', params: act }];
  }
}
