import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openDialog } from '../../src/cli/input/requestDialog.js';
import { paintFor } from '../../src/cli/output/terminalText.js';
import { promptView } from '../../src/extension/chat/promptView.js';
import { misleadingHost } from '../../src/core/index.js';
import { urlTitle, urlWarning } from '../../src/text/requestText.js';

test('the host that a misleading address leads to is recognized', () => {
  assert.equal(misleadingHost('https://example.com/a@b?c=@d'), undefined);
  assert.equal(misleadingHost('no address'), undefined);
  assert.equal(misleadingHost('https://bank.example@evil.example/'), 'evil.example');
  assert.equal(misleadingHost('https://b\u0430nk.example/'), 'xn--bnk-6cd.example');
});

test('an address that says its host in another way than a browser reads it is misleading', () => {
  for (const url of [
    'https://Bank.Example:8443/',
    'HTTPS://bank.example',
    'https://bank.example?a@b',
    'https://[::1]:80/',
    'http://10.0.0.1#x',
  ])
    assert.equal(misleadingHost(url), undefined, url);
  assert.equal(misleadingHost('https://bank.example\u3002evil.example/'), 'bank.example.evil.example');
  assert.equal(misleadingHost('https://evil.example\\@bank.example/'), 'evil.example');
  assert.equal(misleadingHost('https:evil.example/bank.example'), 'evil.example');
  assert.equal(misleadingHost('https://e%76il.example/'), 'evil.example');
  assert.equal(misleadingHost('http://3232235777/'), '192.168.1.1');
  assert.equal(misleadingHost(' https://evil.example/'), 'evil.example');
});

test('the page and the terminal warn about a misleading address in the request', () => {
  const request = { kind: 'url', id: 'r', sessionId: 's', at: 0, message: 'Sign in', url: 'https://bank.example@evil.example/' } as const;
  const view = promptView(request, { agent: 'Agent', cwd: '/', outsideTurn: false, folder: undefined });
  assert.equal(view.note, 'This address leads to evil.example.');
  assert.equal(view.title, 'Open a page on evil.example?');
  assert.match(
    openDialog(request, { agentLabel: 'Agent', cwd: '/', paint: paintFor(false) }).text,
    /\n {2}This address leads to evil\.example\./,
  );
});

for (const [url, warning, title] of [
  ['https://example.com/', '', 'Open a page on example.com?'],
  ['http://127.0.0.1:8080/', '', 'Open a page on 127.0.0.1?'],
  ['http://[::1]/', '', 'Open a page on [::1]?'],
  [
    'http://example.com/',
    'It is not encrypted, so others can read and change what you see and enter there.',
    'Open a page on example.com?',
  ],
  ['https://b\u0430nk.example/', 'This address leads to xn--bnk-6cd.example.', 'Open a page on xn--bnk-6cd.example?'],
  [`https://${'bank.example.'.repeat(4)}evil.test/`, `This address leads to ${'bank.example.'.repeat(4)}evil.test.`, 'Open a page?'],
] as const)
  test(`what is said about ${url}`, () => {
    const request = { kind: 'url', id: 'r', sessionId: 's', at: 0, message: 'Sign in', url } as const;
    assert.deepEqual([urlWarning(request), urlTitle(request)], [warning, title]);
    assert.deepEqual(
      [urlWarning({ ...request, isOpened: true }), urlTitle({ ...request, isOpened: true })],
      ['', 'Waiting for the browser'],
    );
  });
