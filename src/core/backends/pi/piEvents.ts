/** What the agent says by itself, as events of the conversation. */
import type { SessionEvent } from '../../session/event.js';
import { toNotices } from './piNotices.js';
import type { PiSettings } from './piSettings.js';
import type { PiTranscript } from './piTranscript.js';
import { parseMessage, type PiEvent } from './schema/frames.js';

export interface PiEventsParts {
  readonly transcript: PiTranscript;
  readonly settings: PiSettings;
  /** Names what is of this process, and no earlier one. */
  readonly period: string;
}

export class PiEvents {
  readonly #parts: PiEventsParts;
  /** So many have begun. */
  compactions = 0;

  constructor(parts: PiEventsParts) {
    this.#parts = parts;
  }

  map(event: PiEvent, at: number): readonly SessionEvent[] {
    const { transcript, settings, period } = this.#parts;
    switch (event.type) {
      case 'message_update':
        return transcript.update(event.delta, at);
      case 'message_start':
        return transcript.messageStart(parseMessage(event.message), at);
      case 'message_end':
        return transcript.messageEnd(parseMessage(event.message), at);
      case 'tool_execution_start':
      case 'tool_execution_update':
      case 'tool_execution_end':
        return transcript.tool(event, at);
      case 'thinking_level_changed':
        return settings.setLevel(event.level) ? [{ type: 'options', at, options: settings.options }] : [];
      case 'compaction_start':
      case 'auto_compaction_start':
        this.compactions++;
        break;
      default:
        break;
    }
    return toNotices(event, at, `${period}.${this.compactions}`);
  }
}

/** The host has offered none of that name. */
export function unknownTool({ id, toolName }: Extract<PiEvent, { type: 'host_tool_call' }>): object {
  const content = [{ type: 'text', text: JSON.stringify({ error: 'unknown_host_tool', toolName }) }];
  return { type: 'host_tool_result', id, result: { content }, isError: true };
}

export function userWords(value: unknown): string {
  const message = parseMessage(value);
  return message?.role === 'user' ? message.content.map((part) => (part.type === 'text' ? part.text : '')).join('') : '';
}
