/** Runs programs for scripts: shows their progress, and ends them with everything that they started. */
import { spawn } from 'node:child_process';
import { access, constants, readFile, readdir } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/**
 * @typedef {{pid: number, parent: number, startedAt: string, command: string}} Process `startedAt` distinguishes a process from a later one
 * with the same id.
 */

/**
 * Runs npm, the one that runs this script if there is one.
 * @param {readonly string[]} args
 * @param {{cwd: string, env?: NodeJS.ProcessEnv}} options
 * @returns {Promise<string>} what it wrote to stdout
 */
export function runNpm(args, { cwd, env = process.env }) {
  const npmCli = process.env.npm_execpath;
  if (npmCli?.endsWith('.js')) return run(process.execPath, [npmCli, ...args], { cwd, env });
  return run(process.platform === 'win32' ? 'npm.cmd' : 'npm', args, { cwd, env, shell: process.platform === 'win32' });
}

/** @type {Set<import('node:child_process').ChildProcess>} */
const running = new Set();

/**
 * Makes `endRunning` end this program too.
 * @param {import('node:child_process').ChildProcess} child
 */
export function endWithUs(child) {
  running.add(child);
  child.once('exit', () => running.delete(child));
}

/** Ends what `run` and `runNpm` are running, and the programs of `endWithUs`. */
export async function endRunning() {
  await Promise.all([...running].map(async ({ pid }) => pid !== undefined && endTree(pid)));
}

/**
 * Runs a program to its end. Shows its output only if it fails.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{cwd: string, env?: NodeJS.ProcessEnv, shell?: boolean}} options
 * @returns {Promise<string>} what it wrote to stdout
 * @throws Error with the command and the end of its output
 */
export function run(command, args, { cwd, env = process.env, shell = false }) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, env, shell, stdio: ['ignore', 'pipe', 'pipe'] });
    endWithUs(child);
    let stdout = '';
    let all = '';
    child.stdout.on('data', (chunk) => {
      stdout += chunk;
      all += chunk;
    });
    child.stderr.on('data', (chunk) => {
      all += chunk;
    });
    child.on('error', reject);
    child.on('close', (code, signal) => {
      if (code === 0) resolve(stdout);
      else reject(new Error(`${command} ${args.join(' ')} ended with ${signal ?? `code ${code}`}:\n${all.slice(-4000)}`));
    });
  });
}

/**
 * @param {string} name
 * @returns {Promise<string | undefined>} the absolute path of a program on PATH
 */
export async function findOnPath(name) {
  const extensions = process.platform === 'win32' ? (process.env.PATHEXT ?? '.EXE;.CMD').split(';') : [''];
  for (const folder of (process.env.PATH ?? '').split(path.delimiter).filter((one) => path.isAbsolute(one))) {
    for (const extension of extensions) {
      const file = path.join(folder, name + extension);
      if (
        await access(file, constants.X_OK).then(
          () => true,
          () => false,
        )
      )
        return file;
    }
  }
  return undefined;
}

/**
 * Reports the work when it starts, every ten seconds with the time so far, and when it ends.
 * @template T
 * @param {string} what
 * @param {(line: string) => void} say
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function withProgress(what, say, work) {
  const startedAt = performance.now();
  const elapsed = () => `${((performance.now() - startedAt) / 1000).toFixed(0)} s`;
  say(`${what} …`);
  const ticker = setInterval(() => say(`  still at it: ${what}, ${elapsed()}`), 10_000);
  try {
    const result = await work();
    say(`  done: ${what}, ${elapsed()}`);
    return result;
  } finally {
    clearInterval(ticker);
  }
}

/**
 * Returns the processes of this machine, or none if there is neither `/proc` nor `ps`.
 * @returns {Promise<Process[]>}
 */
export async function listProcesses() {
  if (process.platform === 'linux') {
    const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
    const found = await Promise.all(pids.map(readProcess));
    return found.filter((one) => one !== undefined);
  }
  if (process.platform === 'win32') return [];
  const table = await run('ps', ['-A', '-o', 'pid=,ppid=,lstart=,args='], { cwd: '/' });
  return table.split('\n').flatMap((line) => {
    const [, pid, parent, startedAt = '', command = ''] = /^\s*(\d+)\s+(\d+)\s+(\S+\s+\S+\s+\d+\s+\S+\s+\d+)\s+(.*)$/.exec(line) ?? [];
    return pid === undefined ? [] : [{ pid: Number(pid), parent: Number(parent), startedAt, command }];
  });
}

/**
 * @param {string} pid
 * @returns {Promise<Process | undefined>}
 */
async function readProcess(pid) {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    const command = (await readFile(`/proc/${pid}/cmdline`, 'utf8')).replaceAll('\0', ' ').trim();
    // The name in parentheses may contain anything, so fields are counted from its end (proc(5)).
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (fields[0] === 'Z') return undefined;
    return { pid: Number(pid), parent: Number(fields[1]), startedAt: fields[19] ?? '', command };
  } catch {
    return undefined; // ended in the meantime
  }
}

/**
 * Returns those of `processes` that descend from `root`, nearest first, without the root itself.
 * @param {number} root a process id
 * @param {readonly Process[]} processes
 */
export function descendantsOf(root, processes) {
  /** @type {Map<number, Process[]>} */
  const children = new Map();
  for (const one of processes) children.set(one.parent, [...(children.get(one.parent) ?? []), one]);
  /** @type {Process[]} */
  const found = [];
  /** @type {(number | undefined)[]} */
  const queue = [root];
  for (let pid = queue.shift(); pid !== undefined; pid = queue.shift()) {
    for (const child of children.get(pid) ?? []) {
      found.push(child);
      queue.push(child.pid);
    }
  }
  return found;
}

/**
 * Returns those of `processes` that still run as the same process.
 * @param {readonly Process[]} processes
 */
export async function stillAlive(processes) {
  const now = new Map((await listProcesses()).map((one) => [one.pid, one.startedAt]));
  return processes.filter((one) => now.get(one.pid) === one.startedAt);
}

/**
 * Ends a program and everything that it started, including what outlives it in its process group: asks first, and kills after `graceMs`.
 * @param {number} pid
 */
export async function endTree(pid, graceMs = 5_000) {
  const processes = await listProcesses();
  const tree = [...processes.filter((one) => one.pid === pid), ...descendantsOf(pid, processes)];
  signal(pid, 'SIGTERM');
  const deadline = performance.now() + graceMs;
  let left = await stillAlive(tree);
  while (left.length > 0 && performance.now() < deadline) {
    await delay(100);
    left = await stillAlive(left);
  }
  for (const one of left) signal(one.pid, 'SIGKILL');
  signal(-pid, 'SIGKILL');
}

/**
 * @param {number} pid
 * @param {NodeJS.Signals} name
 */
function signal(pid, name) {
  try {
    process.kill(pid, name);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}

/** @param {unknown} error */
export function messageOf(error) {
  return error instanceof Error ? error.message : String(error);
}
