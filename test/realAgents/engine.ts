/** An engine in this process, for what only the editor offers. */
import { Engine, EngineClient } from '../../src/core/index.js';
import { within } from '../real/deadline.js';

export interface TrialEngine {
  readonly client: EngineClient;
  readonly agentId: string;
  /** Ends the engine, with its agent, in order. */
  end(): Promise<void>;
}

/** @param o.env the whole environment of the agent */
export async function openTrialEngine(
  stateFolder: string,
  o: { readonly name: string; readonly command: readonly string[]; readonly env: NodeJS.ProcessEnv },
): Promise<TrialEngine> {
  const engine = new Engine({ stateFolder, version: '0', location: 'process', onIdle: () => {} });
  await engine.load();
  const [command = '', ...args] = o.command;
  const definition = { id: 'trial', label: o.name, command, args, env: {}, protocol: 'acp' };
  const client = new EngineClient({
    connect: () => Promise.resolve(engine.connect()),
    attaching: { program: 'terminal', use: 'share' },
    services: {
      peek_agent: () => Promise.resolve({ id: definition.id, label: definition.label, isFallback: false }),
      choose_agent: () =>
        Promise.resolve({
          definition,
          isFallback: false,
          baseEnv: o.env,
          clientInfo: { name: 'check', title: 'Check', version: '0' },
          optionDefaults: [],
        }),
    },
  });
  await client.connected();
  return {
    client,
    agentId: definition.id,
    async end() {
      client.dispose();
      await within(engine.close(), 'end of the engine');
    },
  };
}
