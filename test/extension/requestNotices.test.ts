/** Requests out of sight in notifications. The editor is a fake. */
import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import type { PromptView } from '../../src/contract/view.js';
import type { PermissionRequest } from '../../src/core/index.js';
import { promptViews } from '../../src/extension/chat/pendingPrompts.js';
import { permissionOf } from '../core/request/permissionOf.js';
import { editor } from '../fakes/vscodeFake.js';
import { createRequestNotices } from '../../src/extension/status/notices.js';

const options = [
  { optionId: 'yes', name: 'Yes', kind: 'allow_once' },
  { optionId: 'always', name: 'Always', kind: 'allow_always' },
  { optionId: 'no', name: 'No', kind: 'reject_once' },
] as const;

const viewOf = (request: PermissionRequest): PromptView => {
  const input = { agent: 'Demo', conversation: { id: 'c', name: 'tests' }, cwd: '/project', outsideTurn: false, folder: 'project' };
  return promptViews()([[request, input]])[0] ?? assert.fail();
};
const commandView = (command: string, more: Parameters<typeof permissionOf>[1] = { options }): PromptView =>
  viewOf(permissionOf({ title: command, toolKind: 'execute', rawInput: { command } }, more));

/** Notifies about one request. @returns what the choice did */
async function notified(view: PromptView, now: () => PromptView | undefined = () => view): Promise<readonly string[]> {
  const done: string[] = [];
  createRequestNotices({
    isWanted: () => true,
    isOnScreen: () => false,
    find: now,
    show: () => void done.push('show'),
    select: (_, optionId) => void done.push(optionId),
  })([view]);
  await setImmediate();
  return done;
}

beforeEach(() => Object.assign(editor, { answer: undefined, shown: [] }));

test('a small request is in the notification completely, and can be allowed once there', async () => {
  editor.answer = 'Allow Once';
  assert.deepEqual(await notified(commandView('npm test')), ['yes']);
  assert.equal(editor.shown[0]?.text, 'Demo · tests: Run a command? npm test · /project');
  assert.deepEqual(editor.shown[0]?.labels, ['Show', 'Allow Once']);
});

test('a request that a notification cannot show completely, or that needs a second look, can only be shown', async () => {
  const edit = permissionOf(
    { title: 'Edit', toolKind: 'edit', content: [{ type: 'diff', path: '/project/a.ts', oldText: 'one', newText: 'two' }] },
    { options },
  );
  const twice = { options: [...options, { optionId: 'also', name: 'Yes, too', kind: 'allow_once' as const }] };
  const only = options.filter(({ kind }) => kind !== 'allow_once');
  const views = {
    risky: commandView('rm -rf build'),
    long: commandView(`echo ${'x'.repeat(200)}`),
    'on two lines': commandView('npm test\nnpm run build'),
    'with invisible parts': commandView('npm test     --all'),
    'in other letters': commandView('nрm test'),
    'an edit': viewOf(edit),
    'allowed in two ways': commandView('npm test', twice),
    'not to be allowed once': commandView('npm test', { options: only }),
  };
  for (const [what, view] of Object.entries(views)) {
    editor.shown = [];
    await notified(view);
    assert.deepEqual(editor.shown[0]?.labels, ['Show'], what);
  }
});

test('a request that changed while its notification was open is shown instead of allowed', async () => {
  editor.answer = 'Allow Once';
  assert.deepEqual(await notified(commandView('npm test'), () => commandView('npm publish')), ['show']);
  assert.deepEqual(await notified(commandView('npm test'), () => undefined), ['show']);
});
