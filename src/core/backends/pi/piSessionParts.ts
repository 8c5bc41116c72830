import type { SessionEvent } from '../../session/event.js';
import type { ConnectOptions, SessionSink } from '../agentBackend.js';
import type { PiDialect } from './dialect.js';
import type { Command } from './piCalls.js';
import type { PiProcess } from './piProcess.js';
import type { DerivedSession } from './piVerbs.js';

/** Receives the events of a session, and knows the time. */
export interface Teller {
  readonly now: () => number;
  readonly emit: (event: SessionEvent) => void;
}

/** What a session of Pi needs. */
export interface PiSessionParts extends ConnectOptions {
  readonly dialect: PiDialect;
  readonly process: PiProcess;
  readonly sink: SessionSink;
  /** Has a separate process create a session from a saved one. */
  readonly deriveSession: (path: string, command: Command) => Promise<DerivedSession>;
  /** Called when the user has closed the session, and its process is no longer used. */
  readonly onClosed: () => Promise<void>;
}
