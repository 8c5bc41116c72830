/** What the user writes to reject a request reaches the agent. The editor is a fake. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nullLogger } from '../../src/core/index.js';
import type { Actions } from '../../src/extension/actions/actions.js';
import { PendingPrompts, requestsOf } from '../../src/extension/chat/pendingPrompts.js';
import { promptView } from '../../src/extension/chat/promptView.js';
import { reached, run, said, text } from '../core/conversation/frontEnd.js';
import { openWindow } from './openWindow.js';
import { intentRunner } from '../../src/extension/actions/intents.js';

for (const feedback of ['say instead', undefined])
  test(`a request is dismissed ${feedback === undefined ? 'without words' : 'with words, which are the next prompt'}`, async (t) => {
    const { conversations, sources, folder } = await openWindow(t);
    const pending = new PendingPrompts({ conversations, nameOf: ({ id }) => id });
    t.after(() => pending.dispose());
    const entry = conversations.open(folder);
    const { conversation } = entry;
    await run(conversation, { type: 'send', content: text('ask') });
    await reached(conversation, ({ session }) => session?.requests.length === 1);
    const [request = assert.fail('no request')] = requestsOf(entry);
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
    await runIntent({ type: 'dismiss', promptId: promptView(...request).id, feedback });
    const words = feedback === undefined ? [] : ['user: say instead', 'agent: instead'];
    const messages = () => said(conversation.state).filter((line) => /^(user|agent): /.test(line));
    await reached(conversation, ({ status }) => status.state === 'ready' && messages().length >= 2 + words.length);
    assert.deepEqual(messages(), ['user: ask', 'agent: no', ...words]);
  });
