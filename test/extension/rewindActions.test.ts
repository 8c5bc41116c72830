/** A message that is sent again from its place in the conversation, and files that are restored there. The editor and the engine are fakes. */
import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import {
  type ChangedFile,
  type ChangeSet,
  type Chip,
  type ContentBlock,
  type ConversationClient,
  type SessionEvent,
  type SessionState,
  contextBlock,
  HostError,
} from '../../src/core/index.js';
import { viewIdOf } from '../../src/extension/chat/transcript.js';
import type { ActionScope } from '../../src/extension/actions/actionScope.js';
import type { OpenConversation } from '../../src/extension/conversation/openConversations.js';
import type { ToldMessage } from '../../src/extension/pages/pageLink.js';
import { editor } from '../fakes/vscodeFake.js';
import { changedFile as file, changeSet as set } from './changeSets.js';
import { conversation, sessionOf, start } from './drawnChat.js';
import { createRewindActions } from '../../src/extension/actions/rewindActions.js';

beforeEach(() => Object.assign(editor, { picked: undefined, shown: [] }));

const outcome = { type: 'ended', stopReason: 'end_turn', silent: false } as const;
const turnOf = (turnId: string, content: readonly ContentBlock[] = [{ type: 'text', text: turnId }]): readonly SessionEvent[] => [
  { type: 'turn_started', at: start, turnId, content },
  { type: 'turn_ended', at: start, turnId, outcome },
];
const picture: ContentBlock = { type: 'image', data: 'AAAA', mimeType: 'image/png' };
const context = contextBlock([sessionOf(...turnOf('t0'))]) ?? assert.fail('no context');
const withPicture = turnOf('t3', [context, { type: 'text', text: 't3' }, picture]);
const replayed: SessionEvent = { type: 'message', at: start, role: 'user', content: { type: 'text', text: 'replayed' } };
const session = sessionOf(replayed, ...turnOf('t1'), ...turnOf('t2'), ...withPicture);
const running: SessionEvent = { type: 'turn_started', at: start, turnId: 't2', content: [{ type: 'text', text: 't2' }] };
const messageOf = (turnId: string | undefined): string =>
  viewIdOf(session, session.items.find((item) => item.kind === 'message' && item.turnId === turnId)?.id ?? '');

/** @returns the actions, and what they did */
function rewinding(
  changes: readonly ChangeSet[],
  fails?: 'branch' | 'send',
  of: SessionState = session,
  more: readonly ChangedFile[] = [],
) {
  const did: unknown[] = [];
  const entryOf = (id: string): OpenConversation => {
    const client: Partial<ConversationClient> = {
      state: conversation({ session: of, changes }),
      async execute(command) {
        if (command.type === 'send') did.push(['send', id, command.content]);
        return { ok: true };
      },
    };
    return { id, folder: { path: '/project', name: 'project' }, conversation: client as ConversationClient };
  };
  /** What is attached to the message that returns to the composer. */
  const attached: ContentBlock[] = [];
  const parts = {
    conversations: {
      async branch({ id }: OpenConversation, turnId: string) {
        if (fails === 'branch') throw new HostError('storage_failed', {});
        did.push(['branch', id, turnId]);
        return entryOf('two');
      },
    },
    sources: { of: () => ({ addChip: ({ content }: Chip) => attached.push(content) }) },
    pages: {
      openInPlaceOf: async (before: OpenConversation, { id }: OpenConversation) => void did.push(['open', before.id, id]),
      focus: async ({ id }: OpenConversation, _: string, ...then: readonly ToldMessage[]) => void did.push(['focus', id, ...then]),
      tell(id: string, message: ToldMessage) {
        if (message.type !== 'returnText') return did.push(['tell', id, message]) > 0;
        return did.push(['putBack', id, [{ type: 'text', text: message.text }, ...attached]]) > 0;
      },
    },
  };
  const saveNamed = (): Promise<boolean> => Promise.resolve(fails !== 'send');
  const ask: ActionScope['ask'] = (question) => question();
  const actions = createRewindActions({ parts, current: () => entryOf('one'), ask, saveNamed } as never, {
    filesIn: async (_, { files }) => [...files, ...more],
    async takeBack({ id }, sets, paths) {
      did.push(['takeBack', id, sets, ...(paths === undefined ? [] : [paths])]);
      return { undone: [], left: [] };
    },
  });
  return { ...actions, did };
}

const changes = [set('t1', [file('a.ts')]), set('t2', [file('a.ts'), file('b.ts')]), set('t3', [file('b.ts')])];
const allUndone = [set('t1', [file('a.ts')]), set('t2', [file('a.ts', { isUndone: true })])];
const open = ['open', 'one', 'two'];
const focus = ['focus', 'two'];
const sent = (...content: readonly ContentBlock[]) => ['send', 'two', content];

describe('Edit Message', () => {
  it('makes the message editable, and offers to restore what this turn and later ones changed', () => {
    const { editMessage, did } = rewinding(changes);
    const itemId = messageOf('t2');
    editMessage(itemId);
    assert.deepEqual(did, [['tell', 'one', { type: 'editMessage', itemId, restore: { label: 'Restore 2 files', files: 'a.ts, b.ts' } }]]);
  });

  it('offers nothing to restore if nothing was changed since, or all of it is undone', () => {
    for (const since of [[], allUndone]) {
      const { editMessage, did } = rewinding(since);
      editMessage(messageOf('t2'));
      assert.deepEqual(did, [['tell', 'one', { type: 'editMessage', itemId: messageOf('t2') }]]);
    }
  });

  it('names reviewed files, too, because they are restored as well', () => {
    const { editMessage, did } = rewinding([set('t1', [file('a.ts'), file('b.ts', { isReviewed: true })])]);
    editMessage(messageOf('t1'));
    const restore = { label: 'Restore 2 files', files: 'a.ts, b.ts' };
    assert.deepEqual(did, [['tell', 'one', { type: 'editMessage', itemId: messageOf('t1'), restore }]]);
  });

  it('names five files at most', () => {
    const { editMessage, did } = rewinding([
      set(
        't1',
        ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((name) => file(name)),
      ),
    ]);
    editMessage(messageOf('t1'));
    const restore = { label: 'Restore 7 files', files: 'a, b, c, d, e and 2 more' };
    assert.deepEqual(did, [['tell', 'one', { type: 'editMessage', itemId: messageOf('t1'), restore }]]);
  });

  it('puts a message that the agent replayed into the composer, because nothing can begin there', () => {
    const { editMessage, did } = rewinding([]);
    editMessage(messageOf(undefined));
    assert.deepEqual(did, [['putBack', 'one', [{ type: 'text', text: 'replayed' }]]]);
  });
});

describe('a message that is sent again from its place', () => {
  it('goes to a branch, with the files as they were before it', async () => {
    const { sendFrom, did } = rewinding(changes);
    await sendFrom(messageOf('t2'), 'other', true);
    const content = { type: 'text', text: 'other' } as const;
    assert.deepEqual(did, [['branch', 'one', 't2'], open, ['takeBack', 'one', ['t2', 't3']], focus, sent(content)]);
  });

  it('takes its attachments along, and leaves the files as they are', async () => {
    const { sendFrom, did } = rewinding(changes);
    await sendFrom(messageOf('t3'), 'look', false);
    assert.deepEqual(did, [['branch', 'one', 't3'], open, focus, sent({ type: 'text', text: 'look' }, picture)]);
  });

  it('returns to the composer if there is no branch, and the files stay as they are', async () => {
    const { sendFrom, did } = rewinding(changes, 'branch');
    await assert.rejects(sendFrom(messageOf('t2'), 'other', true), HostError);
    assert.deepEqual(did, [['putBack', 'one', [{ type: 'text', text: 'other' }]]]);
  });

  it('returns to the composer with its attachments if the user does not send it after all', async () => {
    const { sendFrom, did } = rewinding([], 'send');
    await sendFrom(messageOf('t3'), 'look', true);
    assert.deepEqual(did.at(-1), ['putBack', 'two', [{ type: 'text', text: 'look' }, picture]]);
  });

  it('is refused while a turn is running, and returns to the composer', async () => {
    const { sendFrom, did } = rewinding(changes, undefined, sessionOf(replayed, ...turnOf('t1'), running));
    await assert.rejects(sendFrom(messageOf('t1'), 'other', true), /A turn is running/);
    assert.deepEqual(did, [['putBack', 'one', [{ type: 'text', text: 'other' }]]]);
  });

  it('is refused for anything but a message that began a turn', async () => {
    const { sendFrom, restoreFiles, did } = rewinding(changes);
    await assert.rejects(sendFrom('none', 'x', true), HostError);
    await assert.rejects(restoreFiles(messageOf(undefined)), HostError);
    assert.deepEqual(did, [['putBack', 'one', [{ type: 'text', text: 'x' }]]]);
  });
});

describe('Restore Files to Here', () => {
  it('lists the files first, all selected, and takes back what turns since changed in them', async () => {
    const { restoreFiles, did } = rewinding(changes);
    editor.picked = ['a.ts', 'b.ts'].map((name) => `$(file) ${name}`);
    await restoreFiles(messageOf('t2'));
    assert.deepEqual([editor.listed, did], [editor.picked, [['takeBack', 'one', ['t2', 't3']]]]);
  });

  it('lists and counts also what front ends do not have of a large turn', async () => {
    const { editMessage, restoreFiles, did } = rewinding([set('t3', [file('a.ts')], { fileCount: 3 })], undefined, session, [
      file('b.ts'),
      file('c.ts'),
    ]);
    editMessage(messageOf('t3'));
    editor.picked = ['$(file) b.ts'];
    await restoreFiles(messageOf('t3'));
    assert.deepEqual(
      editor.listed,
      ['a.ts', 'b.ts', 'c.ts'].map((name) => `$(file) ${name}`),
    );
    assert.deepEqual(did, [
      ['tell', 'one', { type: 'editMessage', itemId: messageOf('t3'), restore: { label: 'Restore 3 files', files: 'a.ts and 2 more' } }],
      ['takeBack', 'one', ['t3'], ['b.ts']],
    ]);
  });

  it("restores what may be the user's if it is selected with all others", async () => {
    const { restoreFiles, did } = rewinding([set('t3', [file('a.ts'), file('b.ts', { alsoUser: true })])]);
    editor.picked = ['$(file) a.ts', '$(file) b.ts'];
    await restoreFiles(messageOf('t3'));
    assert.deepEqual(did, [['takeBack', 'one', ['t3'], ['a.ts', 'b.ts']]]);
  });

  it("lists reviewed files, too, and leaves what may be the user's unless it is selected", async () => {
    const { restoreFiles, did } = rewinding([
      set('t1', [file('a.ts'), file('b.ts', { isReviewed: true }), file('c.ts', { alsoUser: true })]),
    ]);
    editor.picked = undefined;
    await restoreFiles(messageOf('t1'));
    assert.deepEqual(
      editor.listed,
      ['a.ts', 'b.ts', 'c.ts'].map((name) => `$(file) ${name}`),
    );
    editor.picked = ['$(file) c.ts'];
    await restoreFiles(messageOf('t1'));
    assert.deepEqual(did, [['takeBack', 'one', ['t1'], ['c.ts']]]);
  });

  it('restores nothing if the end of the turn is not known', async () => {
    const items = session.items.filter((item) => item.kind !== 'turn_end' || item.turnId !== 't2');
    const { restoreFiles, did } = rewinding(changes, undefined, { ...session, items });
    editor.picked = ['$(file) a.ts'];
    await restoreFiles(messageOf('t2'));
    assert.deepEqual([did, editor.shown.length], [[], 1]);
  });

  it('restores only the selected ones, under each of their names', async () => {
    const renamed = file('c.ts', { status: 'renamed', from: 'b.ts' });
    const { restoreFiles, did } = rewinding([set('t1', [file('a.ts'), file('b.ts')]), set('t2', [renamed]), set('t3', [file('c.ts')])]);
    editor.picked = ['$(file) c.ts'];
    await restoreFiles(messageOf('t1'));
    assert.deepEqual(did, [['takeBack', 'one', ['t1', 't2', 't3'], ['c.ts', 'b.ts']]]);
  });

  it('does nothing if the user closes the list, and says so if there is nothing to restore', async () => {
    const { restoreFiles, did } = rewinding(changes);
    await restoreFiles(messageOf('t1'));
    const nothing = rewinding(allUndone);
    await nothing.restoreFiles(messageOf('t2'));
    assert.deepEqual([did, nothing.did, editor.shown.length], [[], [], 1]);
  });
});

describe('Rewind to Message', () => {
  it('lists the messages that began turns, newest first, and makes the chosen one editable', async () => {
    const { rewind, did } = rewinding([]);
    editor.picked = 't1';
    await rewind();
    assert.deepEqual(editor.listed, ['t3', 't2', 't1']);
    assert.deepEqual(did, [
      // The page may not be there yet.
      ['focus', 'one', { type: 'editMessage', itemId: messageOf('t1') }],
    ]);
  });
});
