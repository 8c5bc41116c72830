/** Runs a program and finds the processes that it leaves behind. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { descendantsOf, endTree, listProcesses, stillAlive } from './processes.mjs';

const lookEveryMs = 1_000;
/** How long processes may take to end after the program. */
const graceMs = 3_000;

/**
 * Runs a program to its end, then ends and reports the processes that it started and that are still running. A process that was reparented
 * is recognized because it was once a descendant, or by `ACP_HOST_TEST_RUN` in its environment.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{cwd: string, env: NodeJS.ProcessEnv & {ACP_HOST_TEST_RUN: string}, onOutput: (text: string) => void}} options
 * @returns {Promise<{output: string, leftovers: import('./processes.mjs').Process[]}>} the end of what it wrote to stdout, and what it left behind
 */
export async function runWatched(command, args, { cwd, env, onOutput }) {
  const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'inherit'] });
  const stop = (/** @type {NodeJS.Signals} */ signal) => child.kill(signal);
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    output = (output + text).slice(-10_000);
    onOutput(text);
  });
  /** @type {Map<string, import('./processes.mjs').Process>} */
  const seen = new Map();
  const look = async () => {
    for (const one of descendantsOf(child.pid ?? 0, await listProcesses())) seen.set(`${one.pid} ${one.startedAt}`, one);
  };
  const ticker = setInterval(() => void look(), lookEveryMs);
  const closed = once(child, 'close');
  await once(child, 'exit');
  // A process that was left behind may hold the pipe open forever.
  await Promise.race([closed, delay(graceMs, undefined, { ref: false })]);
  clearInterval(ticker);
  process.off('SIGINT', stop);
  process.off('SIGTERM', stop);

  const leftovers = await aliveAfterGrace([...seen.values(), ...(await markedWith(env.ACP_HOST_TEST_RUN))]);
  await Promise.all(leftovers.map((one) => endTree(one.pid)));
  return { output, leftovers };
}

/** @param {readonly import('./processes.mjs').Process[]} processes */
async function aliveAfterGrace(processes) {
  const deadline = performance.now() + graceMs;
  let alive = await stillAlive(processes);
  while (alive.length > 0 && performance.now() < deadline) {
    await delay(100);
    alive = await stillAlive(alive);
  }
  return [...new Map(alive.map((one) => [one.pid, one])).values()];
}

/** @param {string} run */
async function markedWith(run) {
  if (process.platform !== 'linux') return [];
  const processes = await listProcesses();
  const marked = await Promise.all(
    processes.map(async ({ pid }) => (await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '')).includes(run)),
  );
  return processes.filter((one, index) => marked[index] && one.pid !== process.pid);
}
