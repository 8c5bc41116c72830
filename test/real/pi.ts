/**
 * The real Pi, or omp of its family, started by the project's own host, with the scripted model as its provider and without any
 * configuration of the machine.
 */
import path from 'node:path';
import type { TestContext } from 'node:test';
import { type AgentHost, type CodeNavigation, createAgentHost, type ProcessDefinition, type Session } from '../../src/core/index.js';
import { startScriptedModel } from '../realAgents/model/server.js';
import { within } from './deadline.js';
import { makeRooms, minimalEnv, type Rooms } from './launch.js';

export const piVersions = ['pi 0.74.2', 'pi 1.6.0', 'omp 14.9.9'] as const;
export type PiVersion = (typeof piVersions)[number];

const variables = { 'pi 0.74.2': 'ACP_HOST_TEST_PI', 'pi 1.6.0': 'ACP_HOST_TEST_PI_NEW', 'omp 14.9.9': 'ACP_HOST_TEST_OMP' } as const;

/** omp needs Bun and much disk space, so it is only tested if its variable is set. */
const isOptional = { 'pi 0.74.2': false, 'pi 1.6.0': false, 'omp 14.9.9': true } as const;

const why = (version: PiVersion): string =>
  `${version} is not installed for tests: set ${variables[version]} to its executable${isOptional[version] ? '' : ', as .ci/run does'}`;

/** For the `skip` of a suite: why it cannot run here. With `CI=true` Pi is not skipped, and the start fails with the same message. */
export function missingPi(version: PiVersion): string | false {
  const isNeeded = process.env['CI'] === 'true' && !isOptional[version];
  return process.env[variables[version]] !== undefined || isNeeded ? false : why(version);
}

export interface Pi {
  readonly host: AgentHost;
  readonly rooms: Rooms;
  readonly agent: ProcessDefinition;
  readonly env: NodeJS.ProcessEnv;
  /** @returns a prompt that the scripted model recognizes */
  prompt(name: string): { readonly type: 'text'; readonly text: string }[];
  newSession(): Promise<Session>;
  /** Creates another host, which has its own process, in the same rooms. @param agent default: Pi itself */
  another(agent?: ProcessDefinition): AgentHost;
}

/** Returns the command of the version that CI has. @param args added to the arguments that every start needs */
export function piInRooms(args: readonly string[]) {
  return { command: executableOf('pi 0.74.2'), args: [...startArgs, '--offline', ...args] };
}

const startArgs = ['--mode', 'rpc', '--provider', 'mock', '--model', 'mock-1'] as const;

/** The files of a home in which the scripted model is the only provider. @param origin of the model */
export function homeWith(origin: string, isOmp = false): Readonly<Record<string, string>> {
  const models = [
    { id: 'mock-1', name: 'Mock 1', ...abilities },
    { id: 'mock-2', name: 'Mock 2', ...abilities, reasoning: false },
  ];
  const provider = { baseUrl: `${origin}/v1`, api: 'openai-completions', apiKey: 'mock', models };
  // Makes a short session long enough to compact.
  const settings = JSON.stringify({ compaction: { enabled: true, keepRecentTokens: 20, reserveTokens: 1000 } });
  const folder = isOmp ? '.omp/agent' : '.pi/agent';
  return {
    [`${folder}/models.${isOmp ? 'yml' : 'json'}`]: JSON.stringify({ providers: { mock: provider } }),
    [`${folder}/${isOmp ? 'config.yml' : 'settings.json'}`]: settings,
  };
}

function executableOf(version: PiVersion): string {
  const command = process.env[variables[version]];
  if (command === undefined) throw new Error(why(version));
  return command;
}

/** Starts Pi and the model. Everything ends with the test. */
export async function launchPi(
  t: TestContext,
  version: PiVersion,
  args: readonly string[] = [],
  codeNavigation?: CodeNavigation,
): Promise<Pi> {
  const command = executableOf(version);
  const model = await startScriptedModel();
  t.after(() => model.close());
  const isOmp = version.startsWith('omp');
  const rooms = await makeRooms({ home: homeWith(model.origin, isOmp) });
  t.after(() => rooms.remove());
  // Selects the way to edit a file that Pi has, too.
  const edits = isOmp ? { PI_EDIT_VARIANT: 'replace' } : {};
  const env = { ...minimalEnv(rooms.home), ...edits, PATH: [path.dirname(process.execPath), process.env['PATH']].join(path.delimiter) };
  const start = [...startArgs, ...(isOmp ? [] : ['--offline']), ...args];
  const agent = { id: 'pi', label: 'Pi', protocol: isOmp ? 'xcsh' : 'pi', command, args: start, env: {} };
  const another = (of: ProcessDefinition = agent): AgentHost => {
    const clientInfo = { name: 'acp-host-test', title: 'ACP Host test', version: '0.0.0' };
    const host = createAgentHost({
      agent: of,
      cwd: rooms.cwd,
      baseEnv: env,
      clientInfo,
      terminalAuth: false,
      ...(codeNavigation && { codeNavigation }),
    });
    t.after(async () => {
      await host.stop();
      host.dispose();
    });
    return host;
  };
  const host = another();
  return {
    host,
    rooms,
    agent,
    env,
    another,
    prompt: (name) => [{ type: 'text', text: `CASE:${name} DIR=${rooms.cwd}` }],
    newSession: () => within(host.newSession(), 'new session', () => host.stderrTail()),
  };
}

const abilities = {
  reasoning: true,
  input: ['text', 'image'],
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  contextWindow: 128_000,
  maxTokens: 8000,
};
