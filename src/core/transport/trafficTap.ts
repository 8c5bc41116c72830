import { type Clock, oncePerTask } from '../base/clock.js';
import { type Disposable, toDisposable } from '../base/disposable.js';
import { Emitter, type Event } from '../base/event.js';
import type { TrafficEntry } from '../traffic/trafficEntry.js';

type Direction = TrafficEntry['direction'];

/** Reports what crosses a channel to listeners. Costs nothing without listeners. */
export class TrafficTap implements Disposable {
  readonly #clock: Clock;
  readonly #traffic = new Emitter<TrafficEntry>();
  #listeners = 0;

  constructor(clock: Clock) {
    this.#clock = oncePerTask(clock);
  }

  readonly onTraffic: Event<TrafficEntry> = (listener) => {
    const subscription = this.#traffic.event(listener);
    this.#listeners++;
    return toDisposable(() => {
      this.#listeners--;
      subscription.dispose();
    });
  };

  get isWatched(): boolean {
    return this.#listeners > 0;
  }

  /** @param bytes its length on the wire */
  message(direction: Direction, message: unknown, bytes: number): void {
    if (this.isWatched) this.#traffic.fire({ at: this.#clock.now(), direction, kind: 'message', message, bytes });
  }

  /** Reports something that is not a message. */
  noise(text: string, bytes: number): void {
    if (this.isWatched) this.#traffic.fire({ at: this.#clock.now(), direction: 'received', kind: 'noise', text, bytes });
  }

  dispose(): void {
    this.#traffic.dispose();
  }
}
