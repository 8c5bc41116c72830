/** A window over an engine of its own, which runs an agent of test/agents in a temporary folder. */
import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type AgentDefinition, Engine, EngineClient, HostError, type Logger } from '../../src/core/index.js';
import { type ChatSourceOptions, ChatSources } from '../../src/extension/chat/chatSource.js';
import { OpenConversations } from '../../src/extension/conversation/openConversations.js';
import type { ChipFacts } from '../../src/extension/editor/fileChips.js';
import type { Folder } from '../../src/extension/window/workspace.js';

export interface WindowOptions {
  /** Its file in test/agents, without the extension. */
  readonly agent?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
  readonly isTrusted?: () => boolean;
  readonly isInstalled?: () => boolean;
  /** That of the window. */
  readonly log?: Logger;
  /** The file that is open in the editor. */
  readonly openFile?: () => ChipFacts | undefined;
}

/** What ends after a test. */
interface Scope {
  after(end: () => unknown): void;
}

export interface TestEngine {
  readonly folder: Folder;
  readonly definition: AgentDefinition;
  readonly engine: Engine;
  /** The number of agents that were started for conversations. */
  readonly started: number;
  /** Connects a window. */
  attach(): Promise<EngineClient>;
  /** Ends the engine and its windows; the next window finds another one with everything that was saved. */
  restart(): Promise<void>;
  /** Ends the engine alone, and starts the next one after the work. */
  lose(work: () => Promise<void>): Promise<void>;
}

export async function openEngine(t: Scope, o: WindowOptions = {}): Promise<TestEngine> {
  const parent = await realpath(await mkdtemp(path.join(tmpdir(), 'acp-host-window-')));
  const folder = { path: path.join(parent, 'folder'), name: 'folder' };
  await mkdir(folder.path);
  const definition: AgentDefinition = {
    id: 'obedient',
    label: 'Obedient',
    command: process.execPath,
    args: [path.join(import.meta.dirname, `../agents/${o.agent ?? 'obedient'}.mjs`), ...(o.args ?? [])],
    env: o.env ?? {},
    protocol: 'acp',
  };
  const clients: EngineClient[] = [];
  let started = 0;
  let isLost = false;
  const start = async (): Promise<Engine> => {
    const next = new Engine({ stateFolder: path.join(parent, 'state'), version: '0', location: 'window', onIdle: () => {} });
    let seen = 0;
    next.processes.onChange(() => {
      const latest = Math.max(0, ...next.processes.all.map(({ id }) => id));
      started += latest - seen;
      seen = latest;
    });
    await next.load();
    return next;
  };
  let engine = await start();
  const leave = async (): Promise<void> => {
    for (const client of clients.splice(0)) client.dispose();
    await engine.close();
  };
  t.after(async () => {
    await leave();
    await rm(parent, { recursive: true, force: true, maxRetries: 3 });
  });
  return {
    folder,
    definition,
    get engine() {
      return engine;
    },
    get started() {
      return started;
    },
    async attach() {
      const client = new EngineClient({
        connect: () => (isLost ? Promise.reject(new HostError('disposed', { reason: 'connection' })) : Promise.resolve(engine.connect())),
        attaching: { program: 'editor', use: 'share', keepAliveMs: 0 },
        ...(o.log && { log: o.log }),
        services: {
          async peek_agent() {
            if (o.isInstalled?.() === false) throw new HostError('agent_not_found', { reason: 'none_installed' });
            return Promise.resolve({ id: definition.id, label: definition.label, isFallback: false });
          },
          async choose_agent() {
            if (o.isTrusted?.() === false) throw new HostError('untrusted');
            const clientInfo = { name: 't', title: 'T', version: '0' };
            return Promise.resolve({ definition, isFallback: false, baseEnv: process.env, clientInfo, optionDefaults: [] });
          },
        },
      });
      clients.push(client);
      await client.connected();
      return client;
    },
    async restart() {
      await leave();
      engine = await start();
    },
    async lose(work) {
      isLost = true;
      await engine.close();
      await work();
      engine = await start();
      isLost = false;
    },
  };
}

export interface TestWindow {
  readonly client: EngineClient;
  readonly conversations: OpenConversations;
  readonly sources: ChatSources;
}

/** Opens another window. @param folders that of the engine if absent */
export async function windowOf(
  t: Scope,
  lab: TestEngine,
  folders: () => readonly Folder[] = () => [lab.folder],
  openFile: () => ChipFacts | undefined = () => undefined,
): Promise<TestWindow> {
  const client = await lab.attach();
  const conversations = new OpenConversations(client, folders);
  const sources = sourcesOf(t, conversations, { openFile: { facts: openFile, chip: () => undefined } });
  t.after(() => conversations.dispose());
  return { client, conversations, sources };
}

/** Opens an engine and a window. */
export async function openWindow(t: Scope, o: WindowOptions = {}) {
  const lab = await openEngine(t, o);
  return { lab, folder: lab.folder, ...(await windowOf(t, lab, undefined, o.openFile)) };
}

/** The sources of chat pages in a window that only knows its conversations. */
export function sourcesOf(t: Scope, conversations: OpenConversations, o: Partial<ChatSourceOptions> = {}): ChatSources {
  const sources = new ChatSources(conversations, {
    nameOf: () => 'a conversation',
    folderOf: () => undefined,
    recent: () => [],
    closed: () => undefined,
    isEngineLost: () => false,
    quietAfterMs: () => 60_000,
    doctorNote: () => undefined,
    lastKnown: () => undefined,
    openFile: { facts: () => undefined, chip: () => undefined },
    changedUnderText: () => [],
    leavesOutOpenFile: () => false,
    filesNamed: () => Promise.resolve([]),
    suggestFiles: () => Promise.resolve([]),
    workspaceImage: () => Promise.resolve(undefined),
    ...o,
  });
  // A source of a working agent sets a timer, which would keep the process alive for a minute.
  t.after(() => sources.dispose());
  return sources;
}
