import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
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

describe('the theme of the workbench', () => {
  let workbench: Workbench;
  reportFailures(() => workbench);
  let chat: Chat;
  before(async () => {
    workbench = await Workbench.open({ files: { 'README.md': '# Sample\n', 'notes.txt': 'one\ntwo\nthree\n' } });
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
  after(() => workbench.close());

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

/** Returns the variables of the editor that the style sheets and pictures use. */
async function usedVariables(): Promise<readonly string[]> {
  const media = path.join(root, 'media');
  const files = (await readdir(media, { recursive: true })).filter((file) => /\.(css|svg)$/.test(file));
  const texts = await Promise.all(files.map((file) => readFile(path.join(media, file), 'utf8')));
  return texts.flatMap((text) => [...text.matchAll(/var\(--vscode-([\w-]+)/g)].map(([, one = '']) => one));
}
