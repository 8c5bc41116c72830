/** One backend and a peer that floods it: prints the processor time per event of this process, in microseconds. */
import { tmpdir } from 'node:os';
import WebSocket from 'ws';
import { connectAcp } from '../../src/core/backends/acp/acpBackend.js';
import type { AgentBackend } from '../../src/core/backends/agentBackend.js';
import { connectAgentCli } from '../../src/core/backends/agentCli/agentCliBackend.js';
import { connectAgentService } from '../../src/core/backends/agentService/agentServiceBackend.js';
import { connectPi, connectXcsh } from '../../src/core/backends/pi/piBackend.js';
import { parrot } from '../backends/parrot.js';
import { benchContext } from './benchContext.js';
import { median } from './report.js';
import { parseOnly } from './wirePlain.js';

export interface FloodScenario {
  readonly host: keyof typeof hosts;
  /** The command of a process, or the URL of a server. */
  readonly target: readonly string[];
}

interface Flooded {
  /** Resolves at the end of the turn. */
  prompt(text: string): Promise<unknown>;
  /** The number of events so far. Answers to finished requests are counted where they are dropped. */
  events(): number;
}

const bytes = 200;
const events = 20_000;
const warmUpTurns = 4;
const turns = 11;

async function openSession(backend: AgentBackend): Promise<Flooded> {
  let told = 0;
  const sink = { begin: () => {}, history: () => {}, event: () => void told++ };
  const session = await backend.sessions.open({ method: 'new', cwd: tmpdir(), mcpServers: [] }, sink);
  return {
    prompt: (text) => session.prompt('t1', [{ type: 'text', text }], 'turn'),
    events: () => told + backend.stats.unknownResponses,
  };
}

const toProcess =
  (connect: typeof connectAcp) =>
  async ([command = '', ...args]: readonly string[]): Promise<Flooded> =>
    openSession(await connect({ ...benchContext(), agent: { label: 'Flood', command, args, env: {} } }));

const toServer =
  (connect: typeof connectAgentCli) =>
  async ([url = '']: readonly string[]): Promise<Flooded> =>
    openSession(await connect({ ...benchContext(), agent: { label: 'Flood', url }, readKey: async () => undefined }));

async function pipeFloor(agent: readonly string[]): Promise<Flooded> {
  let told = 0;
  const { prompt } = await parseOnly.open(agent, () => void told++);
  return { prompt, events: () => told };
}

async function serverFloor([url = '']: readonly string[]): Promise<Flooded> {
  const socket = new WebSocket(url, { perMessageDeflate: false });
  await new Promise((resolve) => socket.once('open', resolve));
  let told = 0;
  let over = (): void => {};
  socket.on('message', (data: Buffer) => {
    const { response } = JSON.parse(data.toString('utf8')) as { readonly response: object };
    if ('Stream' in response) told++;
    else over();
  });
  return {
    events: () => told,
    prompt: (text) =>
      new Promise<void>((resolve) => {
        over = resolve;
        socket.send(JSON.stringify({ request_id: '1', input: { Text: text } }));
      }),
  };
}

const hosts = {
  pipeFloor,
  acp: toProcess(connectAcp),
  pi: toProcess(connectPi),
  xcsh: toProcess(connectXcsh),
  parrot: toProcess(parrot.connect),
  serverFloor,
  agentCli: toServer(connectAgentCli),
  agentService: toServer(connectAgentService),
} as const;

async function measure({ host, target }: FloodScenario): Promise<number> {
  const flooded = await hosts[host](target);
  const perEvent: number[] = [];
  for (let turn = 0; turn < warmUpTurns + turns; turn++) {
    const before = flooded.events();
    const start = process.cpuUsage();
    await flooded.prompt(`flood ${events} ${bytes}`);
    const { user, system } = process.cpuUsage(start);
    const came = flooded.events() - before;
    if (came < events) throw new Error(`Only ${came} of ${events} events came before the end of the turn`);
    if (turn >= warmUpTurns) perEvent.push((user + system) / events);
  }
  return median(perEvent);
}

const scenario = JSON.parse(process.argv[2] ?? '') as FloodScenario;
measure(scenario).then(
  (microseconds) => process.stdout.write(`${microseconds}\n`, () => process.exit(0)),
  (error: unknown) => {
    console.error(error);
    process.exit(1);
  },
);
