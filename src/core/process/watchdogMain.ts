/**
 * The watchdog: a separate program next to a host. The host tells it which processes are agents. If its stdin ends while there are agents,
 * the host died (kill -9, out of memory, a crash of the editor), and the watchdog ends the agents as the host would have done. It does
 * nothing else, and ends nothing that the host did not name. A host that ends properly tells it to forget all agents first.
 */
import { finished } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { nullLogger } from '../base/logger.js';
import { type ProcessIdentity, signalAll, stillRunning } from '../node/processTree.js';
import { LineSplitter } from '../transport/lineSplitter.js';
import { type StopSteps, stopProcess } from './stopProcess.js';
import { type WatchedProcess, parseOrder } from './watchdogOrders.js';

/**
 * The agents' stdin ended together with the host. They have this much time to save their data. The editor may already be starting the next
 * agent.
 */
const steps: StopSteps = { graceMs: 3_000, interruptMs: 1_000, terminateMs: 1_000 };

/**
 * The system does not report the end of a process that is not our child. The interval is short, so that the pid cannot belong to another
 * process when we act.
 */
const lookEveryMs = 50;

const watched = new Map<number, WatchedProcess>();

const orders = new LineSplitter({
  onLine: (buffer, start, end) => obey(buffer.toString('utf8', start, end)),
  // A host never writes such a line.
  onLineTooLong: () => {},
  onGiveUp: () => {},
});
process.stdin.on('data', (chunk: Buffer) => orders.push(chunk));
finished(process.stdin, { writable: false }, () => {
  orders.end();
  void Promise.allSettled([...watched.values()].map(endOrphan)).then(() => process.exit());
});

function obey(line: string): void {
  const order = parseOrder(line);
  if (order?.type === 'watch') watched.set(order.watched.pid, order.watched);
  else if (order?.type === 'forget') watched.delete(order.pid);
}

async function endOrphan({ pid, identity, family, mark, startedMs }: WatchedProcess): Promise<void> {
  const running = {
    pid,
    startedMs,
    identity,
    seen: () => family,
    exited: untilGone(pid, identity),
    mark,
    lastOutputAt: () => 0,
    closeInput: () => {}, // It ended together with the host.
    signal: (signal: NodeJS.Signals) => void signalAll(identity === undefined ? [] : [identity], signal),
  };
  // There is no log any more.
  await stopProcess(running, steps, new AbortController().signal, nullLogger);
}

async function untilGone(pid: number, identity: ProcessIdentity | undefined): Promise<void> {
  while (identity === undefined ? isThere(pid) : (await stillRunning([identity])).length > 0) await delay(lookEveryMs);
}

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
