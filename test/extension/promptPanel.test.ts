/** Where requests out of sight appear. The editor is a fake, which is not split. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Emitter, nullLogger } from '../../src/core/index.js';
import { emptyView, permissionPrompt } from '../webview/views.js';
import { Uri } from 'vscode';
import { PromptPanel } from '../../src/extension/prompts/promptPanel.js';

/** A window in which requests come and go, and the user looks elsewhere. */
function openWindow() {
  const [open, onScreen] = [new Set<string>(), new Set<string>()];
  const revealed: string[] = [];
  const panel = new PromptPanel({
    extensionUri: Uri.file('/extension'),
    source: {
      conversationId: undefined,
      view: () => emptyView({ prompts: [...open].map((id) => permissionPrompt({ id })) }),
      onChange: new Emitter<void>().event,
      draft: () => '',
    },
    onIntent: () => assert.fail(),
    isOnScreen: (id) => onScreen.has(id),
    place: () => 'panel',
    reveal: (id) => void revealed.push(id),
    log: nullLogger,
  });
  return {
    revealed,
    change(next: { readonly open: readonly string[]; readonly onScreen: readonly string[] }): void {
      for (const [set, ids] of [
        [open, next.open],
        [onScreen, next.onScreen],
      ] as const) {
        set.clear();
        for (const id of ids) set.add(id);
      }
      panel.refresh();
    },
  };
}

test('a request that was on screen is not brought back when the user goes elsewhere', () => {
  const { revealed, change } = openWindow();
  change({ open: ['one'], onScreen: ['one'] });
  change({ open: ['one'], onScreen: [] });
  assert.deepEqual(revealed, []);
});

test('a request that arrives out of sight is revealed once', () => {
  const { revealed, change } = openWindow();
  change({ open: ['one'], onScreen: [] });
  change({ open: ['one'], onScreen: ['one'] });
  change({ open: ['one'], onScreen: [] });
  assert.deepEqual(revealed, ['one']);
});

test('another request that arrives out of sight is revealed, and not one that the user left', () => {
  const { revealed, change } = openWindow();
  change({ open: ['left'], onScreen: ['left'] });
  change({ open: ['left', 'new'], onScreen: [] });
  assert.deepEqual(revealed, ['new']);
});
