import { after, before, describe, it } from 'node:test';
import type { Chat } from './support/chat.js';
import { tellFailures } from './support/failures.js';
import { Workbench } from './support/workbench.js';

const themes = [
  { name: 'dark', theme: 'Dark Modern', kind: 'vs-dark', pageKind: 'vscode-dark' },
  { name: 'light', theme: 'Light Modern', kind: 'vs', pageKind: 'vscode-light' },
  { name: 'high-contrast', theme: 'Dark High Contrast', kind: 'hc-black', pageKind: 'vscode-high-contrast' },
] as const;

describe('how it looks', () => {
  let workbench: Workbench;
  tellFailures(() => workbench);
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
    // Hidden and shown again: the request is on screen in both places then.
    await workbench.toggleSideBar();
    await (await workbench.pageIn('editor')).dialog.waitFor();
    chat = await workbench.openChat();
    await chat.dialog.waitFor();
  });
  after(() => workbench.close());

  for (const { name, theme, kind, pageKind } of themes) {
    it(`in ${name}`, async () => {
      await workbench.theme(theme);
      await workbench.page.locator(`.monaco-workbench.${kind}`).waitFor();
      await chat.frame.locator(`body[data-vscode-theme-kind="${pageKind}"]`).waitFor();
      await workbench.screenshot(`workbench-${name}`);
    });
  }
});
