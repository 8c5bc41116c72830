/** Is the agent still there after the machine slept? A process that ended tells it itself; one that hangs does not. */
import type { Clock } from '../../base/clock.js';
import type { Disposable } from '../../base/disposable.js';
import { toHostError } from '../../base/errors.js';
import type { Logger } from '../../base/logger.js';
import type { WakeWatch } from '../../base/wake.js';
import type { AcpSession } from './acpSession.js';

export interface ProbeParts {
  readonly wake: Pick<WakeWatch, 'onWake'>;
  readonly clock: Clock;
  readonly log: Logger;
  sessions(): Iterable<AcpSession>;
  /**
   * Asks for a method that no agent has. JSON-RPC makes every agent answer it, with -32601, and no agent does anything for it: both versions of
   * agentao that are tested answer so, and so does every agent built on one of ACP's own libraries.
   */
  ask(): Promise<unknown>;
}

/** While a turn runs nothing is asked: some agents answer nothing meanwhile, and how long they have been quiet is shown anyway. */
export function probeAfterSleep({ wake, clock, log, sessions, ask }: ProbeParts): Disposable {
  return wake.onWake(async (sleptMs) => {
    if ([...sessions()].some((session) => session.busy)) return;
    const failure = await ask().then(() => undefined, toHostError);
    if (failure?.code !== 'request_timeout') return;
    log.warn('The agent does not answer since the machine woke up', { sleptMs });
    for (const session of sessions()) {
      session.emit({
        type: 'notice',
        at: clock.now(),
        severity: 'warning',
        title: 'The agent has not answered since the computer woke up.',
        description: 'It is running, but it does not react. Stop it and start it again: the conversation stays.',
      });
    }
  });
}
