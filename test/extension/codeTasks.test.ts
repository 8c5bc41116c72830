/** A task on code waits like a message of the user while the agent can't get it. The editor is a fake. */
import assert from 'node:assert/strict';
import { beforeEach, test, type TestContext } from 'node:test';
import { addKnownAgent, HostError } from '../../src/core/index.js';
import type { OpenConversation } from '../../src/extension/conversation/openConversations.js';
import { reached, say, textIn } from '../core/conversation/frontEnd.js';
import { editor } from '../fakes/vscodeFake.js';
import { openEngine, type TestEngine, type WindowOptions } from './openWindow.js';
import { confirm } from '../../src/extension/window/windowMessages.js';
import { createCodeTasks } from '../../src/extension/actions/actions.js';

beforeEach(() => {
  followed = [];
  mayGoOn = true;
  Object.assign(editor, { isTrusted: true, text: 'let x = 1;' });
});

/** What the user answers when a file has unsaved changes. */
let mayGoOn = true;
/** The conversations whose end was shown. */
let followed: string[] = [];

async function openWindow(t: TestContext, options: WindowOptions) {
  const lab = await openEngine(t, options);
  return { lab, ...(await openIn(lab, 'one')) };
}

async function openIn(lab: TestEngine, id: string) {
  const { folder } = lab;
  const conversation = (await lab.attach()).open({ cwd: folder.path, id });
  await reached(conversation, ({ isRestored }) => isRestored);
  const entry: OpenConversation = { id, folder, conversation };
  const pages = { focus: () => Promise.resolve(), tell: (told: string) => followed.push(told) };
  const tasks = createCodeTasks({ parts: { pages }, current: () => entry, confirm, saveNamed: () => Promise.resolve(mayGoOn) } as never);
  return { conversation, tasks };
}

const unavailable: Readonly<Record<string, WindowOptions>> = {
  'the user must sign in': { env: { OBEDIENT_SIGNED_OUT: '1' } },
  'the agent does not start': { agent: 'none' },
};

for (const [why, options] of Object.entries(unavailable))
  test(`it waits if ${why}`, async (t) => {
    const { conversation, tasks } = await openWindow(t, options);
    await tasks.explainCode();
    assert.deepEqual(followed, ['one']);
    assert.deepEqual(
      conversation.state.outbox.map(({ content, held }) => [textIn(content), content.length, held]),
      [['Explain this code.', 2, undefined]],
    );
  });

test('without trust, it is not taken, just as the composer takes no message then', async (t) => {
  const { lab, conversation } = await openWindow(t, { isTrusted: () => editor.isTrusted });
  await say(conversation, 'say one');
  await lab.restart();
  editor.isTrusted = false;
  for (const id of ['one', 'new']) {
    const { conversation: closed, tasks } = await openIn(lab, id);
    await tasks.explainCode();
    assert.deepEqual([id, closed.state.session !== undefined, closed.state.outbox], [id, id === 'one', []]);
  }
  assert.equal(lab.started, 1);
});

test('if the agent is known to hang on it, it is only sent if the user insists', async (t) => {
  addKnownAgent({ id: 'obedient', label: 'Obedient', checkPrompt: () => ({ kind: 'freezes', runChars: 9_000 }) });
  t.after(() => addKnownAgent({ id: 'obedient', label: 'Obedient' }));
  const { conversation, tasks } = await openWindow(t, { agent: 'none' });
  Object.assign(editor, { answer: undefined, asked: [] });
  await tasks.explainCode();
  assert.deepEqual([editor.asked.length, followed, conversation.state.outbox], [1, [], []]);
  editor.answer = 'Send Anyway';
  await tasks.explainCode();
  assert.deepEqual([editor.asked.length, followed, conversation.state.outbox.length], [2, ['one'], 1]);
});

test('it is dropped if the user stops the start', async (t) => {
  const { conversation, tasks } = await openWindow(t, { agent: 'neverOpens' });
  const explained = tasks.explainCode();
  await reached(conversation, ({ status }) => status.state === 'starting' && status.awaiting === 'session');
  await conversation.execute({ type: 'cancel', scope: 'everything' });
  await assert.rejects(explained, (error) => error instanceof HostError && error.code === 'cancelled');
  assert.deepEqual(conversation.state.outbox, []);
});

test('it is not sent if the user does not want to send it without unsaved changes', async (t) => {
  const { conversation, tasks } = await openWindow(t, { agent: 'none' });
  mayGoOn = false;
  await tasks.explainCode();
  assert.deepEqual([followed, conversation.state.outbox], [[], []]);
});
