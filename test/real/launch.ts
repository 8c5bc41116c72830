/**
 * The real agentao, started by the project's own host, with the mock model as its provider and without any configuration of the machine.
 */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type AgentDefinition, type AgentHost, type Session, createAgentHost } from '../../src/core/index.js';
import { type MockModel, startMockModel } from '../model/mockModel.js';
import { within } from './deadline.js';

export type AgentaoVersion = '0.5.17' | '0.4.20';

const executableVariable = { '0.5.17': 'ACP_HOST_TEST_AGENTAO', '0.4.20': 'ACP_HOST_TEST_AGENTAO_OLD' } as const;

/** For the `skip` of a suite: why it cannot run here. With `CI=true` nothing is skipped, and the start fails with the same message. */
export function missing(version: AgentaoVersion): string | false {
  if (process.env[executableVariable[version]] !== undefined || process.env['CI'] === 'true') return false;
  return whyMissing(version);
}

function whyMissing(version: AgentaoVersion): string {
  return `agentao ${version} is not installed for tests: set ${executableVariable[version]} to its executable (pip install agentao==${version} in a venv)`;
}

export function executableOf(version: AgentaoVersion): string {
  const executable = process.env[executableVariable[version]];
  if (executable === undefined) throw new Error(whyMissing(version));
  return executable;
}

/** Does not look like a key, so only a host that knows its value can redact it. */
export const testKey = 'mock-key-without-known-shape-7341';

/** A separate home and working folder, removed after the test. */
export interface Rooms {
  readonly home: string;
  readonly cwd: string;
  remove(): Promise<void>;
}

/** Paths are relative to the room, e.g. `.agentao/permissions.json`. */
export interface RoomFiles {
  readonly home?: Readonly<Record<string, string>>;
  readonly cwd?: Readonly<Record<string, string>>;
}

export async function makeRooms(files: RoomFiles = {}): Promise<Rooms> {
  const root = await mkdtemp(path.join(tmpdir(), 'acp-host-real-'));
  const [home, cwd] = [path.join(root, 'home'), path.join(root, 'work')];
  await Promise.all([mkdir(home), mkdir(cwd)]);
  await writeAll(home, files.home ?? {});
  await writeAll(cwd, { 'a.txt': 'alpha\nbeta\n', ...files.cwd });
  return { home, cwd, remove: () => rm(root, { recursive: true, force: true, maxRetries: 5 }) };
}

export async function writeAll(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    const file = path.join(folder, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, content);
  }
}

/** Only PATH, so that no key, proxy or login of the user has an effect, and the mark by which `npm test` finds leftover processes. */
export function minimalEnv(home: string): NodeJS.ProcessEnv {
  const mark = process.env['ACP_HOST_TEST_RUN'];
  return {
    PATH: process.env['PATH'],
    HOME: home,
    TERM: 'dumb',
    LANG: 'C.UTF-8',
    NO_PROXY: '127.0.0.1,localhost',
    ...(mark === undefined ? {} : { ACP_HOST_TEST_RUN: mark }),
  };
}

/** The variables that connect agentao with the mock model. */
export function providerEnv(model: MockModel): Record<string, string> {
  return { LLM_PROVIDER: 'OPENAI', OPENAI_API_KEY: testKey, OPENAI_BASE_URL: model.baseUrl, OPENAI_MODEL: 'mock' };
}

function createHostIn(rooms: Rooms, agent: AgentDefinition): AgentHost {
  return createAgentHost({
    agent,
    cwd: rooms.cwd,
    baseEnv: minimalEnv(rooms.home),
    clientInfo: { name: 'acp-host-test', title: 'ACP Host test', version: '0.0.0' },
    terminalAuth: true,
  });
}

/** Creates a host for an agent that is a Node script. */
export function createNodeAgentHost(script: string, args: readonly string[], rooms: Rooms): AgentHost {
  return createHostIn(rooms, { id: 'peer', label: 'Peer', protocol: 'acp', command: process.execPath, args: [script, ...args], env: {} });
}

export interface LaunchOptions {
  readonly version?: AgentaoVersion;
  readonly files?: RoomFiles;
  /** The rooms of an earlier agent. Whoever made them removes them. */
  readonly rooms?: Rooms;
  /** False: agentao gets no provider. */
  readonly provider?: boolean;
}

export interface Agentao {
  readonly host: AgentHost;
  readonly model: MockModel;
  readonly rooms: Rooms;
  newSession(): Promise<Session>;
  /** Ends the agent and the model, and removes the rooms unless they were given. Idempotent. */
  stop(): Promise<void>;
}

export async function launchAgentao(options: LaunchOptions = {}): Promise<Agentao> {
  const command = executableOf(options.version ?? '0.5.17');
  const rooms = options.rooms ?? (await makeRooms(options.files));
  const model = await startMockModel();
  const env = options.provider === false ? {} : providerEnv(model);
  const host = createHostIn(rooms, { id: 'agentao', label: 'agentao', protocol: 'acp', command, args: ['--acp', '--stdio'], env });
  const end = async (): Promise<void> => {
    await host.stop();
    host.dispose();
    await model.close();
    if (options.rooms === undefined) await rooms.remove();
  };
  let ended: Promise<void> | undefined;
  return {
    host,
    model,
    rooms,
    newSession: () => within(host.newSession(), 'new session', () => host.stderrTail()),
    stop: () => (ended ??= end()),
  };
}
