/** Maps the state of a conversation to what a page draws. Pure except for its memory of items that were already drawn. */
import type { Action } from '../../contract/actions.js';
import type { ChatView, ContextChipView, EmptyView, ItemView, PromptView } from '../../contract/view.js';
import {
  type ConversationState,
  findKnownAgent,
  isContextBlock,
  isInterrupted,
  isPrompt,
  lateBeginnings,
  type OutboxPrompt,
  type PlanEntry,
  type SessionState,
  stripControls,
  type TranscriptItem,
  isInTurn,
} from '../../core/index.js';
import { buttons, errorView } from '../advice/advice.js';
import { agentLabel, bannerView, type Closed, headerView } from './headerView.js';
import { type AddChanges, changedUnderText, reviewView, turnFooters, unsavedView, withRunning } from './changesView.js';
import { composerView, contextChips, type LastKnown } from './composerView.js';
import type { ChangedUnderText } from '../editor/unsavedTexts.js';
import { heldViews } from './heldView.js';
import { itemViews, viewIdOf } from './transcript.js';
import { lateHeading } from '../../text/workText.js';
import { attachmentsOf, promptRow, textOf } from './messageView.js';
import { waitOf } from './waitView.js';

export interface RecentConversation {
  readonly id: string;
  readonly name: string;
}

export interface ChatInput {
  readonly conversation: ConversationState;
  /** The name of the conversation; absent if none is open. */
  readonly name?: string | undefined;
  /** The name of its folder, if the window has several. */
  readonly folder?: string | undefined;
  /** The last conversations in the same folder, the newest first. */
  readonly recent?: readonly RecentConversation[] | undefined;
  /** The prompts of every conversation, oldest first. */
  readonly prompts: readonly PromptView[];
  readonly closed: Closed | undefined;
  /** The engine has been away for a while. */
  readonly isEngineLost?: boolean;
  /** May explain a failed start. */
  readonly doctorNote?: string | undefined;
  readonly chips: readonly ContextChipView[];
  /** The files of the window that were changed on disk under unsaved text. */
  readonly changedUnderText?: readonly ChangedUnderText[] | undefined;
  /** What the agent of the conversation offered when it last ran. */
  readonly lastKnown?: LastKnown | undefined;
  /** How long a working agent may be silent before it counts as unresponsive. */
  readonly quietAfterMs: number;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

export interface DrawnChat {
  readonly view: ChatView;
  /** When the view changes although nothing happens, in milliseconds since the epoch. */
  readonly wakeAt?: number;
  /**
   * The same with what the agent said since, while nothing else changed.
   * @param session in its state now
   * @param now milliseconds since the epoch
   */
  speak(session: SessionState | undefined, now: number): DrawnChat;
}

/** @returns a function that keeps the view of each unchanged item */
export function chatDrawer(): (input: ChatInput) => DrawnChat {
  const itemsOf = memoryBySession();
  const footersOf = turnFooters();
  return (input) => {
    const { conversation: state, quietAfterMs } = input;
    const agent = agentLabel(state);
    const session = state.session;
    const footer = footersOf(state, agent);
    const ready = state.outbox.filter(({ held }) => held === undefined);
    const busy = isInTurn(state);
    const steers = state.whileRunning.deliveries.includes('steer');
    // A prompt that waits for a turn is queued behind it; one that waits for the agent is the latest message.
    const isQueued = busy || state.sending !== undefined;
    // A prompt that waits for the user is in a card that says so, and not in the conversation as if it were sent.
    const blocker = isQueued || state.opening !== undefined ? undefined : state.blocker?.type;
    const choiceOpen = state.blocker?.type === 'resume_refused';
    const held = heldViews(state.outbox, {
      agent,
      blocker,
      afterInterruption: session !== undefined && isInterrupted(session),
      choiceOpen,
    });
    const isResendHeld = held.some((card) => card.buttons.some(({ action }) => action === 'resendInterrupted'));
    const saidElsewhere = choiceOpen ? 'choice' : isResendHeld ? 'resend' : undefined;
    const earlier = state.earlierSessions.flatMap((one, index) => {
      const below = state.earlierSessions[index + 1];
      return [...itemsOf(one, agent, footer), divider(one, below ?? session, agent, below === undefined && state.context !== undefined)];
    });
    const unsent = isQueued || blocker !== undefined ? [] : ready.map(unsentView);
    const itemsWith = (now: SessionState | undefined): ItemView[] => [
      ...earlier,
      ...(now === undefined ? [] : withoutDuplicates(itemsOf(now, agent, footer), saidElsewhere)),
      ...unsent,
    ];
    const drawn = (view: Omit<ChatView, 'items' | 'wait'>, current: SessionState | undefined, now: number): DrawnChat => {
      const { requests, status, opening, live } = state;
      const wait = waitOf({ requests, agent, status, session: current, opening, live, quietAfterMs, now });
      return {
        view: { ...view, items: itemsWith(current), wait: withRunning(wait.view, state.changes) },
        ...(wait.wakeAt !== undefined && { wakeAt: wait.wakeAt }),
        speak: (later, at) => drawn(view, later, at),
      };
    };
    const view = {
      header: headerView(state, input.name),
      banner: bannerView(state, input),
      empty:
        state.isRestored && input.closed === undefined && held.length === 0
          ? { ...emptyView(state, input), recent: recentButtons(input.recent ?? []) }
          : nothingToSay,
      plans: (session?.plans ?? []).flatMap(({ entries }) => (entries.length === 0 ? [] : [entries.map(planEntryView)])),
      prompts: [...input.prompts],
      // The queue of an agent that has ended is gone; prompts that are still to be sent are in the outbox.
      queue: [
        ...(state.live ? (session?.queue ?? []) : []).map((prompt) => ({
          ...promptRow(prompt),
          ...(state.whileRunning.canUnqueue ? {} : { isFixed: true }),
          // Prompts that stay in the agent when a turn is stopped are processed after the next message.
          goes: isQueued ? 'this turn' : 'next message',
        })),
        ...(isQueued ? ready : []).map((prompt) => ({
          ...promptRow(prompt),
          ...(steers && { goes: 'next turn' }),
          sendNow: steers ? 'Send Immediately (Adds It to the Running Turn)' : 'Send Immediately (Stops the Running Turn)',
        })),
      ],
      held,
      review: reviewView(state.changes),
      unsaved: unsavedView(changedUnderText(state, input.changedUnderText ?? [])),
      composer: composerView({
        agent: state.agent?.label ?? 'an agent',
        session,
        optionChanges: state.optionChanges,
        lastKnown: input.lastKnown,
        isFixed: input.closed !== undefined || choiceOpen,
        busy,
        steers,
        chips: [...contextChips(state.context), ...input.chips],
        disabledReason: input.closed === undefined ? undefined : closedReasons[input.closed],
      }),
    };
    return drawn(view, session, input.now);
  };
}

const closedReasons: Readonly<Record<Closed, string>> = { untrusted: 'The workspace is not trusted', no_folder: 'No folder is open' };

/** One memory per session and agent, because ids and texts of items depend on both. */
function memoryBySession(): (session: SessionState, agent: string, footer: AddChanges) => readonly ItemView[] {
  const drawers = new Map<string, ReturnType<typeof itemViews>>();
  return (session, agent, footer) => {
    const { id, cwd } = session;
    const key = `${id}\0${agent}`;
    const draw = drawers.get(key) ?? itemViews({ id, cwd, agent });
    drawers.set(key, draw);
    const beginnings = lateBeginnings(session.items);
    return session.items.flatMap((item) => {
      const view = draw(item, session);
      if (beginnings.has(item)) return [lateView(viewIdOf(session, `late/${item.id}`), item), view];
      return item.kind === 'turn_end' ? footer(view, item) : view;
    });
  };
}

function lateView(id: string, first: TranscriptItem): ItemView {
  const at = 'at' in first ? first.at : first.startedAt;
  return { kind: 'notice', id, severity: 'info', title: lateHeading, heads: true, buttons: [], at };
}

/** The card that offers the same as the end of the last turn: to resend it, or how to continue at all. */
type SaidElsewhere = 'resend' | 'choice';

const isLeft: Readonly<Record<SaidElsewhere, (action: Action) => boolean>> = {
  resend: (action) => action !== 'retry',
  choice: (action) => action === 'showLog',
};

function withoutDuplicates(items: readonly ItemView[], said: SaidElsewhere | undefined): readonly ItemView[] {
  const last = items.at(-1);
  if (said === undefined || last?.kind !== 'turn_end') return items;
  return [...items.slice(0, -1), { ...last, buttons: last.buttons.filter(({ action }) => isLeft[said](action)) }];
}

function planEntryView({ content, priority, status }: PlanEntry): ChatView['plans'][number][number] {
  return { content: stripControls(content), priority, status };
}

function unsentView({ id, content, at }: OutboxPrompt): ItemView {
  return { kind: 'user', id: `unsent/${id}`, promptId: id, text: textOf(content), attachments: attachmentsOf(content), at };
}

/** A card says everything. */
const nothingToSay: EmptyView = { title: '', text: '', examples: [], buttons: [] };

function recentButtons(recent: NonNullable<ChatInput['recent']>): NonNullable<EmptyView['recent']> {
  return recent.map(({ id, name }) => ({ action: 'openConversation', label: name, itemId: id }));
}

/** The chips may contain the file that is open in the editor. */
function emptyView(state: ConversationState, { chips, folder }: Pick<ChatInput, 'chips' | 'folder'>): EmptyView {
  const agent = agentLabel(state);
  const question = `What should ${agent} do${folder === undefined ? '' : ` in ${folder}`}?`;
  const known = findKnownAgent(state.agent?.id);
  const open = chips.find(({ follows }) => follows !== undefined);
  if (state.agent?.isFallback === true)
    return {
      title: 'No agent was found',
      text: 'Select one to install or set up, or try the built-in one, which has no model.',
      examples: [],
      buttons: [buttons.selectAgent, buttons.tryBuiltIn, buttons.checkAgain],
    };
  if (known?.tour !== undefined) {
    return {
      title: `Try the ${known.commonName ?? known.label}`,
      text: `It does real work in ${folder ?? 'this folder'}, without a model. Type "${known.tour.helpPrompt}" for everything it can do.`,
      examples: [...known.tour.examples],
      buttons: [buttons.selectAgent],
    };
  }
  if (state.agent?.isServer === true) {
    return {
      title: question,
      text: `${agent} is a server: it sees what you send it, and what its own tools can reach. To include code, select it in the editor.`,
      examples: [],
      buttons: [buttons.selectAgent],
    };
  }
  return {
    title: question,
    text: 'Type @ for files and / for commands.',
    examples:
      open === undefined ? ['Explain this project'] : [`Explain ${open.label}`, `Write tests for ${open.label}`, 'Explain this project'],
    buttons: [buttons.selectAgent],
  };
}

type Knows = 'nothing' | 'context' | 'context_to_come' | 'fork';

function knowledge(below: SessionState | undefined, contextWaits: boolean): Knows {
  if (below?.fork === 'made') return 'fork';
  if (contextWaits) return 'context_to_come';
  const carried = below?.items.some((item) => isPrompt(item) && item.content.some(isContextBlock)) === true;
  return carried ? 'context' : 'nothing';
}

const dividerText: Readonly<Record<Knows, (agent: string) => { readonly title: string; readonly description: string }>> = {
  nothing: (agent) => ({ title: `${agent} started a new session`, description: "It doesn't know the conversation above." }),
  context: (agent) => ({
    title: `${agent} continued here`,
    description: 'It received only the text of the conversation above, with the message below.',
  }),
  fork: (agent) => ({ title: `${agent} continued here`, description: 'It forked its session, and knows the conversation above.' }),
  context_to_come: (agent) => ({
    title: `${agent} continued here`,
    description: 'It will receive only the text of the conversation above, with your next message.',
  }),
};

/** The line between a conversation and the new session that continues it. */
function divider(above: SessionState, below: SessionState | undefined, agent: string, contextWaits: boolean): ItemView {
  const { title, description } = dividerText[knowledge(below, contextWaits)](agent);
  // Why the agent did not fork the session.
  const refusal = below?.fork === undefined || below.fork === 'made' ? undefined : stripControls(errorView(below.fork, agent).text);
  return {
    kind: 'notice',
    id: viewIdOf(above, 'divider'),
    severity: 'info',
    buttons: [],
    at: above.createdAt,
    title,
    description: refusal === undefined ? description : `It could not fork its session: ${refusal} ${description}`,
  };
}
