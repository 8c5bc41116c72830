/** How much of the session the agent remembers: its size, and a short summary in place of a long history. */
import { randomUUID } from 'node:crypto';
import type { SessionUpdate } from '@agentclientprotocol/sdk/unstable';
import { type DemoSession, historyLimitWords } from './session.js';

/** The number of latest turns whose updates stay. */
const KEPT_PROMPTS = 1;
const LISTED_PROMPTS = 20;

/** The summarized part is really gone from the disk and from later replays. */
export async function compactHistory(session: DemoSession, signal: AbortSignal): Promise<void> {
  const { earlier, recent } = splitHistory(session.history);
  const summary = summarise(earlier);
  // Clients that did not declare it would ignore these updates, or complain.
  const declared = Boolean(session.capabilities.session?.compaction);
  const compactionId = randomUUID();
  if (declared) {
    await session.send({ sessionUpdate: 'compaction_update', compactionId, status: 'in_progress' });
    for (const line of summary) {
      signal.throwIfAborted();
      await session.send({ sessionUpdate: 'compaction_summary_chunk', compactionId, content: { type: 'text', text: `${line}\n` } });
    }
  }
  await session.replaceHistory([
    { sessionUpdate: 'agent_message_chunk', messageId: compactionId, content: { type: 'text', text: summary.join('\n') } },
    ...recent,
  ]);
  if (declared) await session.send({ sessionUpdate: 'compaction_update', compactionId, status: 'completed' });
}

function splitHistory(history: readonly SessionUpdate[]): {
  readonly earlier: readonly SessionUpdate[];
  readonly recent: readonly SessionUpdate[];
} {
  const prompts = history.flatMap((update, index) => (update.sessionUpdate === 'user_message_chunk' ? [index] : []));
  const cut = prompts.at(-KEPT_PROMPTS) ?? history.length;
  return { earlier: history.slice(0, cut), recent: history.slice(cut) };
}

function summarise(updates: readonly SessionUpdate[]): readonly string[] {
  const prompts = updates.flatMap((update) =>
    update.sessionUpdate === 'user_message_chunk' && update.content.type === 'text' ? [firstLine(update.content.text)] : [],
  );
  const tools = updates.filter((update) => update.sessionUpdate === 'tool_call').length;
  return [
    `Earlier in this session: prompts ${prompts.length}, tool calls ${tools}.`,
    ...prompts.slice(-LISTED_PROMPTS).map((prompt) => `- ${prompt}`),
  ];
}

function firstLine(text: string): string {
  return (text.trim().split('\n')[0] ?? '').slice(0, 100);
}

/** Sends the usage, with words in place of tokens. The `usage` command explains this to the user. */
export function sendUsage(session: DemoSession): Promise<void> {
  return session.send({
    sessionUpdate: 'usage_update',
    used: session.words,
    size: historyLimitWords,
    cost: { amount: 0, currency: 'USD' },
  });
}
