import type { Redactor } from '../base/redact.js';

/** One message as it crossed the pipe. `message` is what was parsed or will be written; `noise` is a line that was no message. */
export type TrafficEntry =
  | { readonly at: number; readonly direction: 'received' | 'sent'; readonly kind: 'message'; readonly message: unknown; readonly bytes: number }
  | { readonly at: number; readonly direction: 'received'; readonly kind: 'noise'; readonly text: string; readonly bytes: number };

/** The same entry without its secrets: only such ones leave the host. */
export function redactTraffic(entry: TrafficEntry, redactor: Redactor): TrafficEntry {
  return entry.kind === 'noise' ? { ...entry, text: redactor.text(entry.text) } : { ...entry, message: redactor.json(entry.message) };
}
