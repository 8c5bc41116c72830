/** A window with one folder, and conversations in it as after a reload: what was remembered and kept is there. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TestContext } from 'node:test';
import {
  type AgentDefinition,
  type ContentBlock,
  createAgentHost,
  createJournalStore,
  nullLogger,
  readEarlierSessions,
  readSessionHistory,
  Redactor,
  type TranscriptItem,
} from '../../src/core/index.js';
import { Conversation } from '../../src/extension/conversation/conversation.js';
import type { UnsentPrompt } from '../../src/extension/conversation/outbox.js';
import type { ConversationPorts, ConversationRecord } from '../../src/extension/conversation/ports.js';
import type { ConversationState } from '../../src/extension/conversation/state.js';

const agentScript = path.resolve(import.meta.dirname, '../agents/obedient.mjs');

export interface Window {
  readonly started: string[];
  readonly givenBack: string[];
  /** What it keeps of messages that no turn has taken. */
  remembered(): readonly UnsentPrompt[];
  remember(unsent: readonly UnsentPrompt[]): void;
  /** A conversation in this window, as after a reload: what was remembered and kept is there. */
  conversation(): Conversation;
}

export async function openWindow(
  t: TestContext,
  o: { readonly env?: Readonly<Record<string, string>>; readonly trusted?: boolean; readonly defaultMode?: string } = {},
): Promise<Window> {
  const folder = await mkdtemp(path.join(tmpdir(), 'acp-host-conversation-'));
  const journals = createJournalStore({ directory: path.join(folder, 'kept'), redactor: new Redactor(), log: nullLogger });
  const definition: AgentDefinition = {
    id: 'obedient',
    label: 'Obedient',
    command: process.execPath,
    args: [agentScript],
    env: o.env ?? {},
    protocol: 'acp',
  };
  const open: Conversation[] = [];
  const [started, givenBack]: [string[], string[]] = [[], []];
  let record: ConversationRecord | undefined;
  let unsent: readonly UnsentPrompt[] = [];
  const ports: ConversationPorts = {
    folder: { path: folder, name: 'folder' },
    log: nullLogger,
    isTrusted: () => o.trusted ?? true,
    peekAgent: () => Promise.resolve({ definition, isFallback: false }),
    chooseAgent: () => Promise.resolve({ definition, isFallback: false, baseEnv: process.env }),
    createHost(choice) {
      started.push(choice.definition.id);
      const host = createAgentHost({
        agent: choice.definition,
        cwd: folder,
        baseEnv: choice.baseEnv,
        journals,
        terminalAuth: true,
        restart: { firstDelayMs: 20 },
        clientInfo: { name: 't', title: 'T', version: '0' },
      });
      return { host, owned: { dispose: () => undefined } };
    },
    defaultMode: () => o.defaultMode ?? '',
    readSaved: ({ agentId, sessionId, createdAt }) => readSessionHistory(journals, agentId, sessionId, { createdAt }),
    readBefore: (agentId, conversation) => readEarlierSessions(journals, agentId, conversation),
    recall: () => record,
    remember: (next) => void (record = next),
    recallUnsent: () => unsent,
    rememberUnsent: (next) => void (unsent = structuredClone(next)),
    returnToComposer: (text) => void givenBack.push(text),
  };
  t.after(async () => {
    await Promise.all(open.map((conversation) => conversation.end()));
    await rm(folder, { recursive: true, force: true });
  });
  return {
    started,
    givenBack,
    remembered: () => unsent,
    remember: (next) => void (unsent = next),
    conversation() {
      const conversation = new Conversation(ports);
      open.push(conversation);
      return conversation;
    },
  };
}

/** Each process has sessions of its own, and knows none of another's. */
export const forgetful = { OBEDIENT_FORGETS: '1', OBEDIENT_UNIQUE_IDS: '1' };

export const text = (words: string) => [{ type: 'text' as const, text: words }];
export const textIn = (content: readonly ContentBlock[]): string =>
  content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('');

export function said({ session }: ConversationState): string[] {
  return (session?.items ?? []).map(line);
}

export function line(item: TranscriptItem): string {
  switch (item.kind) {
    case 'message':
      return `${item.role}: ${item.content.map((block) => (block.type === 'text' ? block.text : block.type)).join('')}`;
    case 'turn_end':
      return `end ${item.outcome.type}`;
    default:
      return item.kind;
  }
}

export function reached(conversation: Conversation, holds: (state: ConversationState) => boolean): Promise<void> {
  return new Promise((resolve) => {
    const look = (): void => {
      if (!holds(conversation.state)) return;
      subscription.dispose();
      resolve();
    };
    const subscription = conversation.onChange(look);
    look();
  });
}
