import { findKnownAgent } from '../agents/knownAgents.js';
import type { AskGate } from '../session/agentHint.js';
import type { SessionEvent } from '../session/event.js';
import { type HostNotices, type UnaskedAct, unaskedActs } from '../session/hostNotice.js';
import type { SessionState, ToolItem } from '../session/model.js';
import { choicesOf, selectOf } from '../session/sessionOption.js';

type UnaskedParams = HostNotices['agent_acted_unasked'];

/** Ways to say in a name that nothing is asked. Of a description they would be found in its opposite, too ("never without asking"). */
const saysSo =
  /yolo|bypass|full.?access|danger|unrestricted|auto.?(approv|accept|run|pilot)|accept.?edits|skip.?permission|(never|don.?t).?ask/i;
/** Also the name of an ordinary mode: it counts only where a person chose it. */
const saysSoIfChosen = /auto/i;

/**
 * What the agent of one session did without asking its user first. One rule for all agents: a tool of a kind that changes something, or runs a command,
 * was executed in a session in which the agent has never asked for permission.
 *
 * As asking counts a permission or a yes-or-no request, and any other request that a tool of such a kind waited for (extensions ask with lists, too).
 * A mode explains it, so that nothing is said, where its value or name says so in plain words (`yolo`, `bypassPermissions`, `full-access`), where it is
 * called `auto` and was set through this session, or, for changes of files, where the host itself says so beside it (`edits_without_asking`).
 */
export class UnaskedActs {
  #hasAsked: boolean;
  /** Options that were set through the session, with the value. */
  readonly #chosen = new Map<string, string | boolean>();

  /** @param initial what is known of the session from earlier processes; what it did then is history */
  constructor({ items }: Pick<SessionState, 'items'>) {
    this.#hasAsked = items.some(wasAskedAbout);
  }

  onEvent(event: SessionEvent): void {
    if (event.type === 'request_opened' && (event.request.kind === 'permission' || event.request.kind === 'confirm')) this.#hasAsked = true;
  }

  onOptionSet(id: string, value: string | boolean): void {
    this.#chosen.set(id, value);
  }

  /** To be called when the turn is over, before its end is told. @param agentName as in `AgentInfo` */
  in(turnId: string, { items, options }: SessionState, agentName: string | undefined): UnaskedParams | undefined {
    const tools = toolsOf(turnId, items);
    this.#hasAsked ||= tools.some(wasAskedAbout);
    if (this.#hasAsked) return undefined;
    const mode = selectOf(options, 'mode');
    const choice = mode && choicesOf(mode).find(({ value }) => value === mode.currentValue);
    const names = mode === undefined ? '' : `${mode.currentValue} ${choice?.name ?? ''}`;
    const isChosen = mode !== undefined && this.#chosen.get(mode.id) === mode.currentValue;
    if (saysSo.test(names) || (isChosen && saysSoIfChosen.test(names))) return undefined;
    const isOnlyCommands = choice?.hint === 'edits_without_asking';
    const tool = tools.find(({ toolKind }) => !isOnlyCommands || toolKind === 'execute');
    if (tool === undefined || !isUnaskedAct(tool.toolKind)) return undefined;
    const gate = gateOf(agentName, mode);
    return { act: tool.toolKind, title: tool.title, ...(gate && { gate }) };
  }
}

/** Those that did something, oldest first. */
function toolsOf(turnId: string, items: SessionState['items']): readonly ToolItem[] {
  const begin = items.findLastIndex((item) => item.kind === 'turn_end') + 1;
  return items.slice(begin).filter((item): item is ToolItem => item.kind === 'tool' && item.turnId === turnId && hasActed(item));
}

/** A command that failed has run, too. */
function hasActed({ toolKind, status, exit }: ToolItem): boolean {
  return isUnaskedAct(toolKind) && (status === 'completed' || exit !== undefined);
}

function wasAskedAbout(item: SessionState['items'][number]): boolean {
  return item.kind === 'tool' && isUnaskedAct(item.toolKind) && (item.waitedMs !== undefined || item.waitsSince !== undefined);
}

function isUnaskedAct(kind: string): kind is UnaskedAct {
  return unaskedActs.some((act) => act === kind);
}

/** What is known to help, where it can be done: a mode that is offered and not set. */
function gateOf(agentName: string | undefined, mode: ReturnType<typeof selectOf>): AskGate | undefined {
  const gate = findKnownAgent(agentName)?.askGate;
  if (gate?.by !== 'mode') return gate;
  const choice = mode && choicesOf(mode).find(({ value }) => value === gate.mode);
  return choice === undefined || mode?.currentValue === gate.mode ? undefined : { by: 'mode', mode: choice.name };
}
