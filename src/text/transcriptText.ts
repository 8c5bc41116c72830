/** A conversation as a text that is read outside of ACP Host: plain, or as Markdown. */
import {
  type CompactionItem,
  type ContentBlock,
  type MessageItem,
  type NoticeItem,
  type SessionState,
  stripControls,
  type SubagentItem,
  type ToolItem,
  type ToolStatus,
  type TranscriptItem,
  type TurnOutcome,
  withoutContext,
} from '../core/index.js';
import { errorMessage } from './errorText.js';
import { exitText } from './hintText.js';
import { compactionText, noticeText, stopText } from './noticeText.js';
import { closingOf, type OpenBlocks, openBlocksOf, openingOf } from './openMarkdown.js';
import { oneLine, textOf } from './plainText.js';
import { subagentLabel, subagentStatusText, unfinishedText, withoutFolder } from './workText.js';

/** The agent of a saved conversation may no longer be known. */
const agentLabel = 'The agent';

/** What was said and done in a conversation. */
export interface Transcript {
  /** The name of the conversation; the agent's id of its last session if absent. */
  readonly name?: string;
  /** The agent's name. */
  readonly agent: string;
  /** Oldest first: each continues the one before it. */
  readonly sessions: readonly [SessionState, ...SessionState[]];
  /** Lines of the journal that could not be read. */
  readonly dropped: number;
}

/** For a terminal: nothing in it can control the terminal. */
export function transcriptAsText(transcript: Transcript): string {
  return stripControls(
    render(transcript, {
      head: (title, facts) => `${title} · ${facts}`,
      prompt: (text) => eachLine(text, '> '),
      answer: ({ content }) => textOfAll(content),
      thought: (text) => `thinking: ${text}`,
      aside: (text) => text,
      inside: (text) => eachLine(text, '  │ '),
    }),
  );
}

export function transcriptAsMarkdown(transcript: Transcript): string {
  const ends = new Map<string, OpenBlocks>();
  return render(transcript, {
    head: (title, facts) => `# ${title}\n\n${facts}`,
    prompt: (text) => `## Prompt\n\n${text}\n\n## Answer`,
    answer({ id, continues, content }) {
      const text = content.map(textOf).join('').trimEnd();
      const before = continues === undefined ? undefined : ends.get(continues);
      const whole = before === undefined ? text.trimStart() : openingOf(before, text) + text;
      const open = openBlocksOf(`${whole}\n`);
      ends.set(id, open);
      return `${whole}\n${closingOf(open)}`.trimEnd();
    },
    thought: (text) => eachLine(text, '> '),
    aside: (text) => `*${text.replace(/[\\*_`[\]<]/g, '\\$&')}*`,
    inside: (text) => eachLine(text, '> '),
  });
}

interface Style {
  readonly head: (title: string, facts: string) => string;
  readonly prompt: (text: string) => string;
  readonly answer: (item: MessageItem) => string;
  readonly thought: (text: string) => string;
  /** A line that is neither a prompt nor an answer. */
  readonly aside: (text: string) => string;
  /** What a sub-agent said or did. */
  readonly inside: (text: string) => string;
}

function eachLine(text: string, prefix: string): string {
  return text
    .split('\n')
    .map((line) => `${prefix}${line}`)
    .join('\n');
}

function render({ name, agent, sessions, dropped }: Transcript, style: Style): string {
  const [first, ...others] = sessions;
  const last = others.at(-1) ?? first;
  const facts = [agent, last.cwd, new Date(first.createdAt).toISOString()].join(' · ');
  const itemsOf = ({ items, cwd }: SessionState): readonly string[] => items.flatMap((item) => renderItem(item, cwd, style));
  const parts = [style.head(oneLine(name ?? last.sessionId, 300), oneLine(facts, 1000)), ...itemsOf(first)];
  for (const session of others) {
    const which = session.fork === 'made' ? 'a session that the agent forked' : 'a new session';
    parts.push(style.aside(`The conversation continues in ${which}.`), ...itemsOf(session));
  }
  if (last.turn.type !== 'idle') parts.push(style.aside('This turn has no recorded end: it is in progress or was interrupted.'));
  if (dropped > 0) parts.push(style.aside(`${dropped} ${dropped === 1 ? 'line' : 'lines'} of the journal could not be read.`));
  return `${parts.join('\n\n')}\n`;
}

function renderItem(item: TranscriptItem, cwd: string, style: Style): readonly string[] {
  const parts = renderOuter(item, cwd, style);
  return 'subagentId' in item && item.subagentId !== undefined ? parts.map((text) => style.inside(text)) : parts;
}

function renderOuter(item: TranscriptItem, cwd: string, style: Style): readonly string[] {
  switch (item.kind) {
    case 'message':
      return [item.role === 'agent' ? style.answer(item) : style[item.role === 'user' ? 'prompt' : 'thought'](textOfAll(item.content))];
    case 'tool':
      return [style.aside(toolLine(item, cwd))];
    case 'plan':
      return [style.aside('Plan:'), item.text.markdown.trim()];
    case 'subagent':
      return [style.aside(subagentLine(item))];
    case 'turn_end': {
      const line = endLine(item.outcome);
      return line === undefined ? [] : [style.aside(line)];
    }
    case 'notice':
      return [style.aside(`${item.severity}: ${oneLine(noticeLine(item), 1000)}`)];
    case 'compaction':
      return [style.aside(`${compactionSeverity(item)}: ${oneLine(compactionLine(item), 1000)}`)];
  }
}

function subagentLine({ title, description, status, tools }: SubagentItem): string {
  const facts = [subagentStatusText[status], tools === 0 ? '' : `${tools} ${tools === 1 ? 'tool' : 'tools'}`].filter((text) => text !== '');
  const about = description === undefined ? subagentLabel(title) : `${subagentLabel(title)}: ${description}`;
  return `${oneLine(about, 300)}${facts.length === 0 ? '' : ` (${facts.join(', ')})`}`;
}

const toolSigns: Readonly<Record<ToolStatus, { readonly sign: string; readonly words?: string }>> = {
  pending: { sign: '…', words: 'in progress' },
  in_progress: { sign: '…', words: 'in progress' },
  completed: { sign: '✓' },
  failed: { sign: '✗' },
  cancelled: { sign: '-', words: unfinishedText.cancelled },
  unreported: { sign: '-', words: unfinishedText.unreported },
  rejected: { sign: '-', words: unfinishedText.rejected },
};

function toolLine({ status, title, locations, exit }: ToolItem, cwd: string): string {
  const badEnd = status === 'completed' || status === 'failed' ? exit && exitText(exit) : undefined;
  const { sign, words } = badEnd === undefined ? toolSigns[status] : { sign: toolSigns.failed.sign, words: badEnd };
  const files = locations.map((location) => withoutFolder(location.path, cwd)).filter((file) => !title.includes(file));
  return `${sign} ${oneLine([title, ...files].join(' '), 300)}${words === undefined ? '' : ` (${words})`}`;
}

/** Returns undefined for a regular end. */
function endLine(outcome: TurnOutcome): string | undefined {
  switch (outcome.type) {
    case 'interrupted':
      return `Interrupted: ${outcomeMessage(outcome)}`;
    case 'failed':
      return `Failed: ${outcomeMessage(outcome)}`;
    case 'ended':
      return stopText[outcome.stopReason];
  }
}

export function noticeLine(item: NoticeItem): string {
  const { title, description } = noticeText(item, agentLabel);
  return description === undefined ? title : `${title}: ${description}`;
}

export function compactionLine({ error, status }: CompactionItem): string {
  return [compactionText(status), error].filter((part) => part !== undefined).join(': ');
}

export function compactionSeverity({ error }: CompactionItem): 'info' | 'warning' {
  return error === undefined ? 'info' : 'warning';
}

export function outcomeMessage({ error }: Exclude<TurnOutcome, { type: 'ended' }>): string {
  return errorMessage(error, agentLabel);
}

/** Leaves out what the agent received of the conversation so far, which was read before. */
export function textOfAll(content: readonly ContentBlock[]): string {
  return withoutContext(content).map(textOf).join('').trim();
}
