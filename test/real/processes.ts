/** The running processes, according to the system instead of the code under test. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

interface ProcessRow {
  readonly pid: number;
  readonly parent: number;
  /** As `ps` shows it. `Z` is a zombie, which no longer runs. */
  readonly state: string;
  readonly command: string;
}

async function listProcesses(): Promise<readonly ProcessRow[]> {
  const { stdout } = await run('ps', ['-A', '-o', 'pid=,ppid=,stat=,args='], { maxBuffer: 16 * 1024 * 1024 });
  return stdout.split('\n').flatMap((line) => {
    const [, pid, parent, state, command] = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(line) ?? [];
    return state === undefined ? [] : [{ pid: Number(pid), parent: Number(parent), state, command: command ?? '' }];
  });
}

/** Returns the descendants of this process whose command line contains `text`. */
export async function descendants(text: string): Promise<readonly ProcessRow[]> {
  const all = await listProcesses();
  const found = new Set([process.pid]);
  for (let before = -1; before !== found.size; ) {
    before = found.size;
    for (const row of all) if (found.has(row.parent)) found.add(row.pid);
  }
  return all.filter((row) => found.has(row.pid) && row.pid !== process.pid && row.command.includes(text));
}

/** Returns those of the processes that are still running. */
export async function survivors(processes: readonly ProcessRow[]): Promise<readonly ProcessRow[]> {
  const running = new Map((await listProcesses()).map((row) => [row.pid, row]));
  return processes.filter(({ pid, command }) => {
    const now = running.get(pid);
    return now !== undefined && now.command === command && !now.state.startsWith('Z');
  });
}
