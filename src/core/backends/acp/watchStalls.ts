/** Why a running turn shows nothing, as far as the process tells it beside the protocol. */
import type { Clock } from '../../base/clock.js';
import type { AgentWait } from '../../session/model.js';
import type { AgentProcess } from '../../process/agentProcess.js';
import type { AcpQuirks } from '../../agents/acpQuirks.js';
import type { AcpSession } from './acpSession.js';

export interface WaitParts {
  readonly process: Pick<AgentProcess, 'channel' | 'onStderrLine'>;
  readonly clock: Clock;
  /** As the handshake chose it. */
  quirks(): AcpQuirks;
  sessions(): Iterable<AcpSession>;
}

/** Longer lines are no log lines of one event: agents write whole requests to stderr. */
const lineChars = 500;

/** stderr and the pipe belong to the process and not to a session, so every turn that runs is told. Ends with the process. */
export function watchStalls({ process, clock, quirks, sessions }: WaitParts): void {
  const tell = (wait: AgentWait | null): void => {
    for (const session of sessions()) session.emitWait(wait);
  };
  process.onStderrLine((line) => {
    const retry = line.length > lineChars ? undefined : quirks().retryIn?.(line);
    if (retry !== undefined) tell({ kind: 'retry', reason: retry.reason, until: clock.now() + retry.delayMs });
  });
  process.channel.onStalled(({ pendingBytes }) => tell({ kind: 'not_reading', queuedBytes: pendingBytes }));
  process.channel.onRelieved(() => tell(null));
}
