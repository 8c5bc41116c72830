/** What the window stores for a conversation belongs to it alone. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Chip } from '../../src/core/index.js';
import type { ChatSource } from '../../src/extension/chat/chatSource.js';
import type { OpenConversation } from '../../src/extension/conversation/openConversations.js';
import { reached, say } from '../core/conversation/frontEnd.js';
import { openWindow, sourcesOf, windowOf } from './openWindow.js';

const chip = { id: 'c', label: 'a.ts:1–4', title: 'Selection of a.ts', content: { type: 'text', text: 'a' } } as const;
const chipsOf = (source: ChatSource): readonly string[] => source.view().composer.chips.map(({ id }) => id);

/** The chips that the engine has when everything that was sent to it arrived. */
async function savedChips({ conversation }: OpenConversation): Promise<readonly Chip[]> {
  await conversation.execute({ type: 'take_returned', promptIds: [] });
  return conversation.state.draft.chips;
}

/** What is being read until the test says that it was. */
function slowChips() {
  let finish: (chips: readonly Chip[]) => void = () => {};
  const chips = new Promise<readonly Chip[]>((resolve) => (finish = resolve));
  return { chips, finish };
}

describe('the view of the window', () => {
  it('it follows the conversation of the active tab, and the one in the chat view', async (t) => {
    const { conversations, sources, folder } = await openWindow(t);
    const [shown, inTab, other] = [conversations.open(folder), conversations.open(folder), conversations.open(folder)];
    conversations.show(shown);
    conversations.activate(inTab.id);
    for (const entry of [shown, inTab, other]) sources.of(entry).view();
    let changes = 0;
    sources.onChange(() => changes++);
    const changesBy = async (entry: typeof shown): Promise<number> => {
      const before = changes;
      const drawn = new Promise<void>((resolve) => sources.of(entry).onChange(resolve));
      sources.of(entry).addChip(chip);
      await drawn;
      return changes - before;
    };
    assert.deepEqual([await changesBy(shown), await changesBy(inTab), await changesBy(other)], [1, 1, 0]);
  });
});

describe('the names of conversations', () => {
  it('every view has the new one, also that of a conversation that is not in use', async (t) => {
    const { conversations, folder } = await openWindow(t);
    const [named, inView, inUse] = [conversations.open(folder), conversations.open(folder), conversations.open(folder)];
    const nameOf = ({ id }: { readonly id: string }): string => conversations.listed(id)?.title ?? 'none';
    const sources = sourcesOf(t, conversations, { nameOf, recent: () => [{ id: named.id, name: nameOf(named) }] });
    await say(named.conversation, 'say one');
    conversations.show(inView);
    conversations.activate(inUse.id);
    const views = [sources.of(named), sources.of(inView)];
    for (const source of views) source.view();
    const changed = Promise.all(views.map((source) => new Promise<void>((resolve) => source.onChange(resolve))));
    await conversations.change({ type: 'rename', id: named.id, title: 'Tolerant parser' });
    await changed;
    const { header, empty } = sources.of(inView).view();
    assert.equal(sources.of(named).view().header.name, 'Tolerant parser');
    assert.deepEqual([header.name, empty?.recent?.map(({ label }) => label)], ['none', ['Tolerant parser']]);
  });
});

describe('a chip with a picture', () => {
  it('the view says that it has one, and a page gets it by the id of the chip', async (t) => {
    const { conversations, sources, folder } = await openWindow(t);
    const source = sources.of(conversations.open(folder));
    source.addChip({ ...chip, id: 'file:///a.png', content: { type: 'image', mimeType: 'image/png', data: 'AAAA' } });
    assert.deepEqual(
      source.view().composer.chips.map(({ holds }) => holds),
      ['picture'],
    );
    assert.equal(await source.readImage('file:///a.png'), 'data:image/png;base64,AAAA');
    assert.equal(await source.readImage('file:///b.png'), undefined);
  });
});

describe('the data of a conversation in the window', () => {
  it('it is separate from other conversations, in the same folder or another one', async (t) => {
    const { conversations, sources, folder } = await openWindow(t);
    const one = conversations.open(folder);
    const others = [conversations.open(folder), conversations.open({ path: `${folder.path}/other`, name: 'other' })];
    sources.of(one).addChip(chip);
    assert.deepEqual(chipsOf(sources.of(one)), ['c']);
    for (const other of others) {
      assert.deepEqual(chipsOf(sources.of(other)), []);
      await sources.of(other).sendChips(async (chips) => assert.deepEqual(chips, []) === undefined);
    }
    await sources.of(one).sendChips(async (chips) => assert.deepEqual(chips, [chip]) === undefined);
    assert.deepEqual(chipsOf(sources.of(one)), []);
  });

  it('its next message waits for what is being attached, unless that fails', async (t) => {
    const { conversations, sources, folder } = await openWindow(t);
    const source = sources.of(conversations.open(folder));
    const unreadable = setImmediate().then(() => Promise.reject(new Error('cannot be read')));
    const failed = assert.rejects(source.attach(unreadable), /cannot be read/);
    const attached = source.attach(setImmediate([chip]));
    const sent = source.sendChips(async (chips) => assert.deepEqual(chips, [chip]) === undefined);
    await Promise.all([failed, attached, sent]);
    assert.deepEqual(chipsOf(source), []);
  });

  it('what is attached after a message was sent is for the next one, even if the message still waits', async (t) => {
    const { conversations, sources, folder } = await openWindow(t);
    const entry = conversations.open(folder);
    const source = sources.of(entry);
    const [read, later, readLater] = ['d', 'e', 'f'].map((id) => ({ ...chip, id }));
    assert.ok(read && later && readLater);
    const again = { ...chip, label: 'a.ts:1–5' };
    const delivered: (readonly Chip[])[] = [];
    const send = (): Promise<void> => source.sendChips(async (chips) => delivered.push(chips) > 0);
    const slow = slowChips();
    source.addChip(chip);
    const attached = source.attach(slow.chips);
    const first = send();
    assert.deepEqual(chipsOf(source), []);
    source.addChip(later);
    source.addChip(again);
    const attachedLater = source.attach(Promise.resolve([readLater]));
    await attachedLater;
    assert.deepEqual([chipsOf(source), delivered], [['e', 'c', 'f'], []]);
    const second = send();
    source.addChip(chip);
    slow.finish([read]);
    await Promise.all([attached, first, second]);
    assert.deepEqual(delivered, [
      [chip, read],
      [later, again, readLater],
    ]);
    assert.deepEqual(chipsOf(source), ['c']);
    assert.deepEqual(await savedChips(entry), [chip]);
  });

  it('what a message waited for is saved, and returns with it if it cannot be sent', async (t) => {
    const { conversations, sources, folder } = await openWindow(t);
    const entry = conversations.open(folder);
    const source = sources.of(entry);
    const read = { ...chip, id: 'd' };
    const slow = [slowChips(), slowChips()] as const;
    source.addChip(chip);
    const attached = slow.map(({ chips }) => source.attach(chips));
    const sent = source.sendChips(() => Promise.resolve(false));
    slow[0].finish([read]);
    await attached[0];
    assert.deepEqual([chipsOf(source), await savedChips(entry)], [[], [chip, read]]);
    source.addChip({ ...chip, id: 'e' });
    slow[1].finish([]);
    await sent;
    assert.deepEqual(chipsOf(source), ['c', 'd', 'e']);
  });

  it('its context chips are in every window until they are removed or sent', async (t) => {
    const { lab, conversations, sources, folder } = await openWindow(t);
    const [entry, other] = [conversations.open(folder), conversations.open(folder)];
    const second = { ...chip, id: 'd', content: { type: 'image', data: 'aaaa', mimeType: 'image/png' } } as const;
    for (const one of [chip, second, { ...chip, label: 'a.ts:1–5' }]) sources.of(entry).addChip(one);
    await savedChips(entry);
    const reloaded = await windowOf(t, lab);
    const sourceOf = async ({ id }: OpenConversation): Promise<ChatSource> => {
      const again = reloaded.conversations.open(folder, { id });
      await reached(again.conversation, ({ isRestored }) => isRestored);
      return reloaded.sources.of(again);
    };
    const source = await sourceOf(entry);
    assert.deepEqual(
      source.view().composer.chips.map(({ id, label }) => [id, label]),
      [
        ['d', 'a.ts:1–4'],
        ['c', 'a.ts:1–5'],
      ],
    );
    assert.deepEqual(source.findChip('d'), second);
    assert.deepEqual(chipsOf(await sourceOf(other)), []);
    sources.of(entry).removeChip('c');
    await savedChips(entry);
    assert.deepEqual(chipsOf(source), ['d']);
  });

  it('its chips and the views of its items are released when it is closed', async (t) => {
    const { conversations, sources, folder } = await openWindow(t);
    const entry = conversations.open(folder);
    conversations.show(entry);
    await say(entry.conversation, 'say one');
    const kept = (() => {
      const source = sources.of(entry);
      source.addChip(chip);
      const view = source.view();
      assert.ok(view.items.length > 0);
      return { source: new WeakRef(source), item: new WeakRef(view.items[0] ?? {}) };
    })();
    await conversations.close(entry.id);
    assert.deepEqual(chipsOf(sources.of(entry)), []);
    await collected(() => kept.source.deref() === undefined && kept.item.deref() === undefined);
  });
});

describe('the text of a composer', () => {
  it('what is written in one window is told to the others, and to none that wrote it', async (t) => {
    const here = await openWindow(t);
    const there = await windowOf(t, here.lab);
    const entry = here.conversations.open(here.folder);
    const again = there.conversations.open(here.folder, { id: entry.id });
    await Promise.all([entry, again].map(({ conversation }) => reached(conversation, ({ isRestored }) => isRestored)));
    const told: (readonly string[])[] = [];
    const [source, other] = [here.sources.of(entry), there.sources.of(again)];
    here.sources.onText(({ text }) => void told.push(['here', text]));
    there.sources.onText(({ text }) => void told.push(['there', text]));
    for (const text of ['a', 'ab']) source.keepDraft(text);
    assert.equal(source.draft(), 'ab');
    await savedChips(entry);
    assert.deepEqual([other.draft(), told.at(-1)], ['ab', ['there', 'ab']]);
    assert.ok(told.every(([where]) => where === 'there'));
    other.keepDraft('abc');
    await savedChips(again);
    assert.deepEqual([source.draft(), told.at(-1)], ['abc', ['here', 'abc']]);
  });

  it('what is written while another window writes stays until the engine has it', async (t) => {
    const here = await openWindow(t);
    const there = await windowOf(t, here.lab);
    const entry = here.conversations.open(here.folder);
    const again = there.conversations.open(here.folder, { id: entry.id });
    await Promise.all([entry, again].map(({ conversation }) => reached(conversation, ({ isRestored }) => isRestored)));
    const seen: (string | undefined)[] = [];
    entry.conversation.onChange(() => void seen.push(here.sources.of(entry).draft()));
    there.sources.of(again).keepDraft('theirs');
    here.sources.of(entry).keepDraft('ours');
    await savedChips(entry);
    assert.deepEqual([new Set(seen), there.sources.of(again).draft()], [new Set(['ours']), 'ours']);
  });

  it('it is not known before what was saved is restored, which is told then', async (t) => {
    const { lab, conversations, sources, folder } = await openWindow(t);
    const entry = conversations.open(folder);
    sources.of(entry).keepDraft('half a thought');
    await savedChips(entry);
    await lab.restart();
    const next = await windowOf(t, lab);
    const again = next.conversations.open(folder, { id: entry.id });
    const source = next.sources.of(again);
    assert.equal(source.draft(), undefined);
    const told: string[] = [];
    next.sources.onText(({ text }) => void told.push(text));
    await reached(again.conversation, ({ isRestored }) => isRestored);
    assert.deepEqual([told, source.draft()], [['half a thought'], 'half a thought']);
  });

  it('what is written and attached while the engine is away is kept, and is in the next one', async (t) => {
    const { lab, client, conversations, sources, folder } = await openWindow(t);
    const entry = conversations.open(folder);
    const source = sources.of(entry);
    await reached(entry.conversation, ({ isRestored }) => isRestored);
    await lab.lose(async () => {
      source.keepDraft('a');
      source.addChip(chip);
      assert.equal((await entry.conversation.execute({ type: 'open' })).ok, false);
      source.keepDraft('ab');
      assert.deepEqual([source.draft(), chipsOf(source)], ['ab', ['c']]);
    });
    await client.connected();
    await reached(entry.conversation, ({ draft }) => draft.text === 'ab' && draft.chips.length === 1);
    assert.deepEqual([source.draft(), chipsOf(source)], ['ab', ['c']]);
  });
});

/** The test's own time limit is the deadline. */
async function collected(isGone: () => boolean): Promise<void> {
  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('gc') as () => void;
  while (!isGone()) {
    await setImmediate();
    gc();
  }
}
