/** The page of a request is opened once, however often the user presses. The editor is a fake. */
import assert from 'node:assert/strict';
import { beforeEach, test, type TestContext } from 'node:test';
import { nullLogger } from '../../src/core/index.js';
import type { Actions } from '../../src/extension/actions/actions.js';
import { PendingPrompts, requestsOf } from '../../src/extension/chat/pendingPrompts.js';
import { promptView } from '../../src/extension/chat/promptView.js';
import { waitOf } from '../../src/extension/chat/waitView.js';
import type { PageIntent } from '../../src/extension/pages/pageLink.js';
import { reached, run, text } from '../core/conversation/frontEnd.js';
import { editor } from '../fakes/vscodeFake.js';
import { openWindow } from './openWindow.js';
import { intentRunner } from '../../src/extension/actions/intents.js';

beforeEach(() => Object.assign(editor, { answer: undefined, asked: [], opened: [] }));

/** @returns a function that presses Open */
async function withRequest(t: TestContext, url: string): Promise<() => Promise<void>> {
  const { conversations, sources, folder } = await openWindow(t, { agent: 'elicits' });
  const pending = new PendingPrompts({ conversations, nameOf: ({ id }) => id });
  t.after(() => pending.dispose());
  const entry = conversations.open(folder);
  const { conversation } = entry;
  const asked = ['elicitation/create', { mode: 'url', message: 'Sign in', elicitationId: 'e1', url }];
  await run(conversation, { type: 'send', content: text(JSON.stringify(asked)) });
  await reached(conversation, ({ session }) => session?.requests.length === 1);
  const [request = assert.fail('no request')] = requestsOf(entry);
  const { id: promptId } = promptView(...request);
  const runIntent = intentRunner({
    sources,
    conversations,
    pending,
    pages: { tellDraft: () => {} },
    actionsOn: () => ({}) as Actions,
    outputTerminals: { show() {} },
    documents: { open: () => Promise.resolve(), openDiff: () => Promise.resolve(), dispose() {} },
    preview: { show: () => Promise.resolve() },
    editorInUse: { find: () => assert.fail('no code') },
    log: nullLogger,
    report: async (_, work) => void (await work()),
  });
  const press: PageIntent = { type: 'openUrl', promptId };
  return () => runIntent(press);
}

test('pressing twice opens one page', async (t) => {
  const press = await withRequest(t, 'https://example.com/');
  await Promise.all([press(), press()]);
  await press();
  assert.deepEqual(editor.opened, ['https://example.com/']);
});

test('pressing twice asks once, and the user can press again after declining', async (t) => {
  const press = await withRequest(t, 'http://example.com/');
  await Promise.all([press(), press()]);
  assert.deepEqual([editor.asked.length, editor.opened], [1, []]);
  editor.answer = 'Open';
  await press();
  assert.deepEqual([editor.asked.length, editor.opened], [2, ['http://example.com/']]);
});

test('what the agent asks in order to open a session is shown and answered like everything else', async (t) => {
  const { conversations, folder } = await openWindow(t, { agent: 'asksToOpen', env: { ASKS_AT: 'session/new' } });
  const pending = new PendingPrompts({ conversations, nameOf: () => 'Mine' });
  t.after(() => pending.dispose());
  const entry = conversations.open(folder);
  const { conversation } = entry;
  const opening = conversation.execute({ type: 'open' });
  await reached(conversation, ({ requests }) => requests.length === 1);
  const [[request, input] = assert.fail('no request')] = requestsOf(entry);
  const prompt = promptView(request, input);
  assert.ok(prompt.kind === 'form' && prompt.agent === 'Obedient' && prompt.message === 'Before session/new');
  assert.equal(prompt.note, undefined);
  const found = pending.find(promptView(request, { ...input, conversation: { id: entry.id, name: 'Mine' } }).id);
  assert.equal(found?.prompt.conversation, 'Mine');
  const { view } = waitOf({ ...conversation.state, agent: 'Obedient', quietAfterMs: 60_000, now: 0 });
  assert.equal(view?.text, 'Obedient needs your input');
  await run(conversation, { type: 'answer_request', requestId: request.id, answer: { type: 'accept', values: { code: '42' } } });
  assert.ok((await opening).ok);
  assert.deepEqual(requestsOf(entry), []);
});
