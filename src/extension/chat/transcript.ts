/** Maps transcript items for the page, and finds what the ids of a page stand for. */
import type { ChatView, ItemView, PromptView, SubagentItemView } from '../../contract/view.js';
import type { DiffView, LocationView } from '../../contract/viewParts.js';
import {
  type ContentBlock,
  type ConversationState,
  filesNamedBy,
  foldToOneLine,
  type HostErrorData,
  type MessageItem,
  printedText,
  requestTitle,
  type SessionKey,
  type SessionState,
  type StopReason,
  stripControls,
  type SubagentItem,
  subagentItemId,
  type SubagentStatus,
  type ToolItem,
  type TranscriptItem,
  type TurnEndItem,
  type UserRequest,
  sessionsOf,
  withoutAbsent,
} from '../../core/index.js';
import { isExitKnown } from '../../text/errorCause.js';
import { isOfConnection } from '../../text/errorText.js';
import { exitText } from '../../text/hintText.js';
import { compactionText, type NoticeText, noticeText } from '../../text/noticeText.js';
import { outputText, subagentName, subagentStatusText } from '../../text/workText.js';
import { buttons, errorView } from '../advice/advice.js';
import { messageViews, textOf } from './messageView.js';
import { shortPath, toolItemView } from './toolView.js';

export function findItem(state: ConversationState, viewId: string): TranscriptItem | undefined {
  for (const session of sessionsOf(state)) {
    const item = session.items.find(({ id }) => viewIdOf(session, id) === viewId);
    if (item !== undefined) return item;
  }
  return undefined;
}

/** Returns the session that a notice of the page refers to. */
export function findMadeSession(state: ConversationState, viewId: string): SessionKey | undefined {
  const item = findItem(state, viewId);
  return item?.kind === 'notice' && 'code' in item && item.code === 'session_made' && state.agent !== undefined
    ? { agentId: state.agent.id, sessionId: item.params.sessionId }
    : undefined;
}

/** Returns the turn that a line of the page ends. */
export function findEndedTurn(state: ConversationState, viewId: string): string | undefined {
  const item = findItem(state, viewId);
  return item?.kind === 'turn_end' ? item.turnId : undefined;
}

/** Returns the user's messages of a turn. */
export function promptOf(state: ConversationState, turnId: string): readonly ContentBlock[] {
  return sessionsOf(state).flatMap(({ items }) =>
    itemsOfTurn(items, turnId).flatMap((item) => (item.kind === 'message' && item.role === 'user' ? item.content : [])),
  );
}

/** Returns the id on the page of the first item of a turn; undefined if the turn is not saved any more. */
export function findStartOfTurn(state: ConversationState, turnId: string): string | undefined {
  for (const session of sessionsOf(state)) {
    const [first] = itemsOfTurn(session.items, turnId);
    if (first !== undefined) return viewIdOf(session, first.id);
  }
  return undefined;
}

/** Returns the id on the page of an item; undefined if it is not there any more. @param sessionId the host's id */
export function findViewId(state: ConversationState, sessionId: string, itemId: string): string | undefined {
  const session = sessionsOf(state).find(({ id, items }) => id === sessionId && items.some((item) => item.id === itemId));
  return session && viewIdOf(session, itemId);
}

/** Returns what the command of a tool call has printed; `end` is how it ended. */
export function commandOutput(item: TranscriptItem | undefined): { readonly text: string; readonly end?: string } | undefined {
  if (item?.kind !== 'tool') return undefined;
  const terminals = item.content.filter((part) => part.type === 'terminal');
  const text = terminals.map(({ output = '' }) => output).join('');
  const runs = terminals.some((part) => part.runs === true) || (item.endedAt === undefined && item.exit === undefined);
  return runs
    ? { text }
    : { text, end: `The command has ended${item.exit === undefined ? '' : `: ${exitText(item.exit) ?? 'exit code 0'}`}` };
}

/** `id` belongs to a tool item or a prompt. */
export function findDiff(view: ChatView, id: string, index: number): DiffView | undefined {
  const item = view.items.find((one) => one.id === id);
  if (item?.kind === 'tool') return item.diffs[index];
  return diffsOfPrompt(view.prompts.find((one) => one.id === id))[index];
}

export function diffsOfPrompt(prompt: PromptView | undefined): readonly DiffView[] {
  return prompt?.kind === 'permission' ? prompt.parts.flatMap((part) => (part.type === 'diff' ? [part.diff] : [])) : [];
}

interface TextDocument {
  readonly name: string;
  readonly text: string;
}

/** Returns a plan, or the whole input or output of a tool call, as a document. */
export function rawDocument(item: TranscriptItem, part: 'input' | 'output'): TextDocument | undefined {
  if (item.kind === 'plan') return { name: 'plan.md', text: item.text.markdown };
  return item.kind === 'tool' ? documentOfTool(item, part) : undefined;
}

function documentOfTool(tool: ToolItem, part: 'input' | 'output'): TextDocument {
  const content = outputText(tool.content);
  if (part === 'output' && content !== '') return { name: `${tool.toolCallId}.output.txt`, text: content };
  return jsonDocument(`${tool.toolCallId}.${part}`, part === 'input' ? tool.rawInput : tool.rawOutput);
}

export function rawInputOfRequest(request: UserRequest): { readonly name: string; readonly text: string } {
  return request.kind === 'permission'
    ? jsonDocument(`${request.subject.toolCallId}.input`, request.subject.rawInput)
    : { name: `${request.id}.txt`, text: requestTitle(request) };
}

function jsonDocument(name: string, value: unknown): { readonly name: string; readonly text: string } {
  return typeof value === 'string'
    ? { name: `${name}.txt`, text: value }
    : { name: `${name}.json`, text: JSON.stringify(value ?? null, null, 2) };
}

// An unchanged item keeps its view, so that a patch only contains what changed.

type Items = SessionState['items'];

/** The items of each turn. A restored conversation draws the ends of thousands of turns at once, and each looks for its own. */
const turns = new WeakMap<Items, ReadonlyMap<string, readonly TranscriptItem[]>>();

/** Returns the items of a turn in order. */
function itemsOfTurn(items: Items, turnId: string): readonly TranscriptItem[] {
  let byTurn = turns.get(items);
  if (byTurn === undefined) turns.set(items, (byTurn = groupByTurn(items)));
  return byTurn.get(turnId) ?? [];
}

function groupByTurn(items: Items): ReadonlyMap<string, readonly TranscriptItem[]> {
  const byTurn = new Map<string, TranscriptItem[]>();
  for (const item of items) {
    const turnId = 'turnId' in item ? item.turnId : undefined;
    if (turnId === undefined) continue;
    const own = byTurn.get(turnId);
    if (own === undefined) byTurn.set(turnId, [item]);
    else own.push(item);
  }
  return byTurn;
}

const states: Readonly<Record<SubagentStatus, SubagentItemView['state']>> = {
  unknown: 'unknown',
  running: 'working',
  requires_action: 'waiting',
  idle: 'done',
  cancelled: 'stopped',
  failed: 'failed',
  unreported: 'unknown',
};

function subagentView(item: SubagentItem, id: string, agent: string): SubagentItemView {
  const { title, description, task, status, error, tools, workedMs, worksSince, canStop } = item;
  const works = worksSince !== undefined;
  return {
    kind: 'subagent',
    id,
    name: subagentName(title),
    state: states[status],
    stateText: subagentStatusText[status],
    tools,
    workedMs,
    canStop: canStop && works,
    ...withoutAbsent({
      description: description?.trim() ? foldToOneLine(stripControls(description)) : undefined,
      task: task && stripControls(task),
      error: error && stripControls(error),
      worksSince,
      note: works && !canStop ? `${agent} can't stop this sub-agent by itself: stop the turn instead.` : undefined,
    }),
  };
}

/** What the view of an item depends on besides the item; constant for a session. */
export interface ItemViewInput extends Pick<SessionState, 'id' | 'cwd'> {
  readonly agent: string;
}

/** Ids of items are only unique in their session, and a page may show items of two sessions. */
export function viewIdOf({ id }: Pick<SessionState, 'id'>, itemId: string): string {
  return `${id}/${itemId}`;
}

/** @returns a function that maps an item of a session to its view, and returns the same view for the same item */
export function itemViews(input: ItemViewInput): (item: TranscriptItem, session: SessionState) => ItemView {
  const known = new WeakMap<TranscriptItem, ItemView>();
  const messageView = messageViews();
  return (item, session) => {
    let view = known.get(item);
    if (view === undefined) {
      view = item.kind === 'message' ? messageView(item, viewIdOf(input, item.id)) : itemView(item, session, input);
      const shownBy = subagentOf(item);
      if (shownBy !== undefined && view.kind !== 'user' && view.kind !== 'turn_end')
        view = { ...view, inside: viewIdOf(input, subagentItemId(shownBy)) };
      known.set(item, view);
    }
    return view;
  };
}

/** The call that starts a sub-agent has what it was told and what it answered. */
function subagentOf(item: TranscriptItem): string | undefined {
  if (item.kind === 'tool' && item.starts !== undefined) return item.starts;
  return 'subagentId' in item ? item.subagentId : undefined;
}

function itemView(item: Exclude<TranscriptItem, MessageItem>, session: SessionState, input: ItemViewInput): ItemView {
  const id = viewIdOf(input, item.id);
  switch (item.kind) {
    case 'tool':
      return toolItemView(item, id, input);
    case 'notice':
      return {
        kind: 'notice',
        id,
        severity: item.severity,
        ...plainNotice(noticeText(item, input.agent)),
        ...('code' in item && item.code === 'plan_finished' ? { folds: true } : {}),
        buttons: 'code' in item && item.code === 'session_made' ? [buttons.openSession] : [],
        at: item.at,
      };
    case 'compaction': {
      const summary = item.error ?? textOf(item.summary);
      const description = stripControls(summary) || undefined;
      return {
        kind: 'notice',
        id,
        severity: item.error === undefined ? 'info' : 'warning',
        title: compactionText(item.status),
        buttons: [],
        at: item.at,
        ...(description === undefined ? {} : { description }),
      };
    }
    case 'plan':
      return {
        kind: 'plan',
        id,
        title: item.isRemoved ? 'Plan, withdrawn' : 'Plan',
        markdown: stripControls(item.text.markdown),
        ...(item.text.path === undefined ? {} : { path: item.text.path }),
        at: item.at,
      };
    case 'subagent':
      return subagentView(item, id, input.agent);
    case 'turn_end':
      return {
        kind: 'turn_end',
        id,
        durationMs: Math.max(0, item.at - item.startedAt - (item.waitedMs ?? 0)),
        ...(item.waitedMs === undefined ? {} : { waitedMs: item.waitedMs }),
        at: item.at,
        ...turnEndText(item, input.agent, () => lastWords(session, item)),
        files: item.outcome.type === 'interrupted' ? touchedFiles(session, item.turnId) : [],
      };
  }
}

function plainNotice({ title, description }: NoticeText): NoticeText {
  return { title: stripControls(title), ...(description === undefined ? {} : { description: stripControls(description) }) };
}

type TurnEndText = Pick<Extract<ItemView, { kind: 'turn_end' }>, 'severity' | 'text' | 'detail' | 'buttons'>;

/** Returns the agent's last message in the turn that ends. */
function lastWords({ items }: SessionState, { turnId }: TurnEndItem): string {
  const last = itemsOfTurn(items, turnId).findLast(
    (item) => item.kind === 'message' && item.role === 'agent' && item.subagentId === undefined,
  );
  return last?.kind === 'message' ? textOf(last.content) : '';
}

/** @param said returns the agent's last message, because many agents write an error as a message before they report it */
function turnEndText({ outcome }: TurnEndItem, agent: string, said: () => string): TurnEndText {
  const detail = outcome.stderrTail === undefined || outcome.stderrTail === '' ? {} : { detail: printedText(outcome.stderrTail) };
  switch (outcome.type) {
    case 'ended':
      if (outcome.silent && outcome.stopReason === 'end_turn') {
        return {
          severity: 'warning',
          ...detail,
          buttons: [buttons.retry, buttons.log],
          text: `${agent} ended the turn without a reply. The model may have refused or sent an empty answer.`,
        };
      }
      return stopText[outcome.stopReason](agent);
    case 'failed': {
      const described = errorView(outcome.error, agent);
      // The card at the top shows what to do as long as there is something to do.
      if (outcome.error.code === 'auth_required') return { severity: 'error', text: `${described.title}.`, ...detail, buttons: [] };
      // The provider's message says more than what the agent logged about it.
      const extra = outcome.error.code === 'provider_failed' ? {} : detail;
      const text = isRepeated(described.text, said()) ? `${described.title}.` : `${described.title}: ${described.text}`;
      return { severity: 'error', text, ...extra, buttons: [...described.buttons] };
    }
    case 'interrupted': {
      const { error } = outcome;
      return {
        severity: 'error',
        text: `Interrupted: ${interruption(error, agent)}. Output so far was saved.`,
        ...detail,
        buttons: [buttons.resend, buttons.editAndResend, buttons.log],
      };
    }
  }
}

function interruption(error: HostErrorData, agent: string): string {
  if (isOfConnection(error)) return `the connection to ${agent} was lost`;
  if (error.code !== 'agent_exited' || isExitKnown(error)) return errorView(error, agent).title;
  // What ends ACP Host ends the agent, too.
  return error.params['reason'] === 'stopped' ? `${agent} was stopped, or ACP Host ended` : `ACP Host ended, or ${agent} exited`;
}

/** Whether a cause only repeats the agent's message, except for what programs prepend to it. */
function isRepeated(cause: string, said: string): boolean {
  const [whole, words] = [plainWords(cause), plainWords(said.slice(-longestCause))];
  return whole !== '' && (words.includes(whole) || (whole.includes(words) && 2 * words.length > whole.length));
}

const longestCause = 4_000;

function plainWords(text: string): string {
  const prefix = /^(?:internal error|api error|error|failed)\W+/i;
  const words = text.trim().replace(prefix, '').replace(prefix, '').toLowerCase();
  return words.replace(/[^\p{L}\p{N}]+/gu, ' ').trim();
}

const stopText: Readonly<Record<StopReason, (agent: string) => TurnEndText>> = {
  end_turn: () => ({ severity: 'info', buttons: [] }),
  cancelled: () => ({ severity: 'info', text: 'Stopped', buttons: [buttons.resend] }),
  max_tokens: () => ({ severity: 'warning', text: "The answer reached the model's length limit. Ask it to continue.", buttons: [] }),
  max_turn_requests: (agent) => ({
    severity: 'warning',
    text: `${agent} reached its limit of steps for one turn. Ask it to continue.`,
    buttons: [],
  }),
  refusal: (agent) => ({
    severity: 'warning',
    text: `${agent} declined to continue. Rephrase the message or start a new conversation.`,
    buttons: [buttons.newSession],
  }),
};

/** A call that failed or that the user rejected changed nothing; an interrupted one may have. */
function touchedFiles({ items, cwd }: SessionState, turnId: string): LocationView[] {
  const done = itemsOfTurn(items, turnId).filter((item) => item.kind !== 'tool' || item.status !== 'rejected');
  return [...filesNamedBy(done)].map((path) => ({ path, label: shortPath(path, cwd) }));
}
