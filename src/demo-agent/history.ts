/** The part of a session that is saved: the conversation as a list of updates that can be sent again. */
import type { SessionUpdate, ToolCall } from '@agentclientprotocol/sdk/unstable';

type MessageChunk = Extract<SessionUpdate, { sessionUpdate: 'user_message_chunk' | 'agent_message_chunk' | 'agent_thought_chunk' }>;

/**
 * Reduces the stream of updates: adjacent chunks of one message become one, and a tool call becomes its last state. Leaves out temporary
 * updates (usage, notices, commands, options, compaction), which are sent anew.
 */
export class HistoryFold {
  readonly #openTools = new Map<string, ToolCall>();
  #text: MessageChunk | undefined;

  /** Takes an update and returns those that are complete, in order. */
  add(update: SessionUpdate): readonly SessionUpdate[] {
    switch (update.sessionUpdate) {
      case 'user_message_chunk':
      case 'agent_message_chunk':
      case 'agent_thought_chunk':
        return this.#addChunk(update);
      case 'tool_call':
        this.#openTools.set(update.toolCallId, update);
        return this.#takeText();
      case 'tool_call_update':
        return this.#addToolUpdate(update);
      case 'plan':
      case 'session_info_update':
        return [...this.#takeText(), update];
      default:
        return [];
    }
  }

  /** Returns what is still open, as far as it has arrived. */
  flush(): readonly SessionUpdate[] {
    const tools = [...this.#openTools.values()].map((call): SessionUpdate => ({ sessionUpdate: 'tool_call', ...call }));
    this.#openTools.clear();
    return [...this.#takeText(), ...tools];
  }

  #addChunk(chunk: MessageChunk): readonly SessionUpdate[] {
    const open = this.#text;
    if (
      open &&
      open.messageId === chunk.messageId &&
      open.sessionUpdate === chunk.sessionUpdate &&
      open.content.type === 'text' &&
      chunk.content.type === 'text'
    ) {
      this.#text = { ...open, content: { type: 'text', text: open.content.text + chunk.content.text } };
      return [];
    }
    const done = this.#takeText();
    this.#text = chunk;
    return done;
  }

  #addToolUpdate(update: Extract<SessionUpdate, { sessionUpdate: 'tool_call_update' }>): readonly SessionUpdate[] {
    const open = this.#openTools.get(update.toolCallId);
    if (!open) return [];
    const { sessionUpdate: _, ...patch } = update;
    const present = Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined && value !== null));
    const merged: ToolCall = { ...open, ...present };
    if (merged.status !== 'completed' && merged.status !== 'failed') {
      this.#openTools.set(update.toolCallId, merged);
      return [];
    }
    this.#openTools.delete(update.toolCallId);
    return [...this.#takeText(), { sessionUpdate: 'tool_call', ...merged }];
  }

  #takeText(): readonly SessionUpdate[] {
    const text = this.#text;
    this.#text = undefined;
    return text ? [text] : [];
  }
}

/** Counts the words of the conversation, the only measure of the context for an agent without a model. */
export function countWords(updates: readonly SessionUpdate[]): number {
  return updates.reduce((sum, update) => sum + wordsIn(textOf(update)), 0);
}

function textOf(update: SessionUpdate): string {
  switch (update.sessionUpdate) {
    case 'user_message_chunk':
    case 'agent_message_chunk':
    case 'agent_thought_chunk':
      return update.content.type === 'text' ? update.content.text : '';
    case 'tool_call':
      return (update.content ?? [])
        .map((part) => (part.type === 'content' && part.content.type === 'text' ? part.content.text : ''))
        .join(' ');
    default:
      return '';
  }
}

function wordsIn(text: string): number {
  return text.match(/\S+/g)?.length ?? 0;
}
