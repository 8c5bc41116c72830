/** The sentences for what the host itself says in a conversation. */
import { errorMessage } from './errorText.js';
import {
  type AgentSummary,
  type AskGate,
  foldToOneLine,
  type HostNotice,
  type HostNotices,
  type MissingCause,
  type NoticeItem,
  type RemovedConversations,
  type StopReason,
  type UnansweredReason,
  type UnaskedAct,
  type UnrestoredOption,
} from '../core/index.js';
import { leftOutText } from './mcpText.js';
import { shorten } from './plainText.js';
import { counted, megabytes, sentence } from './sentence.js';

/** Why a turn ended before its work was done, although nothing failed. Undefined for a regular end. */
export const stopText: Readonly<Record<StopReason, string | undefined>> = {
  end_turn: undefined,
  max_tokens: 'The answer is incomplete: the model reached its token limit.',
  max_turn_requests: 'The agent stopped: it reached its limit of steps per turn.',
  refusal: 'The agent refused to continue. Your prompt and everything after it are not part of the conversation.',
  cancelled: 'The turn was canceled.',
};

export interface NoticeText {
  readonly title: string;
  readonly description?: string;
}

type Describe<Params> = (params: Params, agent: string) => NoticeText;

const describe: { readonly [C in keyof HostNotices]: Describe<HostNotices[C]> } = {
  events_missing: ({ since, until, events, cause = 'disk' }, agent) => ({
    title: 'Events missing',
    description: missing[cause]({ period: `from ${time(since)} to ${time(until)}`, events: counted(events, 'event'), agent }),
  }),
  beginning_removed: ({ bytes }) => ({
    title: 'Earlier messages were removed',
    description: `The conversation exceeded its size limit, so ${megabytes(bytes)} of older history was removed from disk.`,
  }),
  tool_output_removed: ({ bytes }) => ({
    title: 'Output of earlier tool calls was removed',
    description: `Saved conversations exceeded their size limit, so ${megabytes(bytes)} of tool output was removed from disk. The messages are complete.`,
  }),
  part_removed: () => ({
    title: 'Some messages were removed',
    description: 'A file of the conversation was removed from disk while the conversation was in use. What it contained is lost.',
  }),
  settings_not_restored: ({ options }, agent) => ({
    title: 'Some settings could not be restored',
    description: options.map((option) => unrestored(option, agent)).join('\n'),
  }),
  recall_tail_lost: ({ prompts, since }, agent) => ({
    title: `${agent} doesn't remember the last ${prompts === 1 ? 'message' : `${prompts} messages`}`,
    description: `It resumed the conversation from before "${shortened(since)}". Everything since then is saved here, but the agent doesn't know about it.`,
  }),
  plan_finished: ({ entries }) => ({
    title: `Plan finished: ${counted(entries.length, 'step')}`,
    description: entries.map((entry) => `✓ ${entry}`).join('\n'),
  }),
  recall_other_conversation: (_, agent) => ({
    title: `${agent} resumed a different conversation`,
    description: 'The messages shown here are saved. Ask what it knows before you rely on it.',
  }),
  recall_nothing_told: (_, agent) => ({
    title: `${agent} returned no history`,
    description: 'It may not remember the messages shown here. Ask what it knows before you rely on it.',
  }),
  agent_acted_unasked: ({ act, title, gate }, agent) => ({
    title: `${agent} ${acts[act]} without asking`,
    description: `It didn't request permission for "${shortened(title)}", so you had no chance to reject it, and it may act like this again. ${whatHelps(gate)}`,
  }),
  server_unauthenticated: (_, agent) => ({
    title: `${agent} doesn't check who connects to it`,
    description:
      'Every program on its network, and every web page that is open on its machine, can use it and its tools. Let it listen on 127.0.0.1 only.',
  }),
  agent_keeps_no_context: (_, agent) => ({
    title: `${agent} doesn't remember earlier messages`,
    description: 'Each message stands alone, so write in it everything that the answer needs.',
  }),
  continue_refused: ({ detail }, agent) => ({
    title: `${agent} refused to continue after the approved tool call`,
    description: `It said "${shortened(detail)}". If it is running the tool, its answer follows. Otherwise, stop the turn.`,
  }),
  mcp_servers_left_out: ({ names }, agent) => ({
    title: names.length === 1 ? 'An MCP server was left out' : 'MCP servers were left out',
    description: `${agent} can't connect over the network to ${names.map(foldToOneLine).join(', ')}. It supports only MCP servers that it starts itself.`,
  }),
  mcp_servers_invalid: ({ leftOut }) => ({
    title: leftOut.length === 1 ? 'An MCP server was left out' : 'MCP servers were left out',
    description: `${leftOut.map(leftOutText).join('. ')}.`,
  }),
  system_prompt_left_out: (_, agent) => ({
    title: `${agent} takes no system prompt`,
    description: 'It does not have the instructions that you set for it. Write them in your message, or in a file that it reads.',
  }),
  session_made: () => ({ title: 'New session created', description: 'This conversation continues as it was.' }),
  messages_unread: ({ messages }, agent) => ({
    title: `${counted(messages, 'message')} from ${agent} could not be read`,
    description: 'A part of the answer may be missing.',
  }),
  agent_hangs_after_sleep: (_, agent) => ({
    title: `${agent} has not responded since the computer woke up`,
    description: 'It is running but not responding. Restart it; the conversation is saved.',
  }),
  request_closed_unanswered: ({ request, why }) => ({ title: `Dismissed: ${request}`, description: unanswered[why] }),
};

/** @param agent the agent's name for users */
export function hostNoticeText(notice: HostNotice, agent: string): NoticeText {
  return describeWith(notice, agent);
}

/**
 * Returns the agent's own text, or the sentences for a notice of the host.
 * @param agent the agent's name for users
 */
export function noticeText(item: NoticeItem, agent: string): NoticeText {
  if ('code' in item) return describeWith(item, agent);
  const { title, description } = item;
  return { title, ...(description === undefined ? {} : { description }) };
}

/** @param notice its code and params belong together */
function describeWith<C extends keyof HostNotices>(
  { code, params }: { readonly code: C; readonly params: HostNotices[C] },
  agent: string,
): NoticeText {
  return describe[code](params, agent);
}

const acts: Readonly<Record<UnaskedAct, string>> = {
  execute: 'ran a command',
  edit: 'changed a file',
  delete: 'deleted a file',
  move: 'moved a file',
};

function whatHelps(gate: AskGate | undefined): string {
  switch (gate?.by) {
    case 'mode':
      return `To prevent that, choose the mode "${gate.mode}".`;
    case 'extension':
      return `To be asked first, start it with the extension ${gate.file} that comes with ACP Host.`;
    case undefined:
      return 'See whether it has a mode or a setting in which it asks first.';
  }
}

interface Missing {
  readonly period: string;
  readonly events: string;
  readonly agent: string;
}

const missing: Readonly<Record<MissingCause, (what: Missing) => string>> = {
  disk: ({ period, events }) => `Nothing could be written to disk ${period}. ${events} from that time could not be saved.`,
  pace: ({ period, events, agent }) => `${agent} sent more than could be saved ${period}. ${events} from that time could not be saved.`,
  unclaimed: ({ events, agent }) => `${agent} sent too much before it opened the session. ${events} could not be shown or saved.`,
};

const unanswered: Readonly<Record<UnansweredReason, string>> = {
  no_options: 'The agent offered no answers to choose from.',
  deadline: 'Nobody answered in time.',
  agent_gone: 'The agent exited before it was answered.',
};

const compactions: ReadonlyMap<string, string> = new Map([
  ['in_progress', 'Compacting the context…'],
  ['completed', 'The context was compacted'],
  ['failed', 'The context could not be compacted'],
  ['cancelled', 'The compaction of the context was canceled'],
]);

/** @param status as the agent names it; another one than those of ACP stays as it is */
export function compactionText(status: string): string {
  return compactions.get(status) ?? `Compaction of the context: ${foldToOneLine(status)}`;
}

/** Says that old conversations were removed. */
export function removedText({ conversations, lastUsedAt, totalBytes }: RemovedConversations): string {
  const what = conversations === 1 ? '1 old conversation was' : `${conversations} old conversations were`;
  return `${what} removed from disk (last used ${time(lastUsedAt).slice(0, 10)} or earlier). All conversations together can take ${Math.round(totalBytes / (1024 * 1024))} MB`;
}

function unrestored({ name, value, error }: UnrestoredOption, agent: string): string {
  const what = `${name} "${typeof value === 'boolean' ? (value ? 'on' : 'off') : value}"`;
  return error === undefined ? `${what} is no longer available.` : sentence(`${what} was refused: ${errorMessage(error, agent)}`);
}

const shownChars = 60;

function shortened(prompt: string): string {
  return shorten(prompt.trim().replaceAll(/\s+/g, ' '), shownChars);
}

function time(at: number): string {
  return new Date(at).toISOString();
}

/** Says that a lost agent is back and knows the session. The host does not restart a server, but connects to it again. */
export function agentBackText(agent: Pick<AgentSummary, 'label' | 'isServer'> | undefined): string {
  const label = agent?.label ?? 'The agent';
  return agent?.isServer === true ? `Reconnected to ${label} and resumed the session` : `${label} restarted and resumed the session`;
}

/** Says that a message for a running turn may not have reached it. @param words the message, on one line */
export function unansweredText(agent: Pick<AgentSummary, 'label'> | undefined, words: string): string {
  return `The turn ended, and ${agent?.label ?? 'the agent'} didn't say whether it received "${words}". Send it again if it has no effect.`;
}
