import { promptText } from '../session/content.js';
import type { ContentBlock, SessionState, TurnEndItem } from '../session/model.js';
import { titleOf } from '../session/sessionTitle.js';
import { withoutContext } from './earlierContext.js';
import type { AgentName, ConversationSummary, SavedTurn } from './library.js';
import type { ConversationView } from './publisher.js';

/** A list row has no room for more. */
const firstWordsChars = 200;

/** @returns undefined while there are no messages */
export function summaryOf({
  agent,
  session,
  earlierSessions,
  sending,
}: Pick<ConversationView, 'session' | 'earlierSessions' | 'sending'> & {
  readonly agent: AgentName | undefined;
}): ConversationSummary | undefined {
  const sessions = session === undefined ? earlierSessions : [...earlierSessions, session];
  if (agent === undefined || sessions.every(({ items }) => items.length === 0)) return undefined;
  const last = session ?? earlierSessions.at(-1);
  return {
    agent: { id: agent.id, label: agent.label },
    agentTitle: titleOf(sessions),
    firstWords: firstWordsOf(sessions),
    usedAt: last === undefined ? 0 : usedAt(last),
    turn: last === undefined ? 'idle' : turnOf(last, sending !== undefined),
    earlier: earlierSessions.map(({ sessionId }) => sessionId),
  };
}

function firstWordsOf(sessions: readonly SessionState[]): string | undefined {
  for (const { items } of sessions) {
    const prompt = items.find((item) => item.kind === 'message' && item.role === 'user');
    if (prompt?.kind !== 'message') continue;
    return wordsOf(prompt.content);
  }
  return undefined;
}

/** The beginning of a prompt, without the context of earlier sessions. */
export function wordsOf(content: readonly ContentBlock[]): string {
  return promptText(withoutContext(content)).slice(0, firstWordsChars);
}

function usedAt({ turn, items, createdAt }: SessionState): number {
  return turn.type === 'idle' ? (lastEnd(items)?.at ?? createdAt) : turn.startedAt;
}

function turnOf({ turn, items }: SessionState, isSending: boolean): SavedTurn {
  if (turn.type !== 'idle' || isSending) return 'running';
  const last = items.at(-1);
  return last?.kind === 'turn_end' && last.outcome.type === 'interrupted' ? 'interrupted' : 'idle';
}

function lastEnd(items: SessionState['items']): TurnEndItem | undefined {
  const end = items.findLast((item) => item.kind === 'turn_end');
  return end?.kind === 'turn_end' ? end : undefined;
}
