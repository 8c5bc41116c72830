import type { ConnectOptions, SessionSink } from '../agentBackend.js';
import type { PiDialect } from './dialect.js';
import type { PiProcess } from './piProcess.js';

/** What a session of Pi works with. */
export interface PiSessionParts extends ConnectOptions {
  readonly dialect: PiDialect;
  readonly process: PiProcess;
  readonly sink: SessionSink;
  /** The user is done with it: nobody works in the process any more. */
  readonly onClosed: () => Promise<void>;
}
