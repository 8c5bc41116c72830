/** How this window reaches the engine. */
import {
  connectToEngineProcess,
  EngineHere,
  type EngineProcessOptions,
  HostError,
  isUnsaved,
  toHostError,
  type Wire,
  withoutEditor,
} from '../../core/index.js';
import type { EngineLocation } from './settingsTable.js';

export interface EngineConnection {
  /** @throws HostError why the engine can't be reached */
  connect(): Promise<Wire>;
  /** Ends what this window started. */
  end(): Promise<void>;
}

/** @param location in this window, the engine ends with it; unless another one has the conversations already */
export function createEngineConnection(given: Omit<EngineProcessOptions, 'program' | 'env'>, location: EngineLocation): EngineConnection {
  const options: EngineProcessOptions = { ...given, program: 'editor', env: withoutEditor(process.env) };
  let here = location === 'window' ? new EngineHere({ ...options, isFound: true }) : undefined;
  return {
    async connect() {
      if (here !== undefined) return here.connect();
      try {
        const wire = await connectToEngineProcess(options);
        if (wire === undefined) throw new HostError('engine_lost', { reason: 'closed' });
        return wire;
      } catch (error) {
        // Without a place to save anything, it works in this window.
        if (!isUnsaved(toHostError(error))) throw error;
        here = new EngineHere({ ...options, isFound: false });
        return here.connect();
      }
    },
    end: async () => here?.end(),
  };
}
