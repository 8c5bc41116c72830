import { hostname } from 'node:os';
import { identifyProcess } from './processTree.js';

/** Identifies a process to other processes, including those on other machines that share a folder. */
export interface ProcessMark {
  readonly pid: number;
  /** As in `ProcessIdentity`; absent if the system does not report it. */
  readonly startedAt?: string | undefined;
  readonly host: string;
}

export async function markOfThisProcess(): Promise<ProcessMark> {
  return { pid: process.pid, startedAt: (await identifyProcess(process.pid))?.startedAt, host: hostname() };
}

/** @returns `unknown` for a process on another machine */
export async function lifeOf({ pid, startedAt, host }: ProcessMark): Promise<'alive' | 'gone' | 'unknown'> {
  if (host !== hostname()) return 'unknown';
  try {
    process.kill(pid, 0);
  } catch (error) {
    // A process of another user exists too.
    if (!(error instanceof Error && 'code' in error && error.code === 'EPERM')) return 'gone';
  }
  if (startedAt === undefined) return 'alive';
  // Another process may have the pid now.
  return (await identifyProcess(pid))?.startedAt === startedAt ? 'alive' : 'gone';
}
