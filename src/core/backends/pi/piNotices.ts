/** Maps the agent's events other than messages to events of the conversation. Pure. */
import type { SessionEvent } from '../../session/event.js';
import type { PiEvent } from './schema/frames.js';

/** @param compactionId the compaction that continues or begins */
export function toNotices(event: PiEvent, at: number, compactionId: string): readonly SessionEvent[] {
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

function compactionEnd({ result, aborted, errorMessage }: CompactionEnd, at: number, id: string): SessionEvent {
  const summary = result?.summary;
  const status = aborted === true ? 'cancelled' : errorMessage === undefined ? 'completed' : 'failed';
  return {
    type: 'compaction',
    at,
    id,
    status,
    ...(summary === undefined ? {} : { summary: [{ type: 'text', text: summary }] }),
    ...(errorMessage === undefined ? {} : { error: errorMessage }),
  };
}
