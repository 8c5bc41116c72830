/** Formats a conversation as a text that people can review, for the golden files. Leaves out ids and times. */
import {
  type AgentNotice,
  type ContentBlock,
  HostError,
  type SessionState,
  type ToolItem,
  type TranscriptItem,
  type TurnOutcome,
} from '../../src/core/index.js';

/** Longer texts are shown by their ends and their length. */
const limitChars = 600;

export function renderTranscript(state: SessionState): string {
  const lines = state.items.flatMap(renderItem);
  const plan = state.plans.flatMap(({ entries }) => entries).map((entry) => `plan: [${entry.status}] ${entry.content}`);
  const options = state.options.map((option) => `${option.id}: ${String(option.currentValue)}`);
  return `${[...lines, ...plan, ...options].join('\n').replaceAll(state.cwd, '<cwd>')}\n`;
}

function renderItem(item: TranscriptItem): readonly string[] {
  switch (item.kind) {
    case 'message':
      return [`${item.role}${item.open ? ' (open)' : ''}: ${quote(item.content.map(renderBlock).join(''))}`];
    case 'tool':
      return renderTool(item);
    case 'notice':
      return [`notice (${item.severity}): ${'code' in item ? `${item.code} — ${quote(JSON.stringify(item.params))}` : wordsOf(item)}`];
    case 'plan':
      return [`plan${item.isRemoved ? ' (removed)' : ''}: ${quote(item.text.markdown)}`];
    case 'subagent':
      return [`subagent ${item.title} (${item.status}): ${item.tools} tools`];
    case 'compaction':
      return [`compaction: ${item.status}`];
    case 'turn_end':
      return [`— ${renderOutcome(item.outcome)}`, ''];
  }
}

function wordsOf({ title, description }: AgentNotice): string {
  return `${title}${description === undefined ? '' : ` — ${quote(description)}`}`;
}

function renderTool(tool: ToolItem): readonly string[] {
  return [
    `tool ${tool.title} (${tool.toolKind}, ${tool.status}) ${quote(JSON.stringify(tool.rawInput) ?? '')}`,
    ...tool.content.map((piece) => {
      if (piece.type === 'content') return `  text: ${quote(renderBlock(piece.content))}`;
      if (piece.type === 'diff') return `  diff ${piece.path}: ${JSON.stringify(piece.oldText ?? null)} → ${JSON.stringify(piece.newText)}`;
      return `  ${piece.type}`;
    }),
    ...(tool.caveat === undefined ? [] : [`  caveat: ${tool.caveat}`]),
  ];
}

function renderOutcome(outcome: TurnOutcome): string {
  if (outcome.type === 'ended') return `${outcome.stopReason}${outcome.silent ? ' (silent)' : ''}`;
  return `${outcome.type}: ${HostError.from(outcome.error).message}`;
}

const renderBlock = (block: ContentBlock): string => (block.type === 'text' ? block.text : `[${block.type}]`);

function quote(text: string): string {
  const shown = text.length <= limitChars ? text : `${text.slice(0, 200)}[${text.length} characters]${text.slice(-200)}`;
  return shown.replaceAll('\n', '⏎');
}
