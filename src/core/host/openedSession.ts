/** What an agent says when it opens a session, made the session's state. */
import type { OpenedSession } from '../backends/backend.js';
import type { Clock } from '../base/clock.js';
import { toHostError } from '../base/errors.js';
import type { SessionState } from '../session/model.js';
import type { HostSession } from './session.js';

export function applyOpened(session: HostSession, { configOptions, modes }: OpenedSession, clock: Clock): void {
  const at = clock.now();
  session.emit({ type: 'config_options', at, configOptions });
  if (modes !== undefined) session.emit({ type: 'modes', at, modes });
}

/** Some agents load a session in their default mode and do not say so. What the user sees must be what holds, or be said not to. */
export async function restoreMode(session: HostSession, kept: SessionState | undefined, opened: OpenedSession, clock: Clock): Promise<void> {
  if (kept?.modes === undefined || opened.modes !== undefined) return;
  try {
    await session.setMode(kept.modes.currentModeId);
  } catch (error) {
    const description = `${session.host.agent.label} may be in its default mode: ${toHostError(error).message}`;
    session.emit({ type: 'notice', at: clock.now(), severity: 'warning', title: 'The mode could not be set again', description });
  }
}
