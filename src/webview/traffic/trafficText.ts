/** The texts of a row, for users who see it and for users of screen readers. */
import type { TrafficOutcome, TrafficRow } from '../../contract/traffic.js';

const kindText: Readonly<Record<TrafficRow['kind'], string>> = {
  request: 'Request',
  response: 'Response',
  notification: 'Notification',
  other: 'Unknown message',
  noise: 'Non-protocol output',
  stderr: 'stderr',
  process: 'Process',
  gap: 'Gap',
};

const outcomeLabels: Readonly<Record<TrafficOutcome, string>> = { ok: 'ok', error: 'error', abandoned: 'abandoned', lost: 'lost' };

/** `18:05:01.042`, in the local time zone. */
export function clockTime(at: number): string {
  const date = new Date(at);
  const digits = (value: number, length: number): string => String(value).padStart(length, '0');
  return `${digits(date.getHours(), 2)}:${digits(date.getMinutes(), 2)}:${digits(date.getSeconds(), 2)}.${digits(date.getMilliseconds(), 3)}`;
}

/** "3 ms", "1.2 s", "2 min". */
export function shortDuration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  return ms < 120_000 ? `${(ms / 1000).toFixed(1)} s` : `${Math.round(ms / 60_000)} min`;
}

export function sizeText(bytes: number): string {
  return bytes < 1024 ? `${bytes} B` : bytes < 1024 * 1024 ? `${(bytes / 1024).toFixed(1)} KB` : `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}

/** Returns what precedes the text: the method or the kind of the row. */
export function titleOf({ kind, method }: TrafficRow): string {
  return method ?? kindText[kind];
}

/** Returns "ok · 12 ms", "waiting"; empty if there is nothing to say. */
export function outcomeText({ kind, outcome, durationMs }: TrafficRow): string {
  if (outcome === undefined) return kind === 'request' ? 'waiting' : '';
  return durationMs === undefined
    ? outcomeLabels[outcome]
    : `${outcome === 'ok' ? '' : `${outcomeLabels[outcome]} · `}${shortDuration(durationMs)}`;
}

/** Returns what the icon and the weight show: "Request to agentao, id 3". */
export function spokenIntro({ kind, direction, agent, id }: TrafficRow): string {
  const intro = `${kindText[kind]} ${direction === 'sent' ? 'to' : 'from'} ${agent}`;
  return id === undefined ? intro : `${intro}, id ${id}`;
}
