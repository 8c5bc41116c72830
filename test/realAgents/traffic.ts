/** What the host and an agent say to each other, as a front end of the engine reads it. */
import { readFile } from 'node:fs/promises';
import * as z from 'zod/mini';
import { connectToEngineProcess, EngineClient, HostError, type TrafficItem } from '../../src/core/index.js';

const packageSchema = z.object({ version: z.string() });
const packageFile = new URL('../../package.json', import.meta.url);

export interface Message {
  /** As seen from the host. */
  readonly direction: 'sent' | 'received';
  /** Absent in a response. */
  readonly method: string | undefined;
  /** Of a request, and of its response. */
  readonly id: string | number | undefined;
  /** As JSON. */
  readonly text: string;
}

export interface EngineWatch {
  /** @returns the messages so far, in order for each process */
  messages(): Promise<readonly Message[]>;
  /** Resolves once the messages so far fulfill `holds`. */
  until(holds: (messages: readonly Message[]) => boolean): Promise<void>;
  dispose(): void;
}

/** Watches the engine that runs, without keeping it. @throws HostError why it can't be reached */
export async function watchEngine(stateFolder: string, env: NodeJS.ProcessEnv): Promise<EngineWatch> {
  const { version } = packageSchema.parse(JSON.parse(await readFile(packageFile, 'utf8')));
  const client = new EngineClient({
    async connect() {
      const wire = await connectToEngineProcess({ stateFolder, version, program: 'terminal', env, mayStart: false });
      if (wire === undefined) throw new HostError('engine_lost', { reason: 'closed' });
      return wire;
    },
    attaching: { program: 'terminal', use: 'look' },
    services: {},
  });
  await client.connected();
  const messages = async (): Promise<readonly Message[]> => {
    const all = client.facts.state.processes.map(({ id }) => client.call('read_traffic', { process: id }));
    return (await Promise.all(all)).flat().flatMap(toMessage);
  };
  return {
    messages,
    until: (holds) =>
      new Promise((resolve, reject) => {
        const look = (): void => void messages().then((found) => holds(found) && resolve(), reject);
        client.onTraffic(look);
        look();
      }),
    dispose: () => client.dispose(),
  };
}

function toMessage({ entry, frame }: TrafficItem): readonly Message[] {
  if (entry.kind !== 'message') return [];
  return [{ direction: entry.direction, method: frame?.method, id: frame?.id, text: JSON.stringify(entry.message) }];
}
