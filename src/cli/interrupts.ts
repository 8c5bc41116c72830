/** Signals that ask the program to end. */
import { type Disposable, toDisposable } from '../core/index.js';

export interface InterruptActions {
  /** The first Ctrl+C. */
  cancel(): void;
  /** A second Ctrl+C, or a signal that does not wait. */
  kill(signal: NodeJS.Signals): void;
}

export function onInterrupts({ cancel, kill }: InterruptActions): Disposable {
  let interrupted = false;
  const onInterrupt = (): void => {
    if (interrupted) kill('SIGINT');
    else cancel();
    interrupted = true;
  };
  const onEnd = (signal: NodeJS.Signals): void => kill(signal);
  process.on('SIGINT', onInterrupt);
  process.on('SIGTERM', onEnd);
  process.on('SIGHUP', onEnd);
  return toDisposable(() => {
    process.off('SIGINT', onInterrupt);
    process.off('SIGTERM', onEnd);
    process.off('SIGHUP', onEnd);
  });
}
