import type { ConnectOptions, SessionSink } from '../agentBackend.js';
import type { PiDialect } from './dialect.js';
import type { Command } from './piCalls.js';
import type { PiProcess } from './piProcess.js';
import type { DerivedSession } from './piVerbs.js';

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
