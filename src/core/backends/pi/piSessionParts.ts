import type { SessionEvent } from '../../session/event.js';
import type { ConnectOptions, SessionSink } from '../agentBackend.js';
import type { PiDialect } from './dialect.js';
import type { Command } from './piCalls.js';
import type { PiProcess } from './piProcess.js';
import type { DerivedSession } from './piVerbs.js';

/** Where events of the session go, and what time it is. */
export interface Teller {
  readonly now: () => number;
  readonly emit: (event: SessionEvent) => void;
}

/** What a session of Pi works with. */
export interface PiSessionParts extends ConnectOptions {
  readonly dialect: PiDialect;
  readonly process: PiProcess;
  readonly sink: SessionSink;
  /** Has a process of its own make a session out of a saved one. */
  readonly deriveSession: (path: string, command: Command) => Promise<DerivedSession>;
  /** The user is done with it: nobody works in the process any more. */
  readonly onClosed: () => Promise<void>;
}
