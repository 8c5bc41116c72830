import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openDialog } from '../../src/cli/input/requestDialog.js';
import { paintFor } from '../../src/cli/output/paint.js';
import { promptView } from '../../src/extension/chat/promptView.js';
import { misleadingHost } from '../../src/core/index.js';

test('the host that a misleading address leads to is recognized', () => {
  assert.equal(misleadingHost('https://example.com/a@b?c=@d'), undefined);
  assert.equal(misleadingHost('no address'), undefined);
  assert.equal(misleadingHost('https://bank.example@evil.example/'), 'evil.example');
  assert.equal(misleadingHost('https://b\u0430nk.example/'), 'xn--bnk-6cd.example');
});

test('the page and the terminal warn about a misleading address in the request', () => {
  const request = { kind: 'url', id: 'r', sessionId: 's', at: 0, message: 'Sign in', url: 'https://bank.example@evil.example/' } as const;
  const view = promptView(request, { agent: 'Agent', cwd: '/', outsideTurn: false, folder: undefined });
  assert.equal(view.note, 'This address leads to evil.example.');
  assert.match(
    openDialog(request, { agentLabel: 'Agent', cwd: '/', paint: paintFor(false) }).text,
    /\n {2}This address leads to evil\.example\./,
  );
});
