/** A saved conversation as JSON. */
import type { TranscriptItem, TurnOutcome } from '../../core/index.js';
import { compactionLine, compactionSeverity, noticeLine, outcomeMessage, textOfAll, type Transcript } from '../../text/transcriptText.js';
import { schemaVersion, type ShowLine, type ShownItem } from './reportSchema.js';

export function shownAsJson({ agent, sessions, dropped }: Transcript): ShowLine {
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
        severity: compactionSeverity(item),
        text: compactionLine(item),
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
      return { message: outcomeMessage(outcome) };
    case 'interrupted':
      return { stopReason: 'interrupted', message: outcomeMessage(outcome) };
  }
}

function time(at: number): string {
  return new Date(at).toISOString();
}
