/** A failed action is shown for the conversation that it was about. The editor is a fake. */
import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { HostError, nullLogger } from '../../src/core/index.js';
import type { Actions } from '../../src/extension/actions/actions.js';
import { PendingPrompts } from '../../src/extension/chat/pendingPrompts.js';
import type { OpenConversation } from '../../src/extension/conversation/openConversations.js';
import { editor } from '../fakes/vscodeFake.js';
import { openWindow } from './openWindow.js';
import { errorReporter } from '../../src/extension/actions/errorReport.js';
import { intentRunner } from '../../src/extension/actions/intents.js';

beforeEach(() => Object.assign(editor, { answer: undefined, shown: [] }));

test('a failure names and restarts the agent of its conversation, not of the one shown since then', async (t) => {
  const { conversations, sources, folder } = await openWindow(t);
  const pending = new PendingPrompts({ conversations, nameOf: ({ id }) => id });
  t.after(() => pending.dispose());
  const [asked, inTab] = [conversations.open(folder), conversations.open(folder)];
  conversations.show(asked);

  let fail = (_: Error): void => {};
  const setting = new Promise<void>((_, reject) => (fail = reject));
  const restarted: (OpenConversation | undefined)[] = [];
  const actionsOn = (entry: OpenConversation | undefined): Actions => {
    const some: Partial<Actions> = { setOption: () => setting, restartAgent: async () => void restarted.push(entry) };
    return some as Actions;
  };
  const agentOf = (entry: OpenConversation | undefined): string => (entry === asked ? 'The asked agent' : 'Another agent');
  const report = errorReporter({ log: nullLogger, agentOf, actionsOn });
  const documents = { open: () => Promise.resolve(), openDiff: () => Promise.resolve(), dispose() {} };
  const pages = { tellDraft: () => {} };
  const editorInUse = { find: () => assert.fail('no code') };
  const preview = { show: () => Promise.resolve() };
  const run = intentRunner({
    sources,
    conversations,
    pending,
    pages,
    actionsOn,
    outputTerminals: { show() {} },
    documents,
    preview,
    editorInUse,
    log: nullLogger,
    report,
  });

  editor.answer = 'Try Again';
  const done = run({ type: 'setOption', selectorId: 'mode', value: 'plan', conversation: asked.id });
  conversations.activate(inTab.id);
  fail(new HostError('request_timeout', {}));
  await done;
  assert.match(editor.shown[0]?.text ?? '', /^The asked agent did not answer/);
  assert.deepEqual(restarted, [asked]);
});

test('what the user has to do first is said without a heading', async () => {
  const report = errorReporter({ log: nullLogger, agentOf: () => 'The agent', actionsOn: () => assert.fail('no action') });
  await report(undefined, () => {
    throw new HostError('usage', { reason: 'function_unknown' });
  });
  assert.match(editor.shown[0]?.text ?? '', /^No function was found in the selection\. Select/);
});
