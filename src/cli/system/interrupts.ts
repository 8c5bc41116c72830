/** Signals that tell the program to end, or that it goes on. */
import { once } from 'node:events';
import { type Disposable, HostError, toDisposable, toHostError } from '../../core/index.js';
import { readTextSync } from './files.js';

export interface InterruptActions {
  /** Ctrl+C. */
  interrupt(): void;
  /** A signal that ends the program at once. */
  end(signal: NodeJS.Signals): void;
  /** Ctrl+\. Without it, the system ends the program. */
  quit?(): void;
}

export function onInterrupts({ interrupt, end, quit }: InterruptActions): Disposable {
  const onInterrupt = (): void => interrupt();
  const onEnd = (signal: NodeJS.Signals): void => end(signal);
  process.on('SIGINT', onInterrupt);
  process.on('SIGTERM', onEnd);
  process.on('SIGHUP', onEnd);
  if (quit !== undefined) process.on('SIGQUIT', quit);
  return toDisposable(() => {
    process.off('SIGINT', onInterrupt);
    process.off('SIGTERM', onEnd);
    process.off('SIGHUP', onEnd);
    if (quit !== undefined) process.off('SIGQUIT', quit);
  });
}

/** The program goes on after Ctrl+Z. */
export function onContinued(act: () => void): Disposable {
  process.on('SIGCONT', act);
  return toDisposable(() => process.off('SIGCONT', act));
}

/** How often to look whether the shell has brought the program to the foreground, of which no signal tells unless it was suspended. */
const foregroundLookMs = 200;

/** Whether the system would suspend the program as soon as it reads its terminal. Only known on Linux. */
export function isInBackground(): boolean {
  // See proc_pid_stat(5): the group of the process, and that in the foreground.
  const [, , group, , , foreground] =
    readTextSync('/proc/self/stat')
      ?.replace(/^.*\) /s, '')
      .split(' ') ?? [];
  return Number(foreground) > 0 && foreground !== group;
}

/** Calls back once the program is in the foreground of its terminal, which may be at once. */
export function whenInForeground(act: () => void): Disposable {
  if (!isInBackground()) {
    act();
    return toDisposable(() => {});
  }
  const timer = setInterval(() => {
    if (isInBackground()) return;
    clearInterval(timer);
    act();
  }, foregroundLookMs);
  return toDisposable(() => clearInterval(timer));
}

/** Runs work that any signal to end cancels. The reason is a HostError `cancelled` with the name of the `signal`. */
export async function untilInterrupted<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const interrupted = new AbortController();
  const stop = (signal: NodeJS.Signals): void => interrupted.abort(new HostError('cancelled', { signal }));
  const interrupts = onInterrupts({ interrupt: () => stop('SIGINT'), end: stop });
  try {
    return await work(interrupted.signal);
  } finally {
    interrupts.dispose();
  }
}

/** The same for work that can't be canceled: nobody waits for it any longer. */
export function unlessInterrupted<T>(work: Promise<T>): Promise<T> {
  return untilInterrupted((signal) => {
    const interrupted = once(signal, 'abort').then(() => {
      throw toHostError(signal.reason);
    });
    return Promise.race([work, interrupted]);
  });
}

/** Acts as if Ctrl+C was pressed, for when the terminal sends no signal for that key. */
export function raiseInterrupt(): void {
  process.emit('SIGINT');
}

/** The same for Ctrl+\. */
export function raiseQuit(): void {
  process.emit('SIGQUIT');
}
