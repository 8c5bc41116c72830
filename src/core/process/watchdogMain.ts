/**
 * The watchdog: a program of its own beside a host. It is told which processes are agents, and when its stdin ends while there are some, their
 * host died at once (kill -9, out of memory, a crash of the editor): it ends them as the host would have. It does nothing else, and
 * ends nothing that it was not told of. A host that ends in order has told it to forget them all.
 */
import { finished } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { nullLogger } from '../base/logger.js';
import { type ProcessIdentity, listMarked, signalAll, stillRunning } from '../node/processTree.js';
import { LineSplitter } from '../transport/lineSplitter.js';
import { type StopSteps, stopProcess } from './stopProcess.js';
import { type WatchedProcess, parseOrder } from './watchdogOrders.js';

/** The agent's stdin ended with its host: that much time to save what it has. Its editor may already be starting the next one. */
const steps: StopSteps = { graceMs: 3_000, interruptMs: 1_000, terminateMs: 1_000 };

/** Nothing tells when a process ends that is not our child. Short, so that its number does not belong to another one when we act. */
const lookEveryMs = 50;

const watched = new Map<number, WatchedProcess>();

const orders = new LineSplitter({
  onLine: (buffer, start, end) => obey(buffer.toString('utf8', start, end)),
  // A host writes no such line.
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
    strays: () => (identity === undefined ? Promise.resolve([]) : listMarked(mark, identity.startedAt)),
    lastOutputAt: () => 0,
    closeInput: () => {}, // It ended with the host.
    signal: (signal: NodeJS.Signals) => void signalAll(identity === undefined ? [] : [identity], signal),
  };
  // Nobody is left to be told what fails.
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
