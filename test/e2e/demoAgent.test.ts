/** What needs nothing but the demo agent, in one window: the message inspector, problem reports, sub-agents, and every theme. */
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { parseTrace } from '../../src/core/index.js';
import { fontVariables } from '../webview/themeFonts.js';
import { type ThemeName, themeNames, themes } from '../webview/themes.js';
import type { Chat } from './support/chat.js';
import { reportFailures } from './support/failures.js';
import { root, Workbench } from './support/workbench.js';

/** The workbench's name for each theme. */
const kinds: Readonly<Record<ThemeName, string>> = {
  dark2026: 'vs-dark',
  light2026: 'vs',
  dark: 'vs-dark',
  light: 'vs',
  highContrast: 'hc-black',
  highContrastLight: 'hc-light',
};

describe('a window with the demo agent', () => {
  let workbench: Workbench;
  reportFailures(() => workbench);
  before(async () => {
    workbench = await Workbench.open({
      files: { 'README.md': '# Sample\n', 'notes.txt': 'one\ntwo\nthree\n' },
    });
  });
  after(() => workbench.close());

  describe('the message inspector and problem reports', () => {
    before(async () => {
      const chat = await workbench.newSession();
      await chat.send('list');
      await chat.conversation.getByText('README.md').waitFor();
      await chat.button('Send').waitFor();
    });

    it('the inspector shows messages from before it was opened, with durations, and filters them', async () => {
      await workbench.command('ACP Host: Show Traffic');
      const { frame } = await workbench.pageOfTab('Traffic');
      await frame.getByRole('option', { name: /^Request to Demo agent, id \d+ .*initialize .* \d+(\.\d)? m?s$/ }).waitFor();
      await frame.getByRole('combobox', { name: 'Method' }).selectOption('session/new');
      assert.equal(await frame.getByRole('option', { name: /Demo agent/ }).count(), 2);
      await frame.getByRole('option', { name: /^Response from Demo agent/ }).click();
      await frame.getByLabel('Contents').getByText('"sessionId"').waitFor();
      await workbench.screenshot('traffic');
      await frame.getByRole('button', { name: 'Show All' }).click();
    });

    it('the inspector shows no new messages while it is paused, and shows them when it resumes', async () => {
      const { frame } = await workbench.pageOfTab('Traffic');
      await frame.getByRole('combobox', { name: 'Method' }).selectOption('session/prompt');
      const requests = frame.getByRole('option', { name: /^Request to Demo agent/ });
      await requests.first().waitFor();
      const before = await requests.count();
      await frame.getByRole('button', { name: 'Pause' }).click();
      const chat = await workbench.pageIn('sidebar');
      await chat.send('read README.md');
      await chat.conversation.getByRole('group', { name: /read/i }).first().waitFor();
      assert.equal(await requests.count(), before);
      await frame.getByRole('button', { name: 'Resume' }).click();
      await requests.nth(before).waitFor();
      await frame.getByRole('button', { name: 'Show All' }).click();
    });

    it('the visible messages can be exported as a trace with the save dialog', async () => {
      const { frame } = await workbench.pageOfTab('Traffic');
      await frame.getByRole('button', { name: 'Export Visible as Trace' }).click();
      await workbench.quickInput.locator('input').first().waitFor();
      await workbench.quickInput.getByRole('button', { name: 'OK' }).click();
      await workbench.page
        .getByText(/Trace saved/)
        .first()
        .waitFor();
      const [name = ''] = (await readdir(workbench.folder)).filter((file) => file.endsWith('.trace.ndjson'));
      const trace = parseTrace(await readFile(path.join(workbench.folder, name), 'utf8'));
      assert.equal(trace.header?.agent.id, 'demo');
      assert.ok(trace.lines.some((line) => 'frame' in line && typeof line.frame === 'object' && line.frame['method'] === 'initialize'));
    });

    it('a problem report without the conversation opens in the editor', async () => {
      await workbench.command('ACP Host: Report a Problem');
      await workbench.pick('Without the Conversation');
      await workbench.page
        .getByRole('tab', { name: /Problem report|Untitled/ })
        .first()
        .waitFor();
      const text = workbench.page.locator('.editor-instance .view-lines').filter({ visible: true });
      await text.getByText('Problem report').first().waitFor();
      await text.getByText('Versions').first().waitFor();
      await workbench.screenshot('problem-report');
    });
  });

  describe('sub-agents', () => {
    it('one that works longer than the turn is seen, and stopped by itself', async () => {
      const chat = await workbench.newSession();
      await chat.send('delegate background long 2000');
      await chat.conversation.getByText('A sub-agent works on it. You can go on.').waitFor();
      await chat.stop.waitFor({ state: 'hidden' });
      const card = chat.conversation.getByRole('group', { name: 'Sub-agent: long (running)' });
      await card.locator('summary').first().click();
      await card.getByText('long 2000').waitFor();
      await card.getByRole('article', { name: 'Demo agent' }).first().waitFor();
      await card.getByRole('button', { name: 'Stop Sub-agent' }).click();
      await chat.conversation.getByRole('group', { name: 'Sub-agent: long (stopped)' }).waitFor();
      await chat.send('title Still here');
      await chat.stop.waitFor({ state: 'hidden' });
    });

    it('its request says who asks, and its answer reaches it', async () => {
      const chat = await workbench.newSession();
      await chat.send('delegate run echo from-the-sub-agent');
      await chat.dialog.getByText('Asked by Sub-agent · run.').waitFor();
      await chat.dialog.getByRole('button', { name: /Allow once/ }).click();
      await chat.conversation.getByText('The sub-agent is done.').waitFor();
      const card = chat.conversation.getByRole('group', { name: 'Sub-agent: run', exact: true });
      await card.locator('summary').first().click();
      await card.getByText('exited with code 0').waitFor();
    });
  });

  describe('the theme of the workbench', () => {
    let chat: Chat;
    before(async () => {
      chat = await workbench.newSession();
      await chat.send('think about the best way');
      await chat.button('Send').waitFor();
      await chat.send('edit notes.txt two => zwei');
      await chat.dialog.getByRole('button', { name: /Allow once/ }).click();
      await chat.conversation.getByRole('group', { name: /notes\.txt.*done/ }).waitFor();
      await chat.send('fail error');
      await chat.conversation.getByRole('button', { name: 'Retry' }).waitFor();
      await chat.send('run npm test -- --watch=false');
      await chat.dialog.waitFor();
      // After the side bar was hidden and shown again, the request is visible in both places.
      await workbench.splitEditor();
      await workbench.toggleSideBar();
      await (await workbench.pageOfTab('Pending Requests')).dialog.waitFor();
      chat = await workbench.openChat();
      await chat.dialog.waitFor();
    });

    for (const name of themeNames) {
      const { label, className, variables } = themes[name];
      it(`${name} has the same variables as in the page tests`, async () => {
        await workbench.theme(label);
        await workbench.page.locator(`.monaco-workbench.${kinds[name]}`).waitFor();
        const body = chat.frame.locator(`body[data-vscode-theme-kind="${className.split(' ')[0]}"]`);
        await body.waitFor();
        await workbench.screenshot(`workbench-${name}`);
        const names = [...new Set([...(await usedVariables()), ...Object.keys(variables)])].filter((one) => !fontVariables.includes(one));
        const given = await body.evaluate((_, all) => {
          const style = getComputedStyle(document.documentElement);
          return all.map((one) => [one, style.getPropertyValue(`--vscode-${one}`)] as const).filter(([, value]) => value !== '');
        }, names);
        const expected = Object.entries(variables).filter(([one]) => !fontVariables.includes(one));
        assert.deepEqual(Object.fromEntries(given), Object.fromEntries(expected));
      });
    }
  });
});

/** Returns the variables of the editor that the style sheets and pictures use. */
async function usedVariables(): Promise<readonly string[]> {
  const media = path.join(root, 'media');
  const files = (await readdir(media, { recursive: true })).filter((file) => /\.(css|svg)$/.test(file));
  const texts = await Promise.all(files.map((file) => readFile(path.join(media, file), 'utf8')));
  return texts.flatMap((text) => [...text.matchAll(/var\(--vscode-([\w-]+)/g)].map(([, one = '']) => one));
}
