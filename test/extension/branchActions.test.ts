/** A message that is sent again from its place in the conversation. The editor and the engine are fakes. */
import assert from 'node:assert/strict';
import { register } from 'node:module';
import { beforeEach, describe, it } from 'node:test';
import { type ChangeSet, type ConversationClient, type EngineClient, type SessionEvent, HostError } from '../../src/core/index.js';
import { viewIdOf } from '../../src/extension/chat/itemView.js';
import type { OpenConversation } from '../../src/extension/conversation/openConversations.js';
import { editor } from '../fakes/vscodeFake.js';
import { changedFile as file, changeSet as set } from './changeSets.js';
import { conversation, sessionOf, start } from './drawnChat.js';

const fake = new URL('../fakes/vscodeFake.ts', import.meta.url).href;
const hook = `export const resolve = (name, context, next) => name === 'vscode' ? { url: ${JSON.stringify(fake)}, format: 'module', shortCircuit: true } : next(name, context);`;
register(`data:text/javascript,${encodeURIComponent(hook)}`);
const { createBranchActions } = await import('../../src/extension/actions/branchActions.js');

beforeEach(() => Object.assign(editor, { answer: undefined, shown: [] }));

const outcome = { type: 'ended', stopReason: 'end_turn', silent: false } as const;
const turnOf = (turnId: string): readonly SessionEvent[] => [
  { type: 'turn_started', at: start, turnId, content: [{ type: 'text', text: turnId }] },
  { type: 'turn_ended', at: start, turnId, outcome },
];
const session = sessionOf(...['t1', 't2', 't3'].flatMap(turnOf));
const messageOf = (turnId: string): string =>
  viewIdOf(session, session.items.find((item) => item.kind === 'message' && item.turnId === turnId)?.id ?? '');

/** @returns the action, and what it did */
function branching(changes: readonly ChangeSet[]) {
  const did: unknown[] = [];
  const client: Partial<ConversationClient> = { state: conversation({ session, changes }) };
  const entryOf = (id: string): OpenConversation => ({
    id,
    folder: { path: '/project', name: 'project' },
    conversation: client as ConversationClient,
  });
  const call = (method: string, params: object): Promise<unknown> =>
    Promise.resolve(void did.push([method, params])).then(() => ({ undone: [], left: [] }));
  const { branchConversation } = createBranchActions({
    engine: { call: call as EngineClient['call'] },
    conversations: { branch: ({ id }, turnId) => Promise.resolve(void did.push(['branch', id, turnId])).then(() => entryOf('two')) },
    pages: {
      openInPlaceOf: (before, { id }) => Promise.resolve(void did.push(['open', before?.id, id])),
      focus: (entry) => Promise.resolve(void did.push(['focus', entry?.id])),
    },
    current: () => entryOf('one'),
    ask: (question) => question(),
    report: async (work) => void (await work()),
  });
  return { branchConversation, did };
}

const changes = [set('t1', [file('a.ts')]), set('t2', [file('a.ts'), file('b.ts')]), set('t3', [file('b.ts')])];
const shown = [
  ['open', 'one', 'two'],
  ['focus', 'two'],
];

describe('Rewind to Here', () => {
  it('restores what this turn and later ones changed if the user chooses so, then continues in a branch', async () => {
    const { branchConversation, did } = branching(changes);
    editor.answer = 'Restore 2 Files';
    await branchConversation(messageOf('t2'));
    assert.deepEqual(did, [['undo_changes', { id: 'one', sets: ['t2', 't3'] }], ['branch', 'one', 't2'], ...shown]);
  });

  it('leaves the files as they are if the user chooses so', async () => {
    const { branchConversation, did } = branching(changes);
    editor.answer = 'Keep Files';
    await branchConversation(messageOf('t2'));
    assert.deepEqual(did, [['branch', 'one', 't2'], ...shown]);
  });

  it('does nothing if the user closes the question', async () => {
    const { branchConversation, did } = branching(changes);
    await branchConversation(messageOf('t1'));
    assert.equal(editor.shown.length, 1);
    assert.deepEqual(did, []);
  });

  it('asks nothing if nothing was changed since, or all of it is undone', async () => {
    for (const since of [[], [set('t1', [file('a.ts')]), set('t2', [file('a.ts', { isUndone: true })])]]) {
      const { branchConversation, did } = branching(since);
      await branchConversation(messageOf('t2'));
      assert.deepEqual([editor.shown, did], [[], [['branch', 'one', 't2'], ...shown]]);
    }
  });

  it('is refused for anything but a message of the user', async () => {
    const { branchConversation, did } = branching(changes);
    await assert.rejects(branchConversation('none'), HostError);
    assert.deepEqual(did, []);
  });
});
