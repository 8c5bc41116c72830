/** A saved conversation as text, Markdown or JSON. */
import { stripControls } from '../../core/index.js';
import path from 'node:path';
import type {
  ContentBlock,
  MessageItem,
  NoticeItem,
  SessionState,
  SubagentItem,
  ToolItem,
  ToolStatus,
  TranscriptItem,
  TurnOutcome,
} from '../../core/index.js';
import { errorMessage } from '../../text/errorText.js';
import { exitText } from '../../text/hintText.js';
import { noticeText, stopText } from '../../text/noticeText.js';
import { closingOf, type OpenBlocks, openBlocksOf, openingOf } from '../../text/openMarkdown.js';
import { subagentLabel, subagentStatusText } from '../../text/workText.js';
import { oneLine, textOf } from './terminalText.js';
import { unfinishedText } from './toolLines.js';
import { schemaVersion, type ShowLine, type ShownItem } from './reportSchema.js';

/** The agent of a saved conversation may no longer be known. */
const agentLabel = 'The agent';

export interface SavedConversation {
  /** As `agentName` returns it. */
  readonly agent: string;
  /** Oldest first: each continues the one before it. */
  readonly sessions: readonly [SessionState, ...SessionState[]];
  /** Lines of the journal that could not be read. */
  readonly dropped: number;
}

export function shownAsJson({ agent, sessions, dropped }: SavedConversation): ShowLine {
  const [first] = sessions;
  const last = sessions.at(-1) ?? first;
  return {
    schemaVersion,
    id: last.sessionId,
    agent,
    cwd: last.cwd,
    created: time(first.createdAt),
    items: sessions.flatMap(({ items }) => items.map(shownItem)),
    open: last.turn.type !== 'idle',
    dropped,
  };
}

function shownItem(item: TranscriptItem): ShownItem {
  const shown = shownFacts(item);
  const subagent = 'subagentId' in item ? item.subagentId : undefined;
  return subagent === undefined || shown.type === 'end' ? shown : { ...shown, subagent };
}

function shownFacts(item: TranscriptItem): ShownItem {
  switch (item.kind) {
    case 'message':
      return {
        type: ({ user: 'prompt', agent: 'answer', thought: 'thought' } as const)[item.role],
        at: time(item.startedAt),
        text: textOfAll(item.content),
      };
    case 'tool':
      return {
        type: 'tool',
        at: time(item.startedAt),
        title: item.title,
        kind: item.toolKind,
        status: item.status,
        ...(item.exit && { exit: item.exit }),
        paths: item.locations.map((location) => location.path),
      };
    case 'notice':
      return {
        type: 'notice',
        at: time(item.at),
        severity: item.severity,
        text: noticeLine(item),
      };
    case 'compaction':
      return {
        type: 'notice',
        at: time(item.at),
        severity: item.error === undefined ? 'info' : 'warning',
        text: `Context compaction: ${item.error ?? item.status.replaceAll('_', ' ')}`,
      };
    case 'plan':
      return { type: 'plan', at: time(item.at), text: item.text.markdown };
    case 'subagent':
      return { type: 'subagent', at: time(item.startedAt), id: item.agentId, title: item.title, status: item.status, tools: item.tools };
    case 'turn_end':
      return { type: 'end', at: time(item.at), outcome: item.outcome.type, ...endFacts(item.outcome) };
  }
}

function endFacts(outcome: TurnOutcome): { stopReason: string; message?: string } | { message: string } {
  switch (outcome.type) {
    case 'ended':
      return { stopReason: outcome.stopReason };
    case 'failed':
      return { message: messageOf(outcome) };
    case 'interrupted':
      return { stopReason: 'interrupted', message: messageOf(outcome) };
  }
}

/** For a terminal: nothing in it can control the terminal. */
export function shownAsText(conversation: SavedConversation): string {
  return stripControls(
    render(conversation, {
      head: (title) => title,
      prompt: (text) => eachLine(text, '> '),
      answer: ({ content }) => textOfAll(content),
      thought: (text) => `thinking: ${text}`,
      aside: (text) => text,
      inside: (text) => eachLine(text, '  │ '),
    }),
  );
}

export function shownAsMarkdown(conversation: SavedConversation): string {
  const ends = new Map<string, OpenBlocks>();
  return render(conversation, {
    head: (title) => `# ${title}`,
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
  readonly head: (title: string) => string;
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

function render({ agent, sessions, dropped }: SavedConversation, style: Style): string {
  const [first, ...others] = sessions;
  const last = others.at(-1) ?? first;
  const head = `${last.sessionId} · ${agent} · ${last.cwd} · ${time(first.createdAt)}`;
  const itemsOf = ({ items, cwd }: SessionState): readonly string[] => items.flatMap((item) => renderItem(item, cwd, style));
  const parts = [style.head(oneLine(head, 1000)), ...itemsOf(first)];
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
    default: {
      const shown = shownItem(item);
      return shown.type === 'notice' ? [style.aside(`${shown.severity}: ${oneLine(shown.text, 1000)}`)] : [];
    }
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
  const files = locations.map((location) => path.relative(cwd, location.path)).filter((file) => !title.includes(file));
  return `${sign} ${oneLine([title, ...files].join(' '), 300)}${words === undefined ? '' : ` (${words})`}`;
}

/** Returns undefined for a regular end. */
function endLine(outcome: TurnOutcome): string | undefined {
  switch (outcome.type) {
    case 'interrupted':
      return `Interrupted: ${messageOf(outcome)}`;
    case 'failed':
      return `Failed: ${messageOf(outcome)}`;
    case 'ended':
      return stopText[outcome.stopReason];
  }
}

function noticeLine(item: NoticeItem): string {
  const { title, description } = noticeText(item, agentLabel);
  return description === undefined ? title : `${title}: ${description}`;
}

function messageOf({ error }: Exclude<TurnOutcome, { type: 'ended' }>): string {
  return errorMessage(error, agentLabel);
}

function textOfAll(content: readonly ContentBlock[]): string {
  return content.map(textOf).join('').trim();
}

function time(at: number): string {
  return new Date(at).toISOString();
}
