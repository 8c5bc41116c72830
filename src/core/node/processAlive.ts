import { hostname } from 'node:os';
import { identifyProcess } from './processTree.js';

/** Which process something belongs to, also for those on other machines that share a folder. */
export interface ProcessMark {
  readonly pid: number;
  /** As in `ProcessIdentity`; absent where the system does not tell. */
  readonly startedAt?: string | undefined;
  readonly host: string;
}

export async function markOfThisProcess(): Promise<ProcessMark> {
  return { pid: process.pid, startedAt: (await identifyProcess(process.pid))?.startedAt, host: hostname() };
}

/** @returns `unknown` for a process of another machine */
export async function lifeOf({ pid, startedAt, host }: ProcessMark): Promise<'alive' | 'gone' | 'unknown'> {
  if (host !== hostname()) return 'unknown';
  try {
    process.kill(pid, 0);
  } catch (error) {
    // Another user's process is there, too.
    if (!(error instanceof Error && 'code' in error && error.code === 'EPERM')) return 'gone';
  }
  if (startedAt === undefined) return 'alive';
  // The number may have been given again.
  return (await identifyProcess(pid))?.startedAt === startedAt ? 'alive' : 'gone';
}
