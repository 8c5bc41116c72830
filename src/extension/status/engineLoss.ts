import { type Disposable, DisposableStore, Emitter, type EngineClient, type Logger, toDisposable } from '../../core/index.js';

/** An engine that is replaced by a newer one is back sooner. */
const noticedAfterMs = 2_000;

/** Logs when the engine is lost and when it is back, and knows whether it has been away for so long that the user must be told. */
export class EngineLoss implements Disposable {
  readonly #owned = new DisposableStore();
  readonly #onChange = this.#owned.add(new Emitter<void>());
  #timer: NodeJS.Timeout | undefined;
  #isNoticed = false;

  constructor(engine: Pick<EngineClient, 'onConnection'>, log: Logger) {
    this.#owned.add(
      engine.onConnection((connection) => {
        if (connection.state === 'connected') {
          const { version, pid, location } = connection.engine;
          log.info(`Connected to the engine ${version}, ${location} ${pid}`);
          this.#end();
        } else if (connection.state === 'hanging') {
          log.warn(`The engine does not respond, ${connection.engine.location} ${connection.engine.pid}`);
          this.#set(true);
        } else if (connection.state === 'lost') {
          log.warn('The engine cannot be reached', connection.error);
          this.#timer ??= setTimeout(() => this.#set(true), noticedAfterMs);
        }
      }),
    );
    this.#owned.add(toDisposable(() => clearTimeout(this.#timer)));
  }

  readonly onChange = this.#onChange.event;

  get isNoticed(): boolean {
    return this.#isNoticed;
  }

  dispose(): void {
    this.#owned.dispose();
  }

  #end(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#set(false);
  }

  #set(isNoticed: boolean): void {
    if (this.#isNoticed === isNoticed) return;
    this.#isNoticed = isNoticed;
    this.#onChange.fire();
  }
}
