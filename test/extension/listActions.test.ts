/** An error of a command of the Conversations view names the conversation that it concerns. The editor is a fake. */
import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { type ConversationListEntry, HostError, nullLogger } from '../../src/core/index.js';
import type { ListAction } from '../../src/extension/actions/listActions.js';
import type { ActionScope } from '../../src/extension/actions/actionScope.js';
import type { OpenConversation, OpenConversations } from '../../src/extension/conversation/openConversations.js';
import { editor } from '../fakes/vscodeFake.js';
import { errorReporter } from '../../src/extension/actions/errorReport.js';
import { createListActions } from '../../src/extension/actions/listActions.js';

beforeEach(() => Object.assign(editor, { answer: undefined, shown: [], typed: undefined, pressed: undefined }));

const entry: ConversationListEntry = {
  id: 'c1',
  cwd: '/project',
  folder: '/project',
  title: 'Fix the parser',
  agent: undefined,
  sessionId: undefined,
  firstWords: undefined,
  activity: 'saved',
  since: undefined,
  usedAt: 0,
  isPinned: false,
  isArchived: false,
  isUnread: false,
  isOnHold: false,
  isBranch: false,
  leavesOutOpenFile: false,
};

const failing = (
  error: Error,
  working: Partial<OpenConversations> = {},
  onTab?: (id: string) => void,
): ReturnType<typeof createListActions> => {
  const fail = (): Promise<never> => Promise.reject(error);
  const opened: Partial<OpenConversation> = { id: 'c1' };
  const conversations: Partial<OpenConversations> = {
    list: [entry],
    listed: () => entry,
    hasAgent: () => false,
    current: undefined,
    shown: undefined,
    show() {},
    get: () => undefined,
    onListChange: () => ({ dispose() {} }),
    folderElsewhere: () => undefined,
    openListed: () => opened as OpenConversation,
    openSession: fail,
    change: fail,
    delete: fail,
    ...working,
  };
  const parts = {
    conversations,
    sources: { of: () => ({ isEmpty: true }) },
    pages: {
      focus: onTab === undefined ? fail : () => Promise.resolve(),
      openTab: onTab === undefined ? fail : ({ id }: OpenConversation) => Promise.resolve(onTab(id)),
      openInPlaceOf: fail,
    },
    engine: { call: fail },
    report: (work: () => Promise<unknown>) => report(undefined, work),
  };
  const ask: ActionScope['ask'] = (question) => question();
  return createListActions({ parts, ask, confirm: () => Promise.resolve(true) } as never, () => 'c1');
};
const report = errorReporter({ log: nullLogger, agentOf: () => 'An agent', actionsOn: () => assert.fail('a button was pressed') });
const run = (action: ListAction, error: Error): Promise<void> => report(undefined, () => failing(error)[action]());
const isNamed = (text = ''): boolean => text.startsWith('"Fix the parser": ');

test('an error of a command names the conversation, whichever command it was', async () => {
  Object.assign(editor, { typed: 'Another name' });
  const commands = [
    'renameConversation',
    'pinConversation',
    'archiveConversation',
    'deleteConversation',
    'openConversation',
    'openConversationInEditor',
  ] as const;
  for (const command of commands) await run(command, new HostError('storage_failed', { reason: 'not_saved' }));
  assert.equal(editor.shown.length, commands.length);
  assert.deepEqual(
    editor.shown.filter(({ text }) => !isNamed(text)),
    [],
  );
});

test('an error of the editor names the conversation, and offers no Retry', async () => {
  await run('openConversation', new Error('The editor could not be opened'));
  assert.ok(isNamed(editor.shown[0]?.text));
  assert.deepEqual(editor.shown[0]?.labels, ['Show Log']);
});

test('an error of a button in the history names the conversation', async () => {
  for (const tooltip of ['Rename', 'Delete']) {
    Object.assign(editor, { typed: 'Another name', pressed: tooltip, shown: [] });
    await run('showHistory', new HostError('storage_failed', { reason: 'not_saved' }));
    assert.ok(isNamed(editor.shown[0]?.text), tooltip);
  }
});

test('the history says once that the engine can not search', async () => {
  const actions = failing(new HostError('unsupported', { detail: 'search' }));
  const history = actions.showHistory();
  for (const text of ['first', 'second', 'third']) {
    editor.list?.type(text);
    await new Promise(setImmediate);
  }
  assert.equal(editor.shown.length, 1);
  editor.list?.accept();
  await assert.rejects(history);
});

test('an error of Undo after a deletion names the conversation', async () => {
  Object.assign(editor, { answer: 'Undo' });
  const actions = failing(new HostError('storage_failed', { reason: 'not_saved' }), { delete: () => Promise.resolve() });
  await report(undefined, () => actions.deleteConversation());
  await new Promise(setImmediate);
  assert.equal(editor.shown.length, 2);
  assert.ok(isNamed(editor.shown[1]?.text));
});

test('a deletion asks nothing, and offers to undo it', async () => {
  Object.assign(editor, { asked: [] });
  const actions = failing(new Error('not reached'), { delete: () => Promise.resolve() });
  await report(undefined, () => actions.deleteConversation());
  assert.deepEqual([editor.asked, editor.shown], [[], [{ text: 'Deleted "Fix the parser"', labels: ['Undo'] }]]);
});

test('a cancellation shows no error', async () => {
  await run('openConversation', new HostError('cancelled', { reason: 'opening' }));
  assert.deepEqual(editor.shown, []);
});

test('a button of a conversation that was deleted in the meantime says so', async () => {
  const actions = failing(new Error('not reached'), { listed: () => undefined });
  await report(undefined, async () => actions.openConversation('c1'));
  assert.deepEqual(editor.shown, [{ text: 'This conversation was deleted.', labels: [] }]);
});

test('a button of a conversation whose folder was removed from the window says where it is', async () => {
  const actions = failing(new Error('not reached'), { listed: () => undefined, folderElsewhere: () => '/library' });
  await report(undefined, async () => actions.openConversation('c1'));
  assert.deepEqual(editor.shown, [{ text: 'This conversation belongs to /library. Open this folder to see it.', labels: [] }]);
});

test('a conversation that is open before the list is known is not called deleted', async () => {
  const opened: string[] = [];
  const current = { id: 'c1' } as OpenConversation;
  const actions = failing(new Error('not reached'), { listed: () => undefined, get: () => current }, (id) => opened.push(id));
  for (const action of ['openConversationInEditor', 'renameConversation'] as const) await report(undefined, () => actions[action]());
  assert.deepEqual([opened, editor.shown.map(({ text }) => text)], [['c1'], ['The conversations are still being loaded. Try again.']]);
});
