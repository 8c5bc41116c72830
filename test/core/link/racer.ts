/** One of many front ends that connect at once, each with an engine of its own to start, in this process: so the races are tight. */
import type { Disposable } from '../../../src/core/base/disposable.js';
import { connectToEngine } from '../../../src/core/link/connect.js';
import { listenAsEngine } from '../../../src/core/link/listen.js';
import type { Wire } from '../../../src/core/link/wire.js';

export interface RacerReport {
  /** The pid of the engine that answered. */
  readonly engine: unknown;
  readonly isEngine: boolean;
  readonly wasDisplaced: boolean;
  readonly error?: string;
}

let wire: Wire | undefined;
let listening: Disposable | undefined;
let wasDisplaced = false;

async function race(stateFolder: string): Promise<RacerReport> {
  const launch = async (): Promise<{ outcome: 'ready' | 'lost'; pid: number }> => {
    const started = await listenAsEngine({
      stateFolder,
      version: '1.0.0',
      linkVersion: 1,
      isBusy: () => 0,
      onConnection: (accepted) => accepted.serve(async () => process.pid),
      onEndRequested: () => {},
      onDisplaced: () => (wasDisplaced = true),
    });
    if (started !== 'lost') listening = started;
    return { outcome: started === 'lost' ? 'lost' : 'ready', pid: process.pid };
  };
  wire = await connectToEngine({
    stateFolder,
    hello: { version: '1.0.0', linkVersion: 1, program: 'terminal', pid: process.pid },
    launch,
  });
  return { engine: await wire?.call('pid', undefined), isEngine: listening !== undefined, wasDisplaced };
}

process.on('message', (order: { readonly race: string } | 'leave') => {
  if (order === 'leave') {
    wire?.dispose();
    listening?.dispose();
    wire = listening = undefined;
    return void process.send?.({ isEngine: false, engine: undefined, wasDisplaced });
  }
  void race(order.race)
    .catch((error: unknown): RacerReport => ({ engine: undefined, isEngine: false, wasDisplaced, error: String(error) }))
    .then((report) => process.send?.(report));
});
