/** The user agrees once for each folder that an agent never asks there. The editor is a fake. */
import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import type { ConversationCommand, SessionOption } from '../../src/core/index.js';
import type { ActionScope } from '../../src/extension/actions/actionScope.js';
import { editor } from '../fakes/vscodeFake.js';
import { conversation, draw, sessionOf } from './drawnChat.js';
import { confirm } from '../../src/extension/window/windowMessages.js';
import { createOptionActions } from '../../src/extension/actions/sessionActions.js';
import { statusOf } from '../../src/extension/status/statusBar.js';

const mode = (currentValue: string): SessionOption => ({
  id: 'mode',
  name: 'Mode',
  category: 'mode',
  type: 'select',
  currentValue,
  choices: [
    { value: 'ask', name: 'Ask', description: 'Asks before it changes a file or runs a command.' },
    { value: 'bypassPermissions', name: 'Bypass Permissions', description: 'Never asks.' },
  ],
});

function openFolder() {
  const session = { ...sessionOf(), options: [mode('ask')] };
  const allowed = new Set<string>();
  const chosen: unknown[] = [];
  const execute = (command: ConversationCommand) => {
    if (command.type === 'set_option') chosen.push(command.value);
    return Promise.resolve({ ok: true } as const);
  };
  const scope: unknown = {
    confirm,
    current: () => ({ folder: { path: '/project', name: 'project' }, conversation: { state: conversation({ session }), execute } }),
    source: () => ({ refresh() {} }),
    parts: { memory: { mayActUnasked: (path: string) => allowed.has(path), allowUnasked: (path: string) => void allowed.add(path) } },
  };
  return { chosen, choose: (value: string) => createOptionActions(scope as ActionScope).setOption('mode', value) };
}

beforeEach(() => Object.assign(editor, { answer: undefined, asked: [] }));

test('a mode in which the agent never asks is confirmed once for each folder', async () => {
  const { chosen, choose } = openFolder();
  await choose('bypassPermissions');
  assert.deepEqual([chosen, editor.asked.length], [[], 1]);
  editor.answer = 'Never Ask';
  await choose('bypassPermissions');
  await choose('bypassPermissions');
  assert.deepEqual([chosen, editor.asked.length], [['bypassPermissions', 'bypassPermissions'], 2]);
  await choose('ask');
  assert.equal(editor.asked.length, 2);
});

test('the status bar says that the agent never asks', () => {
  const statusWith = (value: string): boolean => {
    const session = { ...sessionOf(), options: [mode(value)] };
    return statusOf(draw({ session }).view, conversation({ session })).neverAsks;
  };
  assert.deepEqual([statusWith('ask'), statusWith('bypassPermissions')], [false, true]);
});
