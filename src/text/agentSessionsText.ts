/** The sentences about a list of the sessions that an agent has. Pure. */
import type { AgentSessionList } from '../core/index.js';

/** Says what a list lacks. @returns nothing if it is complete */
export function missingText({
  agent: { label },
  end,
  sessions,
  unreadable,
}: Pick<AgentSessionList, 'agent' | 'end' | 'sessions' | 'unreadable'>): readonly string[] {
  const ends: Readonly<Record<NonNullable<AgentSessionList['end']>, string>> = {
    limit: `${label} has more sessions than a list can show. These are the first ones that it listed.`,
    repeated: `The list of ${label} repeats itself. These are the ${sessions.length} sessions until then.`,
    slow: `${label} took too long to list all of its sessions. These are the ones that it listed in time.`,
  };
  const entries = unreadable === 1 ? '1 entry' : `${unreadable} entries`;
  return [
    ...(end === undefined ? [] : [ends[end]]),
    ...(unreadable === 0 ? [] : [`${entries} in the list of ${label} could not be read.`]),
  ];
}
