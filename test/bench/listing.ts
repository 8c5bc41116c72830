/** How long users wait for a long list of saved conversations, in the Conversations view and in a terminal. */
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { readSaved, referencesOf } from '../../src/cli/system/conversations.js';
import { Conversations, ConversationStore, Engine, EngineClient, journalFolder, nullLogger, Redactor } from '../../src/core/index.js';
import { journalPath } from '../../src/core/journal/journalFormat.js';
import { type ConversationFacts, conversationFormat } from '../../src/core/store/conversationStore.js';
import { listNodes } from '../../src/extension/list/listNodes.js';
import { listRow } from '../../src/extension/list/listRow.js';
import { atMost, type Goal, median } from './report.js';

const limits = { listMs: 300 } as const;
const count = 5_000;
const rounds = 7;

const openStore = (stateFolder: string): ConversationStore =>
  new ConversationStore({ stateFolder, redactor: new Redactor(), log: nullLogger });

/** Writes conversations as they are on disk after one turn. The journals are copies of one, because only their names are read. */
async function save(stateFolder: string, cwd: string): Promise<void> {
  const store = openStore(stateFolder);
  const journal = store.journals.open('c0', { id: 's0', agentId: 'demo', sessionId: 's0', createdAt: 1, cwd }, true);
  journal.append([
    { type: 'turn_started', at: 1, turnId: 't1', content: [{ type: 'text', text: 'conversation' }] },
    { type: 'message', at: 2, role: 'agent', content: { type: 'text', text: 'What I found. '.repeat(20) } },
    { type: 'turn_ended', at: 3, turnId: 't1', outcome: { type: 'ended', stopReason: 'end_turn', silent: false } },
  ]);
  await journal.close();
  store.dispose();
  const directory = journalFolder(stateFolder);
  const conversations = path.join(stateFolder, 'conversations');
  mkdirSync(conversations, { recursive: true });
  for (let index = 0; index < count; index++) {
    if (index > 0) copyFileSync(journalPath(directory, 'c0'), journalPath(directory, `c${index}`));
    writeFileSync(path.join(conversations, `c${index}.json`), conversationFormat.format(factsOf(index, cwd)));
  }
}

function factsOf(index: number, cwd: string): ConversationFacts {
  return {
    id: `c${index}`,
    cwd,
    folder: cwd,
    place: { agentId: 'demo', sessionId: `s${index}`, over: undefined, withContext: false },
    summary: {
      agent: { id: 'demo', label: 'Demo agent' },
      agentTitle: undefined,
      firstWords: `conversation ${index}`,
      usedAt: index + 3,
      turn: 'idle',
      earlier: [],
    },
    unsentWords: undefined,
    title: undefined,
    createdAt: index + 1,
    isPinned: false,
    isArchived: false,
    isUnread: false,
    isBranch: false,
    leavesOutOpenFile: false,
    isDeleted: false,
    filesOf: undefined,
  };
}

/** Measures from an empty memory to the rows of the view. */
async function viewMs(stateFolder: string, cwd: string): Promise<number> {
  const startedAt = performance.now();
  const store = openStore(stateFolder);
  const conversations = new Conversations(() => {
    throw new Error('nothing is opened');
  }, store);
  await conversations.load();
  const nodes = listNodes({
    entries: conversations.state.conversations,
    folders: [{ path: cwd, name: 'bench' }],
    showsArchived: false,
    now: Date.now(),
  });
  const rows = nodes.map((node) => (node.type === 'conversation' ? listRow(node.entry, Date.now()) : undefined));
  const ms = performance.now() - startedAt;
  if (rows.length !== count) throw new Error(`${rows.length} rows`);
  conversations.dispose();
  store.dispose();
  return ms;
}

/** The same for `acp-host sessions`, without the start of the programs. */
async function sessionsMs(stateFolder: string): Promise<number> {
  const startedAt = performance.now();
  const engine = new Engine({ stateFolder, version: '0', location: 'process', onIdle() {} });
  void engine.load();
  const client = new EngineClient({
    connect: () => Promise.resolve(engine.connect()),
    attaching: { program: 'terminal', use: 'once' },
    services: {},
  });
  const references = referencesOf((await readSaved(client)).sessions);
  const ms = performance.now() - startedAt;
  if (references.length !== count) throw new Error(`${references.length} sessions`);
  client.dispose();
  await engine.close();
  return ms;
}

/** @param folder where it may write */
export async function benchListing(folder: string): Promise<Goal[]> {
  const stateFolder = path.join(folder, 'listed');
  await save(stateFolder, folder);
  const [view, sessions]: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round++) {
    view.push(await viewMs(stateFolder, folder));
    sessions.push(await sessionsMs(stateFolder));
  }
  return [
    atMost('5k-conversations-in-the-view-ms', median(view), limits.listMs),
    atMost('5k-conversations-in-a-terminal-ms', median(sessions), limits.listMs),
  ];
}
