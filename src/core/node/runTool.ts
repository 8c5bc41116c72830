import { createInterface } from 'node:readline';
import { HostError } from '../base/errors.js';
import { goneWithin, endTree, identifyProcess, listTree, type ProcessIdentity, signalAll } from './processTree.js';
import { type Launch, launchWith } from './resolveCommand.js';
import { type ChildProcess, spawnProcess } from './spawnProcess.js';

export interface ToolRun {
  readonly launch: Launch;
  readonly args: readonly string[];
  /** Absolute, must exist. */
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** When it is aborted, the program ends, with everything that it started. */
  readonly signal: AbortSignal;
  readonly onLine?: (line: string) => void;
}

export interface ToolResult {
  /** `null` if a signal ended it. */
  readonly exitCode: number | null;
  /** The last lines of both outputs. */
  readonly lastLines: readonly string[];
}

const keptLines = 30;
const lineChars = 1_000;
const afterKillMs = 5_000;

/**
 * Runs a program that may take minutes, with an empty stdin, to its end.
 * @throws HostError like spawnProcess and launchWith, and `cancelled`
 */
export async function runTool({ launch, args, cwd, env, signal, onLine }: ToolRun): Promise<ToolResult> {
  if (signal.aborted) throw new HostError('cancelled');
  const child = await spawnProcess({ ...launchWith(launch, args), cwd, env, ownGroup: true });
  const onExit = (): void => endGroup(child);
  process.once('exit', onExit);
  const closed = new Promise<number | null>((resolve) => child.once('close', resolve));
  child.once('close', () => process.off('exit', onExit));
  const lastLines: string[] = [];
  const onAnyLine = (line: string): void => {
    const cut = line.slice(0, lineChars);
    lastLines.push(cut);
    if (lastLines.length > keptLines) lastLines.shift();
    onLine?.(cut);
  };
  child.stdin.on('error', () => {});
  child.stdin.end();
  for (const output of [child.stdout, child.stderr]) createInterface({ input: output }).on('line', onAnyLine);
  const identity = child.pid === undefined ? undefined : await identifyProcess(child.pid);
  let ending: Promise<void> | undefined;
  const onAbort = (): void => void (ending ??= endAll(child, identity).catch(() => {}));
  signal.addEventListener('abort', onAbort);
  if (signal.aborted) onAbort();
  try {
    const exitCode = await closed;
    if (signal.aborted) {
      await ending;
      throw new HostError('cancelled');
    }
    return { exitCode, lastLines };
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

/** While this process exits, nothing can be waited for. */
function endGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, 'SIGKILL');
  } catch {
    // It has just ended.
  }
}

/** Ends it without asking: it works in a folder that is thrown away. */
async function endAll(child: ChildProcess, identity: ProcessIdentity | undefined): Promise<void> {
  try {
    if (identity === undefined) {
      if (child.pid !== undefined && process.platform === 'win32') await endTree(child.pid);
    } else {
      // What the first ones started in the meantime is found by the second look.
      for (let tree = await listTree(identity); tree.length > 0; tree = await listTree(identity)) {
        await signalAll(tree, 'SIGKILL');
        await goneWithin(tree, afterKillMs);
        if (tree.every(({ pid }) => pid !== identity.pid)) break;
      }
    }
  } finally {
    child.kill('SIGKILL');
    // A program that escaped may hold them open.
    child.stdout.destroy();
    child.stderr.destroy();
  }
}
