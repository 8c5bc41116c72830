import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import {
  type AgentDefinition, type ContentBlock, createAgentHost, createJournalStore, isContextBlock, nullLogger, readChain, Redactor, type TranscriptItem,
} from '../../src/core/index.js';
import { Conversation } from '../../src/extension/conversation/conversation.js';
import type { UnsentPrompt } from '../../src/extension/conversation/outbox.js';
import type { ConversationPorts, ConversationRecord } from '../../src/extension/conversation/ports.js';
import type { ConversationState } from '../../src/extension/conversation/state.js';

const agentScript = path.resolve(import.meta.dirname, '../agents/obedient.mjs');

interface Window {
  readonly started: string[];
  readonly givenBack: string[];
  /** What it keeps of messages that no turn has taken. */
  remembered(): readonly UnsentPrompt[];
  remember(unsent: readonly UnsentPrompt[]): void;
  /** A conversation in this window, as after a reload: what was remembered and kept is there. */
  conversation(): Conversation;
}

async function openWindow(t: TestContext, o: { readonly env?: Readonly<Record<string, string>>; readonly trusted?: boolean; readonly defaultMode?: string } = {}): Promise<Window> {
  const folder = await mkdtemp(path.join(tmpdir(), 'acp-host-conversation-'));
  const journals = createJournalStore({ directory: path.join(folder, 'kept'), redactor: new Redactor(), log: nullLogger });
  const definition: AgentDefinition = { id: 'obedient', label: 'Obedient', command: process.execPath, args: [agentScript], env: o.env ?? {}, protocol: 'acp' };
  const open: Conversation[] = [];
  const [started, givenBack]: [string[], string[]] = [[], []];
  let record: ConversationRecord | undefined;
  let unsent: readonly UnsentPrompt[] = [];
  const ports: ConversationPorts = {
    folder: { path: folder, name: 'folder' }, log: nullLogger,
    isTrusted: () => o.trusted ?? true,
    peekAgent: () => Promise.resolve({ definition, fallback: false }),
    chooseAgent: () => Promise.resolve({ definition, fallback: false, baseEnv: process.env }),
    createHost(choice) {
      started.push(choice.definition.id);
      const host = createAgentHost({ agent: choice.definition, cwd: folder, baseEnv: choice.baseEnv, journals, terminalAuth: true, restart: { firstDelayMs: 20 }, clientInfo: { name: 't', title: 'T', version: '0' } });
      return { host, owned: { dispose: () => undefined } };
    },
    defaultMode: () => o.defaultMode ?? '',
    readKept: ({ agentId, sessionId }) => readChain(journals, agentId, sessionId),
    recall: () => record,
    remember: (next) => void (record = next),
    recallUnsent: () => unsent,
    rememberUnsent: (next) => void (unsent = structuredClone(next)),
    giveBack: (text) => void givenBack.push(text),
  };
  t.after(async () => {
    await Promise.all(open.map((conversation) => conversation.end()));
    await rm(folder, { recursive: true, force: true });
  });
  return {
    started, givenBack,
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
const forgetful = { OBEDIENT_FORGETS: '1', OBEDIENT_UNIQUE_IDS: '1' };

const text = (words: string) => [{ type: 'text' as const, text: words }];
const textIn = (content: readonly ContentBlock[]): string => content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('');

function said({ session }: ConversationState): string[] {
  return (session?.items ?? []).map(line);
}

function line(item: TranscriptItem): string {
  switch (item.kind) {
    case 'message':
      return `${item.role}: ${item.content.map((block) => (block.type === 'text' ? block.text : block.type)).join('')}`;
    case 'turn_end':
      return `end ${item.outcome.type}`;
    default:
      return item.kind;
  }
}

function reached(conversation: Conversation, holds: (state: ConversationState) => boolean): Promise<void> {
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

describe('starting', () => {
  it('looking at a conversation starts nothing', async (t) => {
    const window = await openWindow(t);
    const conversation = window.conversation();
    await conversation.restore();
    assert.deepEqual(window.started, []);
    assert.equal(conversation.state.agent?.label, 'Obedient');
  });

  it('messages sent while the agent starts are answered in order by one process', async (t) => {
    const window = await openWindow(t);
    const conversation = window.conversation();
    await Promise.all([conversation.send(text('say one')), conversation.send(text('say two'))]);
    assert.deepEqual(said(conversation.state), ['user: say one', 'agent: one', 'end ended', 'user: say two', 'agent: two', 'end ended']);
    assert.equal(window.started.length, 1);
  });

  it('a workspace that is not trusted starts nothing and loses nothing', async (t) => {
    const window = await openWindow(t, { trusted: false });
    const conversation = window.conversation();
    await conversation.send(text('say hi'));
    assert.deepEqual(window.started, []);
    assert.equal(conversation.state.obstacle?.error.code, 'untrusted');
    assert.equal(conversation.state.unsent.length, 1);
  });

  it('new sessions begin in the mode that the user wants', async (t) => {
    const conversation = (await openWindow(t, { defaultMode: 'free' })).conversation();
    const session = await conversation.open();
    assert.equal(session?.state.modes?.currentModeId, 'free');
  });

  it('stopping the start gives the message back', async (t) => {
    const window = await openWindow(t);
    const conversation = window.conversation();
    const sent = conversation.send(text('say hi'));
    await reached(conversation, ({ connectingSince }) => connectingSince !== undefined);
    conversation.cancel();
    await sent;
    assert.deepEqual(window.givenBack, ['say hi']);
    assert.equal(conversation.state.obstacle, undefined);
  });
});

describe('signing in', () => {
  it('the message that needed it goes on afterwards', async (t) => {
    const conversation = (await openWindow(t, { env: { OBEDIENT_SIGNED_OUT: '1' } })).conversation();
    await conversation.send(text('say hi'));
    assert.equal(conversation.state.obstacle?.type, 'sign_in');
    assert.equal(conversation.state.unsent.length, 1);
    await conversation.host?.authenticate('in');
    await conversation.sendUnsent();
    assert.deepEqual(said(conversation.state), ['user: say hi', 'agent: hi', 'end ended']);
    assert.equal(conversation.state.obstacle, undefined);
  });
});

describe('an agent that dies', () => {
  it('leaves what it said, and a restart takes the conversation up', async (t) => {
    const conversation = (await openWindow(t)).conversation();
    await conversation.send(text('die 3'));
    const before = said(conversation.state);
    assert.deepEqual(before, ['user: die 3', 'agent: half', 'end interrupted']);
    assert.equal(conversation.state.live, false);
    await conversation.restart();
    assert.equal(conversation.state.live, true);
    assert.deepEqual(said(conversation.state), before);
    await conversation.send(text('say back'));
    assert.deepEqual(said(conversation.state).slice(before.length), ['user: say back', 'agent: back', 'end ended']);
  });

  it('keeps the messages that waited for the turn', async (t) => {
    const conversation = (await openWindow(t)).conversation();
    await Promise.all([conversation.send(text('die 3')), conversation.send(text('say later'))]);
    await conversation.restart();
    assert.deepEqual(conversation.state.unsent.map(({ held }) => held), ['turn_cut']);
    await conversation.sendHeld();
    assert.equal(said(conversation.state).at(-2), 'agent: later');
  });
});

describe('a reload of the window', () => {
  it('shows what was said before any agent runs, and takes it up with the next message', async (t) => {
    const window = await openWindow(t);
    const first = window.conversation();
    await first.send(text('say one'));
    await first.end();
    const second = window.conversation();
    await second.restore();
    assert.deepEqual(said(second.state), ['user: say one', 'agent: one', 'end ended']);
    assert.equal(window.started.length, 1);
    await second.send(text('say two'));
    assert.deepEqual(said(second.state), ['user: say one', 'agent: one', 'end ended', 'user: say two', 'agent: two', 'end ended']);
  });

  it('an agent that does not remember is told apart from a new session, which only the user begins', async (t) => {
    const window = await openWindow(t, { env: forgetful });
    const first = window.conversation();
    await first.send(text('say one'));
    await first.end();
    const second = window.conversation();
    await second.send(text('say two'));
    assert.equal(second.state.obstacle?.type, 'load_failed');
    assert.deepEqual(said(second.state), ['user: say one', 'agent: one', 'end ended']);
    assert.equal(second.state.unsent.length, 1);
    await second.startFresh();
    assert.deepEqual(said(second.state), []);
    assert.deepEqual(second.state.unsent.map(({ held }) => held), ['context_lost']);
    await second.sendHeld();
    assert.deepEqual(said(second.state), ['user: say two', 'agent: two', 'end ended']);
    assert.equal(second.state.above.length, 1);
    await second.end();
    const third = window.conversation();
    await third.restore();
    assert.equal(third.state.above.length, 1);
  });
});

describe('an agent that came back and does not remember', () => {
  /** The first turn was cut, one message waits behind it, and the agent that came back knows nothing. */
  async function lost(t: TestContext): Promise<{ readonly conversation: Conversation; readonly window: Window }> {
    const window = await openWindow(t, { env: forgetful });
    const conversation = window.conversation();
    await conversation.send(text('say one'));
    await Promise.all([conversation.send(text('die 1')), conversation.send(text('say later'))]);
    await reached(conversation, ({ obstacle }) => obstacle?.type === 'load_failed');
    return { conversation, window };
  }
  const carried = ({ session }: ConversationState): string[][] => (session?.items ?? []).flatMap((item) => (
    item.kind === 'message' && item.role === 'user' ? [item.content.map((block) => (isContextBlock(block) ? 'context' : block.type === 'text' ? block.text : block.type))] : []));

  it('says so by itself, and nothing is begun in its place', async (t) => {
    const { conversation } = await lost(t);
    assert.deepEqual(said(conversation.state), ['user: say one', 'agent: one', 'end ended', 'user: die 1', 'agent: half', 'end interrupted']);
    assert.deepEqual(conversation.state.above, []);
    assert.deepEqual(conversation.state.unsent.map(({ held }) => held), ['turn_cut']);
  });

  it('goes on with the context: it goes with the next message only, and what waited goes when the user says so', async (t) => {
    const { conversation } = await lost(t);
    await conversation.goOnWithContext();
    assert.equal(conversation.state.context?.turns, 2);
    assert.deepEqual(said(conversation.state), []);
    assert.equal(conversation.state.above.length, 1);
    assert.equal(conversation.state.obstacle, undefined);
    await conversation.sendHeld();
    await conversation.send(text('say two'));
    assert.deepEqual(carried(conversation.state), [['context', 'say later'], ['say two']]);
    assert.deepEqual(conversation.state.session?.items.flatMap((item) => (item.kind === 'message' && item.role === 'agent' ? [line(item)] : [])), ['agent: later', 'agent: two']);
    assert.equal(conversation.state.context, undefined);
  });

  it('the context can be left out, and comes back with a message that is not sent after all', async (t) => {
    const { conversation, window } = await lost(t);
    await conversation.goOnWithContext();
    conversation.dropContext();
    await conversation.send(text('say two'));
    assert.deepEqual(carried(conversation.state), [['say two']]);
    await conversation.send(text('die 1'));
    await reached(conversation, ({ obstacle }) => obstacle?.type === 'load_failed');
    await conversation.goOnWithContext();
    await conversation.send(text('die 1'));
    const turnId = conversation.state.session?.items.find((item) => item.kind === 'turn_end')?.turnId ?? '';
    conversation.editPrompt(turnId);
    assert.equal(window.givenBack.at(-1), 'die 1');
    assert.equal(conversation.state.context?.turns, 4);
  });

  it('what stood above is above again after a reload and from the history, and the context is still to be sent', async (t) => {
    const { conversation, window } = await lost(t);
    await conversation.goOnWithContext();
    await conversation.end();
    const second = window.conversation();
    await second.restore();
    assert.deepEqual(second.state.above.map(({ items }) => items.length), [6]);
    assert.equal(second.state.context?.turns, 2);
    await second.send(text('say two'));
    const { sessionId } = second.state.session ?? assert.fail('no session');
    assert.deepEqual(carried(second.state), [['context', 'say two']]);
    await second.newSession();
    await second.openEarlier({ agentId: 'obedient', sessionId });
    assert.deepEqual(second.state.above.map(({ items }) => items.length), [6]);
    assert.deepEqual(carried(second.state), [['context', 'say two']]);
  });
});

describe('messages that no turn has taken', () => {
  it('survive the window, in order, and are sent only when the user says so', async (t) => {
    const window = await openWindow(t);
    const first = window.conversation();
    const turns = [first.send(text('wait')), first.send(text('say one')), first.send(text('say two'))];
    await reached(first, ({ session }) => session?.queue.length === 2);
    const left = window.remembered();
    await first.end();
    await Promise.all(turns);
    const second = window.conversation();
    window.remember(left);
    await second.restore();
    assert.deepEqual(second.state.unsent.map(({ content, held }) => [textIn(content), held]), [['say one', 'turn_cut'], ['say two', 'turn_cut']]);
    await second.send(text('say new'));
    assert.deepEqual(said(second.state).slice(-3), ['user: say new', 'agent: new', 'end ended']);
    assert.equal(second.state.unsent.length, 2);
    await second.sendHeld();
    assert.deepEqual(said(second.state).slice(-6), ['user: say one', 'agent: one', 'end ended', 'user: say two', 'agent: two', 'end ended']);
    assert.deepEqual(window.remembered(), []);
  });

  it('one whose turn began before the window closed is not offered again', async (t) => {
    const window = await openWindow(t);
    const first = window.conversation();
    const at = Date.now();
    await first.send(text('say one'));
    await first.end();
    window.remember([{ id: 'u', content: text('say one'), at, held: undefined }]);
    const second = window.conversation();
    await second.restore();
    assert.deepEqual(second.state.unsent, []);
  });

  it('what would freeze the agent waits for a decision, also over a reload, and is not let go with the others', async (t) => {
    const window = await openWindow(t);
    const first = window.conversation();
    await first.holdRisky(text('say risky'));
    assert.deepEqual(window.started, []);
    await first.end();
    const second = window.conversation();
    await second.sendHeld();
    assert.deepEqual(second.risky.map(({ content }) => textIn(content)), ['say risky']);
    assert.deepEqual(said(second.state), []);
    second.giveRiskyBack();
    assert.deepEqual(window.givenBack, ['say risky']);
    assert.deepEqual(second.state.unsent, []);
  });
});

describe('the rest of a conversation', () => {
  it('a turn can be sent again', async (t) => {
    const conversation = (await openWindow(t)).conversation();
    await conversation.send(text('say one'));
    const end = conversation.state.session?.items.find((item) => item.kind === 'turn_end');
    await conversation.retry(end?.turnId ?? '');
    assert.deepEqual(said(conversation.state), ['user: say one', 'agent: one', 'end ended', 'user: say one', 'agent: one', 'end ended']);
  });

  it('what stood behind a turn that was cut waits for the user, also when the agent is back', async (t) => {
    const window = await openWindow(t);
    const conversation = window.conversation();
    await Promise.all([conversation.send(text('die 1')), conversation.send(text('say later'))]);
    await reached(conversation, ({ live, status }) => live && status.state === 'ready');
    assert.deepEqual(said(conversation.state), ['user: die 1', 'agent: half', 'end interrupted']);
    assert.equal(conversation.state.unsent.length, 1);
    await conversation.sendHeld();
    assert.deepEqual(said(conversation.state).slice(3), ['user: say later', 'agent: later', 'end ended']);
  });

  it('stop gives back what was queued', async (t) => {
    const window = await openWindow(t);
    const conversation = window.conversation();
    const turns = [conversation.send(text('wait')), conversation.send(text('say later'))];
    await reached(conversation, ({ session }) => session?.queue.length === 1);
    conversation.cancel();
    await Promise.all(turns);
    assert.deepEqual(window.givenBack, ['say later']);
    assert.equal(said(conversation.state).at(-1), 'end ended');
  });

  it('an earlier conversation can be opened again, in the same process and after a reload, and goes on', async (t) => {
    const window = await openWindow(t);
    const first = window.conversation();
    await first.send(text('say one'));
    const key = { agentId: 'obedient', sessionId: first.state.session?.sessionId ?? '' };
    await first.newSession();
    await first.send(text('say two'));
    await first.openEarlier(key);
    await first.send(text('say three'));
    const expected = ['user: say one', 'agent: one', 'end ended', 'user: say three', 'agent: three', 'end ended'];
    assert.deepEqual(said(first.state), expected);
    await first.newSession();
    await first.end();
    const second = window.conversation();
    await second.openEarlier(key);
    assert.deepEqual(said(second.state), expected);
    assert.equal(window.started.length, 1);
    await second.send(text('say four'));
    assert.deepEqual(said(second.state).slice(6), ['user: say four', 'agent: four', 'end ended']);
  });

  it('a new session begins empty in the same process', async (t) => {
    const window = await openWindow(t);
    const conversation = window.conversation();
    await conversation.send(text('say one'));
    await conversation.newSession();
    assert.deepEqual(said(conversation.state), []);
    assert.equal(conversation.state.live, true);
    assert.equal(window.started.length, 1);
  });
});
