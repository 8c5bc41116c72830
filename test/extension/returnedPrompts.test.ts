/** Prompts return to the composer whole: their text as text, and everything else as attachments of the next message. The editor is a fake. */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { HostMessage } from '../../src/contract/messages.js';
import { addKnownAgent, type ContentBlock, type ConversationCommand, Emitter, isSettled, type OutboxPrompt } from '../../src/core/index.js';
import { promptText } from '../../src/core/session/content.js';
import { commentChip, droppedTextChip, pastedTextChip, terminalTextChip } from '../../src/extension/chat/sharedDraft.js';
import { attachmentsOf } from '../../src/extension/chat/messageView.js';
import { createReturner } from '../../src/extension/actions/promptActions.js';
import { execute } from '../../src/extension/conversation/openConversations.js';
import type { ChipFacts } from '../../src/extension/editor/fileChips.js';
import { type PageIntent, PageLink } from '../../src/extension/pages/pageLink.js';
import { editor } from '../fakes/vscodeFake.js';
import { isWaiting, reached, run, text } from '../core/conversation/frontEnd.js';
import { openWindow as open, windowOf } from './openWindow.js';
import { confirm } from '../../src/extension/window/windowMessages.js';
import { createPromptActions } from '../../src/extension/actions/promptActions.js';

const code = { type: 'resource', resource: { uri: 'file:///project/parser.ts#L2:1-L5:1', text: 'let x = 1;' } } as const;
const file = { type: 'resource_link', uri: 'file:///project/long.txt', name: 'long.txt' } as const;

addKnownAgent({
  id: 'obedient',
  label: 'Obedient',
  checkPrompt: (content) => (JSON.stringify(content).includes('risky') ? { kind: 'freezes', runChars: 12_345 } : undefined),
});

const textsOf = (told: readonly HostMessage[]): readonly string[] =>
  told.flatMap((message) => (message.type === 'returnText' ? [message.text] : []));

async function openWindow(t: TestContext) {
  const window: { openFile?: ChipFacts; isUnsaved?: true } = {};
  const { lab, conversations, sources, folder } = await open(t, { openFile: () => window.openFile });
  const entry = conversations.open(folder);
  const told: HostMessage[] = [];
  const page = { isReady: true, hears: true };
  const pages = {
    hears: () => page.isReady,
    tell: (_: string, message: HostMessage) => page.hears && told.push(message) > 0,
  };
  const opened: (readonly [string, string])[] = [];
  /** The messages whose files were to be saved. */
  const named: (readonly ContentBlock[])[] = [];
  const documents = { open: (name: string, words: string) => Promise.resolve(void opened.push([name, words])) };
  const actions = createPromptActions({
    parts: { sources, pages, documents },
    source: () => sources.of(entry),
    current: () => entry,
    run: async (command: ConversationCommand) => void (await execute(entry.conversation, command)),
    confirm,
    saveNamed(content: readonly ContentBlock[]) {
      named.push(content);
      return Promise.resolve(window.isUnsaved !== true);
    },
  } as never);
  return Object.assign(window, {
    lab,
    conversations,
    sources,
    entry,
    actions,
    opened,
    told,
    named,
    page,
    returnPrompts: createReturner({ conversations, sources, pages }),
  });
}
type Window = Awaited<ReturnType<typeof openWindow>>;

const chipsOf = ({ sources, entry }: Window): readonly string[] =>
  sources
    .of(entry)
    .view()
    .composer.chips.map(({ label }) => label);

async function sendAndStop({ entry: { conversation } }: Window, content: readonly ContentBlock[]): Promise<void> {
  await execute(conversation, { type: 'send', content });
  await execute(conversation, { type: 'cancel', scope: 'everything' });
  await reached(conversation, isSettled);
}

describe('a note', () => {
  it('goes with the next message, but stays for the one after a command of the agent', async (t) => {
    const window = await openWindow(t);
    const { sources, entry, actions } = window;
    const lines = { path: 'a.ts', firstLine: 1, lastLine: 1 };
    sources.of(entry).addChip(commentChip(lines, 'why?', ['code']));
    await actions.send('/compact');
    assert.deepEqual(chipsOf(window), ['1 note']);
    await actions.send('go on');
    assert.deepEqual(chipsOf(window), []);
    assert.deepEqual(
      entry.conversation.state.outbox.map(({ content }) => content.length),
      [1, 2],
    );
    await execute(entry.conversation, { type: 'cancel', scope: 'everything' });
  });
});

describe('a long pasted text', () => {
  const pasted = Array.from({ length: 400 }, (_, index) => `line ${index}`).join('\n');

  it('it is a chip that is sent as text, also alone', async (t) => {
    const window = await openWindow(t);
    const { sources, entry, actions } = window;
    sources.of(entry).addChip(pastedTextChip(`${pasted}\n`));
    assert.deepEqual(chipsOf(window), ['Pasted text · 400 lines']);
    await actions.send('');
    assert.deepEqual(
      entry.conversation.state.outbox.map(({ content }) => content),
      [text(`${pasted}\n`)],
    );
    assert.deepEqual(chipsOf(window), []);
    // It was removed while the user pressed Enter.
    await actions.send('');
    assert.equal(entry.conversation.state.outbox.length, 1);
    await execute(entry.conversation, { type: 'cancel', scope: 'everything' });
  });

  it('a file of another program is a chip with its name, which the agent reads, too', () => {
    const { label, content } = droppedTextChip('build.log', 'one\ntwo\n');
    assert.equal(label, 'build.log · 2 lines');
    assert.deepEqual([content], text('build.log:\n```\none\ntwo\n```'));
  });

  it('pictures of one name have the number by which the agent knows them', async (t) => {
    const window = await openWindow(t);
    const add = (id: string, label: string): void =>
      window.sources
        .of(window.entry)
        .addChip({ id, label, title: label, content: { type: 'image', mimeType: 'image/png', data: 'eHh4', uri: id } });
    add('a', 'Image');
    assert.deepEqual(chipsOf(window), ['Image']);
    add('b', 'login.png');
    add('c', 'Image');
    assert.deepEqual(chipsOf(window), ['Image 1', 'login.png', 'Image 3']);
    const picture = { type: 'image', mimeType: 'image/png', data: 'eHh4' } as const;
    const labels = (...content: readonly ContentBlock[]): readonly string[] => attachmentsOf(content).map(({ label }) => label);
    assert.deepEqual(labels(picture, ...text('and'), { ...picture }), ['Image 1', 'Image 2']);
    assert.deepEqual(labels(picture), ['Image']);
  });

  it('it is a chip that says so if the user selected it in a terminal, which the agent reads, too', () => {
    const { label, title, content } = terminalTextChip('$ npm test\n1 failed\n\n');
    assert.deepEqual([label, title], ['Terminal · 2 lines', '$ npm test\n1 failed\n\n']);
    assert.deepEqual([content], text('Selected in the terminal:\n```\n$ npm test\n1 failed\n```'));
    assert.equal(terminalTextChip('one').label, 'Terminal · 1 line');
  });

  it('it can be unfolded into the composer', async (t) => {
    const window = await openWindow(t);
    const { sources, entry, actions, told, opened } = window;
    sources.of(entry).addChip(pastedTextChip(pasted));
    await actions.openChip(sources.of(entry).view().composer.chips[0]?.id ?? '');
    assert.deepEqual([told, chipsOf(window), opened], [[{ type: 'returnText', text: pasted }], [], []]);
  });
});

describe('a message on which the agent is known to hang', () => {
  const outboxOf = ({ entry }: Window) => entry.conversation.state.outbox.map(({ content, held }) => [content, held]);

  it('it returns with its attachments if the user closes the warning, and is sent as it is if the user insists', async (t) => {
    const window = await openWindow(t);
    const { sources, entry, actions, told } = window;
    const chip = { id: 'c', label: 'a.ts', title: 'a.ts', content: code };
    sources.of(entry).addChip(chip);
    Object.assign(editor, { answer: undefined, asked: [] });
    await actions.send('say risky', { id: 'risky' });
    assert.equal(editor.asked.length, 1);
    assert.match(editor.asked.join(), /^This message can freeze Obedient It contains 12,345 characters in a row without a space,/);
    assert.deepEqual([told, outboxOf(window)], [[{ type: 'returnText', text: 'say risky', promptId: 'risky' }], []]);
    assert.deepEqual([chipsOf(window), entry.conversation.state.draft.chips], [['a.ts'], [chip]]);
    editor.answer = 'Send Anyway';
    await actions.send('say risky');
    assert.deepEqual([told.length, outboxOf(window), chipsOf(window)], [1, [[[...text('say risky'), code], undefined]], []]);
    await execute(entry.conversation, { type: 'cancel', scope: 'everything' });
  });

  it('the user is asked about what is attached, too', async (t) => {
    const window = await openWindow(t);
    Object.assign(editor, { answer: undefined, asked: [] });
    window.sources.of(window.entry).addChip(pastedTextChip('risky'));
    await window.actions.send('');
    assert.deepEqual([editor.asked.length, window.told, chipsOf(window).length, outboxOf(window)], [1, [], 1, []]);
  });

  it('resending an earlier one asks nothing', async (t) => {
    const window = await openWindow(t);
    const { conversation } = window.entry;
    Object.assign(editor, { answer: 'Send Anyway', asked: [] });
    await window.actions.send('say risky');
    await reached(conversation, (state) => isSettled(state) && state.session?.items.at(-1)?.kind === 'turn_end');
    const end = window.sources.of(window.entry).view().items.at(-1) ?? assert.fail('no turn');
    await window.actions.retry(end.id);
    await reached(conversation, ({ session }) => session?.items.filter(({ kind }) => kind === 'turn_end').length === 2);
    assert.equal(editor.asked.length, 1);
  });
});

describe('a message that names files', () => {
  it('has them saved before it is sent, and before it is sent again, which it is not if that fails', async (t) => {
    const window = await openWindow(t);
    const { sources, entry, actions, named } = window;
    const { conversation } = entry;
    const turns = (): number => conversation.state.session?.items.filter(({ kind }) => kind === 'turn_end').length ?? 0;
    sources.of(entry).addChip({ id: 'f', label: 'long.txt', title: 'long.txt', content: file });
    await actions.send('say first');
    const message = [...text('say first'), file];
    assert.deepEqual(named, [message]);
    await reached(conversation, (state) => isSettled(state) && turns() === 1);
    const end = sources.of(entry).view().items.at(-1) ?? assert.fail('no turn');
    window.isUnsaved = true;
    await actions.retry(end.id);
    assert.deepEqual([named, turns(), conversation.state.outbox], [[message, message], 1, []]);
  });
});

describe('prompts that will not be sent', () => {
  it('they are put into the composer once, when a page shows them', async (t) => {
    const window = await openWindow(t);
    const { told, page, entry, returnPrompts } = window;
    page.isReady = false;
    await sendAndStop(window, text('say one'));
    await returnPrompts();
    assert.deepEqual([told, entry.conversation.state.returned.length], [[], 1]);
    page.isReady = true;
    await Promise.all([returnPrompts(), returnPrompts()]);
    assert.deepEqual([textsOf(told), entry.conversation.state.returned], [['say one'], []]);
  });

  it('they bring their code and files, which are sent with the next message', async (t) => {
    const window = await openWindow(t);
    const { told, actions, opened, entry } = window;
    await sendAndStop(window, [...text('Explain'), code, file]);
    await window.returnPrompts();
    assert.deepEqual(textsOf(told), ['Explain']);
    assert.deepEqual(chipsOf(window), ['parser.ts:2–4', 'long.txt']);
    const [chip] = window.sources.of(entry).view().composer.chips;
    await actions.openChip(chip?.id ?? '');
    assert.deepEqual(opened, [['parser.ts:2–4', 'let x = 1;']]);
    await actions.send('Explain it');
    assert.deepEqual(
      entry.conversation.state.outbox.map(({ content }) => content),
      [[...text('Explain it'), code, file]],
    );
    assert.deepEqual(chipsOf(window), []);
    await execute(entry.conversation, { type: 'cancel', scope: 'everything' });
  });

  it('they do not attach what is attached already, or what is selected in the editor', async (t) => {
    const window = await openWindow(t);
    const { sources, entry } = window;
    await sendAndStop(window, [...text('Explain'), code, file]);
    sources.of(entry).addChip({ id: file.uri, label: file.name, title: file.name, content: file });
    window.openFile = { id: code.resource.uri, label: 'parser.ts:2–4', title: 'parser.ts:2–4' };
    sources.of(entry).refresh();
    assert.deepEqual(chipsOf(window), ['parser.ts:2–4', 'long.txt']);
    await window.returnPrompts();
    assert.deepEqual(chipsOf(window), ['parser.ts:2–4', 'long.txt']);
  });

  it('their files stay until they are sent, also after a reload of the window or a message that fails and returns', async (t) => {
    const window = await openWindow(t);
    const { actions, entry } = window;
    const reloaded = async (): Promise<readonly string[]> => {
      const { conversations, sources } = await windowOf(t, window.lab);
      const again = conversations.open(entry.folder, { id: entry.id });
      await reached(again.conversation, ({ isRestored }) => isRestored);
      return sources
        .of(again)
        .view()
        .composer.chips.map(({ label }) => label);
    };
    await sendAndStop(window, [...text('Explain'), file]);
    await window.returnPrompts();
    assert.deepEqual(await reloaded(), ['long.txt']);
    await run(entry.conversation, { type: 'send', content: text('wait') });
    await reached(entry.conversation, isWaiting);
    await assert.rejects(actions.send('Explain it', { id: 'steered', steers: true }), { code: 'unsupported' });
    assert.deepEqual([chipsOf(window), await reloaded()], [['long.txt'], ['long.txt']]);
    assert.deepEqual(window.told.at(-1), { type: 'returnText', text: 'Explain it', promptId: 'steered' });
    await actions.send('Explain it');
    assert.deepEqual([chipsOf(window), await reloaded()], [[], []]);
    await execute(entry.conversation, { type: 'cancel', scope: 'everything' });
  });

  it('they stay saved until a page is ready for them, even if one is closed while it loads', async (t) => {
    const { conversations, sources, entry, ...window } = await openWindow(t);
    await sendAndStop({ conversations, sources, entry, ...window }, text('say one'));
    const waiting = (): number => entry.conversation.state.returned.length;
    const openPage = () => {
      const posted: HostMessage[] = [];
      const said = new Emitter<PageIntent | { readonly type: 'ready' }>();
      const port = { post: (message: HostMessage) => void posted.push(message), onMessage: said.event };
      let coming = Promise.resolve();
      const link: PageLink = new PageLink({
        port,
        source: sources.of(entry),
        onIntent: () => {},
        onReady: () => void (coming = returnPrompts()),
      });
      const pages = {
        hears: () => link.isReady,
        tell: (_: string, message: Extract<HostMessage, { type: 'returnText' | 'focus' }>) => link.tell(message) === undefined,
      };
      const returnPrompts = createReturner({ conversations, sources, pages });
      return { link, posted, returnPrompts, ready: () => (said.fire({ type: 'ready' }), coming) };
    };
    const first = openPage();
    await first.returnPrompts();
    first.link.dispose();
    assert.equal(waiting(), 1);
    const second = openPage();
    t.after(() => second.link.dispose());
    await second.ready();
    assert.deepEqual([textsOf(second.posted.slice(-1)), waiting()], [['say one'], 0]);
  });

  it('they are in the draft if the page is hidden before it gets them', async (t) => {
    const window = await openWindow(t);
    const { page, sources, entry, returnPrompts } = window;
    sources.of(entry).keepDraft('half a thought');
    await sendAndStop(window, text('say one'));
    page.hears = false;
    await returnPrompts();
    assert.equal(sources.of(entry).draft(), 'half a thought\n\nsay one');
  });
});

it('editing a queued prompt moves its code and files to the composer; removing it drops them', async (t) => {
  const window = await openWindow(t);
  const { conversation } = window.entry;
  await run(conversation, { type: 'send', content: text('wait') });
  await reached(conversation, isWaiting);
  const queued = async (): Promise<OutboxPrompt> => {
    await run(conversation, { type: 'send', content: [...text('Explain'), code] });
    const [prompt] = conversation.state.outbox;
    return prompt ?? assert.fail('not queued');
  };
  await window.actions.unqueue((await queued()).id, false);
  assert.deepEqual(chipsOf(window), []);
  await window.actions.unqueue((await queued()).id, true);
  assert.deepEqual([chipsOf(window), conversation.state.outbox], [['parser.ts:2–4'], []]);
  await execute(conversation, { type: 'cancel', scope: 'everything' });
});

it('a queued prompt that is edited returns to its place, and one that is given up leaves no place', async (t) => {
  const window = await openWindow(t);
  const { conversation } = window.entry;
  const source = window.sources.of(window.entry);
  const queued = (): readonly string[] => conversation.state.outbox.map(({ content }) => promptText(content));
  const edit = async (index: number): Promise<void> => window.actions.unqueue(conversation.state.outbox[index]?.id ?? '', true);
  await run(conversation, { type: 'send', content: text('wait') });
  await reached(conversation, isWaiting);
  for (const words of ['one', 'two', 'three']) await window.actions.send(words);
  await edit(1);
  source.keepDraft('two again');
  await window.actions.send('two again');
  assert.deepEqual(queued(), ['one', 'two again', 'three']);
  await edit(0);
  source.keepDraft('');
  await window.actions.send('four');
  assert.deepEqual(queued(), ['two again', 'three', 'four']);
  await execute(conversation, { type: 'cancel', scope: 'everything' });
});
