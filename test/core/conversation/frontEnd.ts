/** A front end with conversations in one folder, over each kind of connection, and what is available again after it was closed. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, type TestContext } from 'node:test';
import {
  type AgentDefinition,
  type ContentBlock,
  type ConversationClient,
  type ConversationCommand,
  type ConversationController,
  type ConversationLibrary,
  type ConversationPorts,
  type ConversationRecord,
  Conversations,
  type ConversationState,
  type CommandResult,
  createAgentHost,
  createJournalStore,
  emptyConversation,
  HostError,
  isSettled,
  type JournalStore,
  nullLogger,
  readConversation,
  Redactor,
  toDisposable,
  type TranscriptItem,
} from '../../../src/core/index.js';
import { reduceConversation } from '../../../src/core/conversation/events.js';
import type { Batch } from '../../../src/core/conversation/events.js';
import { ChannelServer, RemoteReplica, type Replica, type Replicated, type Source } from '../../../src/core/engine/replica.js';
import { createWirePair } from '../../../src/core/link/wire.js';
import { followOverCuts } from './cutLink.js';

export interface Line {
  readonly name: string;
  connect(conversation: ConversationController): Promise<{ readonly client: ConversationClient; close(): void }>;
}

/** How what one end says reaches the other. */
interface Way {
  /** Delivers in order. */
  readonly deliver: (arrive: () => void) => void;
  readonly copy: <T>(message: T) => T;
}

const directly: Way = { deliver: (arrive) => arrive(), copy: (message) => message };

/** Copies everything, and delivers it later. */
export function throughClones(): Way {
  let last: Promise<void> = Promise.resolve();
  return {
    deliver: (arrive) => void (last = last.then(() => new Promise<void>((resolve) => setImmediate(resolve))).then(arrive)),
    copy: (message) => structuredClone(message),
  };
}

/** Connects a front end as the engine does. Resolves with the first snapshot. */
export async function follow<State extends { readonly revision: number }, BatchEvent, Command>(
  source: Source<State, BatchEvent> & { execute(command: Command): Promise<CommandResult> },
  initial: State,
  reduce: (state: State, batch: Batch<BatchEvent>) => State,
  { deliver, copy }: Way = directly,
): Promise<{ readonly client: Replica<State, BatchEvent, Command>; close(): void }> {
  const [own, front] = createWirePair();
  const replica = new RemoteReplica<State, BatchEvent, Command>({
    initial,
    reduce,
    async execute(command) {
      const result = (await front.call('execute', copy(command))) as CommandResult;
      await new Promise<void>((resolve) => deliver(resolve));
      return copy(result);
    },
    resync: () => void front.call('resync', undefined),
  });
  const first = new Promise<void>((resolve) => replica.onChange(() => resolve()));
  front.onTold(({ message }) => {
    const told = copy(message) as Exclude<Replicated<State, BatchEvent>, { type: 'closed' }>;
    deliver(() => replica.receive(told));
  });
  own.serve(async (method, params) => {
    if (method === 'resync') return server.snapshot();
    const result = await source.execute(params as Command);
    await server.flush();
    return result;
  });
  const server = new ChannelServer<State, BatchEvent>({ source, wire: own, channel: 'source' });
  await first;
  return {
    client: replica,
    close() {
      replica.dispose();
      server.dispose();
      front.dispose();
    },
  };
}

const connectBy =
  (way: () => Way): Line['connect'] =>
  (conversation) =>
    follow(conversation, emptyConversation(conversation.id, ''), reduceConversation, way());

const direct: Line = { name: 'directly', connect: connectBy(() => directly) };
/** What happens arrives as events; over a line that is cut, part of it may arrive as a state instead. */
export const unbrokenLines: readonly Line[] = [direct, { name: 'through a structured clone', connect: connectBy(throughClones) }];
/** Copies everything and delivers it later, and after each cut a state stands for the events that were lost. */
const cut: Line = {
  name: 'through a link that is cut',
  connect: (conversation) => followOverCuts(conversation, emptyConversation(conversation.id, ''), reduceConversation),
};
export const lines: readonly Line[] = [direct, cut];

/** Runs the tests once over each kind of connection. */
export function overEachLine(name: string, tests: (line: Line) => void, among = lines): void {
  for (const line of among) describe(`${name}, ${line.name}`, () => tests(line));
}

/** Runs the tests over the connection on which most can go wrong: what holds there holds in the same process. */
export function overCuts(name: string, tests: (line: Line) => void): void {
  overEachLine(name, tests, [cut]);
}

/** How a new conversation begins. */
type Beginning = Pick<Parameters<Conversations['open']>[0], 'agentId' | 'session'>;

export interface FrontEnd {
  readonly folder: string;
  readonly journals: JournalStore;
  /** Ids of the agents for which a host was created. */
  readonly started: string[];
  readonly conversations: Conversations;
  /** Opens the conversation with this id, which an earlier front end may have used. */
  open(id?: string, beginning?: Beginning): Promise<ConversationClient>;
  /** Closes the front end and opens another one with everything that was remembered and saved. */
  reopen(): Promise<void>;
  remembered(id?: string): ConversationRecord | undefined;
  /** Stores what a killed front end may have left behind. */
  remember(record: ConversationRecord, id?: string): void;
}

export interface FrontEndOptions {
  readonly agent?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly ports?: Partial<ConversationPorts>;
  /** Absent: only what was remembered is known of a conversation that is closed. */
  readonly library?: ConversationLibrary;
  readonly isTrusted?: () => boolean;
  /** Until an agent that was lost starts again by itself. */
  readonly restartMs?: number;
}

export async function openFrontEnd(t: TestContext, line: Line, o: FrontEndOptions = {}): Promise<FrontEnd> {
  const folder = await mkdtemp(path.join(tmpdir(), 'acp-host-conversation-'));
  const journals = createJournalStore({ directory: path.join(folder, 'saved'), redactor: new Redactor(), log: nullLogger });
  const definition: AgentDefinition = {
    id: 'obedient',
    label: 'Obedient',
    command: process.execPath,
    args: [path.resolve(import.meta.dirname, `../../agents/${o.agent ?? 'obedient'}.mjs`)],
    env: o.env ?? {},
    protocol: 'acp',
  };
  const started: string[] = [];
  const records = new Map<string, string>();
  const portsFor = (id: string): ConversationPorts => ({
    log: nullLogger,
    clock: { now: () => Date.now() },
    peekAgent: () => Promise.resolve({ id: definition.id, label: definition.label, isFallback: false }),
    chooseAgent: () =>
      o.isTrusted?.() === false
        ? Promise.reject(new HostError('untrusted'))
        : Promise.resolve({ definition, isFallback: false, baseEnv: process.env }),
    createHost({ definition: agent, baseEnv }) {
      started.push(agent.id);
      const host = createAgentHost({
        agent,
        cwd: folder,
        baseEnv,
        terminalAuth: true,
        restart: o.restartMs === undefined ? { firstDelayMs: 20 } : { firstDelayMs: o.restartMs, maxDelayMs: o.restartMs },
        clientInfo: { name: 't', title: 'T', version: '0' },
      });
      return { host, owned: toDisposable(() => {}) };
    },
    optionDefaults: () => [],
    readSessions: () => readConversation(journals, id),
    openJournal: (session, isNew) => journals.open(id, session, isNew),
    recall: () => recalled(id),
    remember: (record) => void records.set(id, JSON.stringify(record)),
    ...o.ports,
  });
  const recalled = (id: string): ConversationRecord | undefined => {
    const json = records.get(id);
    if (json === undefined) return undefined;
    const { place, outbox, returned, draft }: ConversationRecord = JSON.parse(json);
    return { place, draft, outbox: outbox.map((prompt) => ({ ...prompt, held: prompt.held })), returned };
  };
  let conversations = new Conversations(portsFor, o.library);
  let clients: { readonly conversation: ConversationController; readonly client: ConversationClient; close(): void }[] = [];
  const close = async (): Promise<void> => {
    // A test may have closed one, and opened another with the same id.
    const open = clients.filter(({ conversation }) => conversations.get(conversation.id) === conversation);
    for (const { conversation, client } of open) await isInStep(client, conversation);
    await conversations.end();
    for (const client of clients) client.close();
    clients = [];
  };
  t.after(async () => {
    await close();
    await rm(folder, { recursive: true, force: true });
  });
  return {
    folder,
    journals,
    started,
    get conversations() {
      return conversations;
    },
    async open(id = 'one', beginning = {}) {
      const conversation = conversations.open({ cwd: folder, id, ...beginning });
      const connected = await line.connect(conversation);
      clients.push({ conversation, ...connected });
      await connected.client.execute({ type: 'refresh_agent' });
      return connected.client;
    },
    async reopen() {
      await close();
      conversations = new Conversations(portsFor, o.library);
    },
    remembered: (id = 'one') => recalled(id),
    remember: (record, id = 'one') => void records.set(id, JSON.stringify(record)),
  };
}

/** Checks that the state is the same on both sides of the connection. */
async function isInStep(client: ConversationClient, conversation: ConversationController): Promise<void> {
  await client.execute({ type: 'take_returned', promptIds: [] });
  await reached(client, ({ revision }) => revision === conversation.state.revision);
  // A link leaves out what is undefined.
  const plain = <T>(state: T): T => JSON.parse(JSON.stringify(state));
  assert.deepEqual(plain(client.state), plain(conversation.state));
}

/** Each process of the agent has its own sessions, and does not know those of other processes. */
export const forgetful = { OBEDIENT_FORGETS: '1', OBEDIENT_UNIQUE_IDS: '1' };

/** Whether the agent works on the prompt `wait`. A running turn does not show that, because its prompt may not be saved yet. */
export const isWaiting = ({ session }: ConversationState): boolean => session?.items.at(-1)?.kind === 'tool';

/** Lets everything run that does not wait for a process or a file. */
export async function settledTasks(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
}

export const text = (words: string): readonly ContentBlock[] => [{ type: 'text', text: words }];
export const textIn = (content: readonly ContentBlock[]): string =>
  content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('');

export async function run(client: ConversationClient, command: ConversationCommand): Promise<CommandResult> {
  const result = await client.execute(command);
  assert.ok(result.ok, JSON.stringify(result));
  return result;
}

/** Sends a prompt and waits until nothing happens any more. */
export async function say(client: ConversationClient, ...prompts: readonly string[]): Promise<void> {
  await Promise.all(prompts.map((words) => run(client, { type: 'send', content: text(words) })));
  await reached(client, isSettled);
}

export async function settled(client: ConversationClient, command: ConversationCommand): Promise<CommandResult> {
  const result = await client.execute(command);
  await reached(client, isSettled);
  return result;
}

/** The ids of the turns that ended in the session on screen, oldest first. */
export function turnsOf({ session }: ConversationState): readonly string[] {
  return (session?.items ?? []).flatMap((item) => (item.kind === 'turn_end' ? [item.turnId] : []));
}

export function said({ session }: ConversationState): readonly string[] {
  return (session?.items ?? []).map(lineOf);
}

export const heldIn = ({ outbox }: ConversationState): readonly (string | undefined)[] => outbox.map(({ held }) => held);
export const returnedIn = ({ returned }: ConversationState): readonly string[] => returned.map(({ content }) => textIn(content));

export const keyOf = ({ state }: ConversationClient) => ({
  agentId: 'obedient',
  sessionId: state.session?.sessionId ?? assert.fail('no session'),
});

export function lineOf(item: TranscriptItem): string {
  switch (item.kind) {
    case 'message':
      return `${item.role}: ${item.content.map((block) => (block.type === 'text' ? block.text : block.type)).join('')}`;
    case 'turn_end':
      return `end ${item.outcome.type}`;
    default:
      return item.kind;
  }
}

export function reached(client: ConversationClient, holds: (state: ConversationState) => boolean): Promise<void> {
  return new Promise((resolve) => {
    const look = (): void => {
      if (!holds(client.state)) return;
      subscription.dispose();
      resolve();
    };
    const subscription = client.onChange(look);
    look();
  });
}
