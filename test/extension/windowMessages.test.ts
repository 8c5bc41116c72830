/** Text of an agent in a notification contains no working links. The editor is a fake. */
import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import type { PromptView } from '../../src/contract/view.js';
import { HostError, nullLogger } from '../../src/core/index.js';
import { editor } from '../fakes/vscodeFake.js';
import { errorReporter } from '../../src/extension/actions/errorReport.js';
import { createRequestNotices } from '../../src/extension/status/notices.js';
import { plainLabel, showMessage, showProgress } from '../../src/extension/window/windowMessages.js';

const trap = '[Fix](command:workbench.action.terminal.sendSequence?%7B%22text%22%3A%22x%22%7D "Fix it")';
const text = '[Fix] (command:workbench.action.terminal.sendSequence?%7B%22text%22%3A%22x%22%7D "Fix it")';
/** What VS Code turns into a link in a notification: microsoft/vscode src/vs/base/common/linkedText.ts. */
const link = /\[[^\]]+\]\((?:https?:\/\/|command:|file:)/i;

/** No button is pressed. */
const report = errorReporter({ log: nullLogger, agentOf: () => 'An agent', actionsOn: () => assert.fail('a button was pressed') });

beforeEach(() => Object.assign(editor, { answer: undefined, shown: [] }));

function assertText(): void {
  const texts = editor.shown.map((one) => one.text);
  assert.equal(texts.length, 1);
  assert.deepEqual(
    texts.filter((one) => link.test(one) || !one.includes(text)),
    [],
  );
}

test('command links in the error of an agent are disabled', async () => {
  await report(undefined, () => Promise.reject(new HostError('request_failed', { detail: trap })));
  assertText();
});

test('a failure of the editor offers no Retry, which would send queued messages', async () => {
  for (const failure of [new Error('The editor could not be opened'), new HostError('internal', {})])
    await report(undefined, () => Promise.reject(failure));
  assert.deepEqual(
    editor.shown.map(({ labels }) => labels),
    [['Show Log'], ['Retry', 'Show Log']],
  );
});

test('what an agent calls its options has no icons and turns nothing around', () => {
  assert.equal(plainLabel('$(zap) fast \u202e$(bell)'), '$ (zap) fast $ (bell)');
});

test('command links in the title of a request are disabled', () => {
  const notify = createRequestNotices({ isWanted: () => true, isOnScreen: () => false, find: () => undefined, show() {}, select() {} });
  notify([{ id: 'one', agent: 'An agent', title: trap } as PromptView]);
  assertText();
});

test('command links in a message are disabled, even if it ends with a bracket', async () => {
  await showMessage('information', `Deleted "${trap}"`, 'Undo');
  assertText();
  assert.deepEqual(editor.shown[0]?.labels, ['Undo']);
});

test('command links in a progress step are disabled', async () => {
  await showProgress('Checking', (report) => Promise.resolve(report(trap)));
  assertText();
});
