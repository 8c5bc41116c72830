/** Maps the agent's events to events of the conversation. */
import { stripVTControlCharacters } from 'node:util';
import type { SessionEvent } from '../../session/event.js';
import type { PiSettings } from './piSettings.js';
import type { PiTranscript } from './piTranscript.js';
import { todoDetailsSchema, type TodoPhases, todoPhasesSchema } from './schema/answers.js';
import { parseMessage, type PiEvent } from './schema/frames.js';

export interface PiEventsParts {
  readonly transcript: PiTranscript;
  readonly settings: PiSettings;
  /** Distinguishes this process from earlier ones. */
  readonly period: string;
}

export class PiEvents {
  readonly #parts: PiEventsParts;
  /** The number of compactions that have begun. */
  compactions = 0;
  /** The texts of status lines and widgets of extensions, by their keys. */
  readonly #shown = new Map<string, string>();
  /** Keys that were reported in this run, so that a counter is only reported once. */
  readonly #told = new Set<string>();

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
        return transcript.tool(event, at);
      case 'tool_execution_end':
        return [...transcript.tool(event, at), ...settings.plan(todosIn(event), at)];
      case 'todo_auto_clear':
        return settings.plan([], at);
      case 'thinking_level_changed':
        return settings.setLevel(event.level) ? [{ type: 'options', at, options: settings.options }] : [];
      case 'agent_start':
        this.#told.clear();
        return [];
      case 'extension_ui_request':
        if (event.method === 'setStatus') return this.#show(`status ${event.statusKey}`, event.statusText, at);
        if (event.method === 'setWidget') return this.#show(`widget ${event.widgetKey}`, event.widgetLines?.join('\n'), at);
        break;
      case 'compaction_start':
      case 'auto_compaction_start':
        this.compactions++;
        break;
      default:
        break;
    }
    return toNotices(event, at, `${period}.${this.compactions}`);
  }

  /**
   * A screen would draw the text in one place. In a conversation, it becomes a notice if it is new.
   * @param text clears it if absent
   */
  #show(key: string, text: string | undefined, at: number): readonly SessionEvent[] {
    const plain = text === undefined ? '' : stripVTControlCharacters(text).trim();
    const isNews = plain !== '' && this.#shown.get(key) !== plain && !this.#told.has(key);
    if (plain === '') this.#shown.delete(key);
    else this.#shown.set(key, plain);
    if (!isNews) return [];
    this.#told.add(key);
    const [title = '', ...rest] = plain.split('\n');
    return [{ type: 'notice', at, severity: 'info', title, ...(rest.length === 0 ? {} : { description: rest.join('\n') }) }];
  }
}

/** The planning tool reports the whole plan. */
function todosIn({ toolName, result, isError }: Extract<PiEvent, { type: 'tool_execution_end' }>): TodoPhases | undefined {
  const details = isError !== true && toolName.startsWith('todo') ? todoDetailsSchema.safeParse(result.details).data : undefined;
  return details && todoPhasesSchema.parse(details.phases);
}

export function userWords(value: unknown): string {
  const message = parseMessage(value);
  return message?.role === 'user' ? message.content.map((part) => (part.type === 'text' ? part.text : '')).join('') : '';
}

// Maps the agent's events other than messages to events of the conversation. Pure.

/** @param compactionId the compaction that continues or begins */
function toNotices(event: PiEvent, at: number, compactionId: string): readonly SessionEvent[] {
  switch (event.type) {
    case 'compaction_start':
    case 'auto_compaction_start':
      return [{ type: 'compaction', at, id: compactionId, status: 'in_progress' }];
    case 'compaction_end':
    case 'auto_compaction_end':
      return [compactionEnd(event, at, compactionId)];
    case 'auto_retry_start': {
      const { attempt, maxAttempts, delayMs, errorMessage } = event;
      const params = {
        error: errorMessage,
        ...(attempt === undefined ? {} : { attempt }),
        ...(maxAttempts === undefined ? {} : { attempts: maxAttempts }),
      };
      return [{ type: 'wait', at, wait: { kind: 'retry', reason: { code: 'other', params }, until: at + delayMs } }];
    }
    case 'auto_retry_end':
      return [{ type: 'wait', at, wait: null }];
    case 'retry_fallback_applied':
      return [{ type: 'notice', at, severity: 'warning', title: `${event.from} → ${event.to}` }];
    case 'extension_error':
      return [
        {
          type: 'notice',
          at,
          severity: 'error',
          title: event.error,
          description: [event.extensionPath, event.event].filter(Boolean).join(': '),
        },
      ];
    case 'session_info_changed':
      return [{ type: 'info', at, title: event.name ?? null }];
    case 'extension_ui_request':
      return event.method === 'notify' ? [{ type: 'notice', at, severity: event.notifyType ?? 'info', title: event.message }] : [];
    default:
      return [];
  }
}

type CompactionEnd = Extract<PiEvent, { type: 'compaction_end' | 'auto_compaction_end' }>;

function compactionEnd({ result, aborted, errorMessage, skipped }: CompactionEnd, at: number, id: string): SessionEvent {
  const summary = result?.summary;
  const status = aborted === true || skipped === true ? 'cancelled' : errorMessage === undefined ? 'completed' : 'failed';
  return {
    type: 'compaction',
    at,
    id,
    status,
    ...(summary === undefined ? {} : { summary: [{ type: 'text', text: summary }] }),
    ...(errorMessage === undefined ? {} : { error: errorMessage }),
  };
}
