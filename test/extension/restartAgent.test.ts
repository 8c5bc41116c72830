/** Restart interrupts the turns of other conversations only if the user agrees. The editor is a fake. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ConversationCommand, HostError } from '../../src/core/index.js';
import type { ActionScope } from '../../src/extension/actions/actionScope.js';
import { isWaiting, reached, run, say, text } from '../core/conversation/frontEnd.js';
import { editor } from '../fakes/vscodeFake.js';
import { openWindow } from './openWindow.js';
import { confirm } from '../../src/extension/window/windowMessages.js';
import { createActionScope } from '../../src/extension/actions/actionScope.js';
import { createAgentActions } from '../../src/extension/actions/agentActions.js';

test('Restart needs a trusted workspace, and asks before it interrupts the turn of another conversation', async (t) => {
  const { conversations, folder } = await openWindow(t);
  const [here, there] = [conversations.open(folder), conversations.open(folder)];
  await say(here.conversation, 'say one');
  await say(there.conversation, 'say two');
  const commands: ConversationCommand[] = [];
  const scope: Partial<ActionScope> = {
    current: () => here,
    run: (command) => Promise.resolve(void commands.push(command)),
    confirm,
  };
  const { restartAgent } = createAgentActions({ ...scope, parts: { conversations } } as ActionScope);

  Object.assign(editor, { answer: undefined, asked: [], isTrusted: false });
  await assert.rejects(restartAgent(), (error) => error instanceof HostError && error.code === 'untrusted');
  editor.isTrusted = true;
  await restartAgent();
  assert.equal(commands.length, 1, 'nothing runs, so nothing is asked');
  await run(there.conversation, { type: 'send', content: text('wait') });
  await reached(there.conversation, isWaiting);
  await restartAgent();
  assert.equal(commands.length, 1);
  assert.match(editor.asked.join(), /^Restart .*other conversations is interrupted/);
  Object.assign(editor, { answer: 'Restart' });
  await restartAgent();
  assert.deepEqual(commands, [{ type: 'restart' }, { type: 'restart' }]);
  await run(there.conversation, { type: 'cancel', scope: 'everything' });
});

test('after the question, the keyboard focus returns to the chat if it was there, whatever the answer', async () => {
  const focused: string[] = [];
  const pages = { hasFocus: true, focus: (_: unknown, place: string) => Promise.resolve(void focused.push(place)) };
  const { confirm: ask } = createActionScope({ pages } as never, () => undefined);
  for (const answer of ['Restart', undefined]) {
    Object.assign(editor, { answer });
    assert.equal(await ask('Restart?', 'It works.', 'Restart'), answer === 'Restart');
  }
  pages.hasFocus = false;
  await ask('Restart?', 'It works.', 'Restart');
  assert.deepEqual(focused, ['composer', 'composer']);
});
