/** The messages of a host to its watchdog, one per line. */
import { isFields } from '../base/fields.js';
import { parseJson } from '../base/parseJson.js';
import type { ProcessIdentity } from '../node/processTree.js';

/** A process that must not outlive its host. */
export interface WatchedProcess {
  readonly pid: number;
  /** When it was started, in milliseconds since the epoch. */
  readonly startedMs: number;
  /** Absent if the system does not report it (Windows). */
  readonly identity: ProcessIdentity | undefined;
  /** Its descendants when they were last listed. */
  readonly family: readonly ProcessIdentity[];
  /** A text in its environment, which everything that it starts inherits. */
  readonly mark: string;
}

export type WatchdogOrder =
  /** Replaces an earlier order for the same process. */
  { readonly type: 'watch'; readonly watched: WatchedProcess } | { readonly type: 'forget'; readonly pid: number };

export function writeOrder(order: WatchdogOrder): string {
  return `${JSON.stringify(order)}\n`;
}

/** @returns undefined for an invalid line, for example the first half of a line that a dying host began to write */
export function parseOrder(line: string): WatchdogOrder | undefined {
  const value = parseJson(line);
  if (!isFields(value)) return undefined;
  if (value['type'] === 'forget') return isPid(value['pid']) ? { type: 'forget', pid: value['pid'] } : undefined;
  const watched = value['type'] === 'watch' ? parseWatched(value['watched']) : undefined;
  return watched === undefined ? undefined : { type: 'watch', watched };
}

function parseWatched(value: unknown): WatchedProcess | undefined {
  if (!isFields(value)) return undefined;
  const { pid, identity: of, family: members, mark, startedMs } = value;
  if (!isPid(pid) || !Array.isArray(members) || typeof mark !== 'string' || mark === '' || typeof startedMs !== 'number') return undefined;
  const identity = of === undefined ? undefined : parseIdentity(of);
  const family = members.map(parseIdentity);
  if ((of !== undefined && identity?.pid !== pid) || !family.every((member) => member !== undefined)) return undefined;
  return { pid, startedMs, identity, family, mark };
}

function parseIdentity(value: unknown): ProcessIdentity | undefined {
  if (!isFields(value) || !isPid(value['pid']) || typeof value['startedAt'] !== 'string') return undefined;
  return { pid: value['pid'], startedAt: value['startedAt'] };
}

/** 0 and negative numbers are groups, and 1 is init; a host starts none of these. */
function isPid(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 1;
}
