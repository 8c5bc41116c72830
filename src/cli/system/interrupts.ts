/** Signals that tell the program to end. */
import { type Disposable, toDisposable } from '../../core/index.js';

export interface InterruptActions {
  /** Ctrl+C. */
  interrupt(): void;
  /** A signal that ends the program at once. */
  end(signal: NodeJS.Signals): void;
}

export function onInterrupts({ interrupt, end }: InterruptActions): Disposable {
  const onInterrupt = (): void => interrupt();
  const onEnd = (signal: NodeJS.Signals): void => end(signal);
  process.on('SIGINT', onInterrupt);
  process.on('SIGTERM', onEnd);
  process.on('SIGHUP', onEnd);
  return toDisposable(() => {
    process.off('SIGINT', onInterrupt);
    process.off('SIGTERM', onEnd);
    process.off('SIGHUP', onEnd);
  });
}

/** Acts as if Ctrl+C was pressed, for when the terminal sends no signal for that key. */
export function raiseInterrupt(): void {
  process.emit('SIGINT');
}
