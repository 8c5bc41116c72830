import type { Redactor } from '../base/redact.js';
import type { ExitInfo } from '../node/spawnProcess.js';

/** One message as it crossed the pipe. `message` is what was parsed or will be written. */
export interface TrafficMessage {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly direction: 'received' | 'sent';
  readonly kind: 'message';
  readonly message: unknown;
  /** Its length on the wire. */
  readonly bytes: number;
  /** Set if the message was too long; `message` is then only a part of it. */
  readonly cut?: true;
}

/** `noise` is a line on stdout that was not a message; `stderr` is a line that the agent wrote to stderr. */
export interface TrafficLine {
  readonly at: number;
  readonly direction: 'received';
  readonly kind: 'noise' | 'stderr';
  readonly text: string;
  readonly bytes: number;
}

/** The process behind the pipe was started or has ended. */
export interface TrafficMark {
  readonly at: number;
  readonly direction: 'received';
  readonly kind: 'process';
  readonly event: 'started' | 'ended';
  /** How the process ended, if that is known. */
  readonly exit?: ExitInfo;
  readonly bytes: 0;
}

/** One recorded entry: a message, another line, or a mark of the process. */
export type TrafficEntry = TrafficMessage | TrafficLine | TrafficMark;

/** Returns the same entry without its secrets. Only such entries leave the host. */
export function redactTraffic(entry: TrafficEntry, redactor: Redactor): TrafficEntry {
  switch (entry.kind) {
    case 'message':
      return { ...entry, message: redactor.json(entry.message) };
    case 'noise':
    case 'stderr':
      return { ...entry, text: redactor.text(entry.text) };
    case 'process':
      return entry;
  }
}
