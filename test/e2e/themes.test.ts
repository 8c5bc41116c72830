import { after, before, describe, it } from 'node:test';
import { type Chat, Workbench } from './support/workbench.js';

const themes = [
  { name: 'dark', theme: 'Default Dark Modern', kind: 'vs-dark' },
  { name: 'light', theme: 'Default Light Modern', kind: 'vs' },
  { name: 'high-contrast', theme: 'Default High Contrast', kind: 'hc-black' },
] as const;

describe('how it looks', () => {
  let workbench: Workbench;
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
  });
  after(() => workbench.close());

  for (const { name, theme, kind } of themes) {
    it(`in ${name}`, async () => {
      await workbench.set('workbench.colorTheme', theme);
      await workbench.page.locator(`.monaco-workbench.${kind}`).waitFor();
      await chat.frame.locator(`body[data-vscode-theme-id="${theme}"]`).waitFor();
      await workbench.screenshot(`chat-${name}`);
      await workbench.toggleSideBar();
      await (await workbench.pageIn('editor')).dialog.waitFor();
      await workbench.screenshot(`panel-${name}`);
      chat = await workbench.openChat();
      await workbench.closePromptPanel();
    });
  }
});
