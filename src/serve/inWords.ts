/**
 * Converts what a client has no update for to a quotation in the answer. It is separate from the agent's own text, and users can't overlook
 * it.
 */
import { randomUUID } from 'node:crypto';
import type { ContentBlock, SessionUpdate } from '@agentclientprotocol/sdk';
import type { AcpUpdate } from '../core/index.js';

type Update<K> = Extract<SessionUpdate, { readonly sessionUpdate: K }>;
type Severity = Update<'notice'>['severity'];

const labels: Readonly<Record<string, string>> = { warning: '**Warning:** ', error: '**Error:** ' } satisfies Partial<
  Record<Severity, string>
>;

const compactions: Readonly<Record<string, string>> = {
  in_progress: 'Compacting the context…',
  completed: 'The context was compacted.',
  failed: 'The context could not be compacted.',
  cancelled: 'The compaction of the context was canceled.',
};

/**
 * @param update an update that this client does not support
 * @returns undefined if it contains nothing for users
 */
export function inWords(update: AcpUpdate & SessionUpdate): SessionUpdate | undefined {
  const words = wordsOf(update);
  if (words === undefined) return undefined;
  const text = `\n\n${words.replaceAll(/^/gm, '> ')}\n\n`;
  // A separate message, for clients that distinguish messages.
  return { sessionUpdate: 'agent_message_chunk', messageId: `acp-host-${randomUUID()}`, content: { type: 'text', text } };
}

function wordsOf(update: SessionUpdate): string | undefined {
  switch (update.sessionUpdate) {
    case 'notice':
      return paragraphs(`${labels[update.severity] ?? ''}${update.title}`, update.description ?? '');
    case 'compaction_update':
      return paragraphs(compactions[update.status] ?? '', update.error ?? '', ...(update.summary ?? []).map(textOf));
    default:
      return undefined;
  }
}

function paragraphs(...texts: readonly string[]): string {
  return texts.filter((text) => text.trim() !== '').join('\n\n');
}

function textOf(block: ContentBlock): string {
  return block.type === 'text' ? block.text : '';
}
