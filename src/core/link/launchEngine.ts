/** Starts the program of an engine. Both sides of what they say to each other: one line on stdout. */
import { parse } from 'node:path';
import { startDeadline } from '../base/deadline.js';
import { HostError, systemFacts } from '../base/errors.js';
import { parseJson } from '../base/parseJson.js';
import { resolveCommand } from '../node/resolveCommand.js';
import { type ChildProcess, runProcess, spawnProcess } from '../node/spawnProcess.js';
import { readErrorData } from './wire.js';

export interface LaunchedEngine {
  /** `lost`: another engine has the state folder, and this one ends. */
  readonly outcome: 'ready' | 'lost';
  readonly pid: number;
}

export interface EngineProgram {
  /** Absolute path of a program. */
  readonly file: string;
  readonly args: readonly string[];
  /** The whole environment. */
  readonly env: NodeJS.ProcessEnv;
  /** Absolute, must exist. */
  readonly cwd: string;
}

export interface LaunchOptions {
  readonly program: EngineProgram;
  readonly timeoutMs: number;
}

const maxLineChars = 64 * 1024;
const stderrChars = 4_000;

/**
 * Starts an engine that outlives this process.
 * @throws HostError `engine_failed`, or what the program reports. The program does not run then.
 */
export async function launchEngine({ program, timeoutMs }: LaunchOptions): Promise<LaunchedEngine> {
  let child: ChildProcess;
  try {
    child = await spawnProcess({ ...program, ownGroup: true, outlivesUs: true });
  } catch (cause) {
    throw new HostError('engine_failed', { reason: 'not_started', file: program.file, ...systemFacts(cause) }, { cause });
  }
  child.stdin.on('error', () => {});
  try {
    const line = await firstLine(child, timeoutMs);
    if (line === 'ready' || line === 'lost') return { outcome: line, pid: child.pid ?? 0 };
    const failure = line.startsWith('failed ') ? readErrorData(parseJson(line.slice('failed '.length))) : undefined;
    throw failure ?? new HostError('engine_failed', { reason: 'bad_answer', detail: line.slice(0, 200) });
  } catch (error) {
    child.kill('SIGKILL');
    throw error;
  } finally {
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy();
    child.unref();
  }
}

/** @throws HostError `engine_failed` */
function firstLine(child: ChildProcess, timeoutMs: number): Promise<string> {
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8');
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr = (stderr + text).slice(-stderrChars)));
  return new Promise<string>((resolve, reject) => {
    const fail = (): void => {
      const { exitCode, signalCode: signal } = child;
      const detail = stderr.trim();
      reject(
        exitCode === null && signal === null
          ? new HostError('engine_failed', { reason: 'not_ready', timeoutMs, detail })
          : new HostError('engine_failed', { reason: 'exited', ...(signal === null ? { exitCode } : { signal }), detail }),
      );
    };
    const stop = startDeadline(timeoutMs, fail);
    child.stdout.on('data', (text: string) => {
      stdout += text;
      const end = stdout.indexOf('\n');
      if (end < 0 && stdout.length < maxLineChars) return;
      stop();
      resolve((end < 0 ? stdout : stdout.slice(0, end)).trimEnd());
    });
    // When everything that it printed was read. A program of its own may keep its output open; then, after the time limit.
    child.once('close', () => {
      stop();
      fail();
    });
  });
}

/**
 * The program says how its start ended, once. Afterwards, nobody reads its output: it is dropped.
 * @param outcome an error if it can't be the engine
 */
export function reportStart(outcome: LaunchedEngine['outcome'] | HostError): Promise<void> {
  // Whoever started it closes the pipes, and Node reports that as an error.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
  const line = typeof outcome === 'string' ? outcome : `failed ${JSON.stringify(outcome.toData())}`;
  return new Promise((resolve) => process.stdout.write(`${line}\n`, () => resolve()));
}

const oldestNode = 20;
const versionMs = 5_000;

export interface FoundNode {
  /** Absolute path of a program. */
  readonly file: string;
  /** To add to its environment. */
  readonly env: NodeJS.ProcessEnv;
}

/**
 * Finds what can run an engine: this program if it is Node; otherwise Node from the PATH, which an update of the editor does not end;
 * otherwise this program as Node.
 * @param env where to look for Node
 */
export async function findNode(env: NodeJS.ProcessEnv, execPath: string, isElectron: boolean): Promise<FoundNode> {
  if (!isElectron && isRecentNode(process.version)) return { file: execPath, env: {} };
  const file = await resolveCommand('node', { env });
  if (file !== undefined && isRecentNode(await versionOf(file, env))) return { file, env: {} };
  return { file: execPath, env: { ELECTRON_RUN_AS_NODE: '1' } };
}

async function versionOf(file: string, env: NodeJS.ProcessEnv): Promise<string> {
  try {
    const options = { file, args: ['--version'], cwd: parse(file).root, env, ownGroup: true };
    return (await runProcess(options, { timeoutMs: versionMs, outputBytes: 100 })).stdout;
  } catch {
    return '';
  }
}

/** @param version such as `v20.1.0` */
function isRecentNode(version: string): boolean {
  return Number(/^v(\d+)\./.exec(version)?.[1] ?? 0) >= oldestNode;
}
