import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { reportFailures } from './support/failures.js';
import { Workbench } from './support/workbench.js';

describe('the message box in a workbench, with the demo agent', () => {
  let workbench: Workbench;
  reportFailures(() => workbench);
  before(async () => {
    workbench = await Workbench.open({ files: { 'README.md': '# Sample\n' }, userSettings: { 'acpHost.startWhenComposing': true } });
  });
  after(() => workbench.close());

  it('has the shortcuts of the chat while it has the focus', async () => {
    const chat = await workbench.newSession();
    await workbench.statusSays(/not running/);
    await chat.send('list');
    await chat.conversation.getByText('README.md').waitFor();
    await chat.message.press('Control+.');
    await workbench.quickInput.getByPlaceholder('Select Mode').waitFor();
    await workbench.page.keyboard.press('Escape');
    await chat.message.focus();
    // The editor knows a moment after the page that the message box has the focus.
    const gone = chat.conversation.getByText('README.md');
    for (let left = 10; left > 0 && (await gone.count()) > 0; left--) {
      await chat.message.press('Control+l');
      await gone.waitFor({ state: 'detached', timeout: 3_000 }).catch(() => {});
    }
    assert.equal(await gone.count(), 0);
  });

  it('starts an agent that was used before, which offers until then what it offered last', async () => {
    const chat = await workbench.newSession();
    await chat.send('list');
    await chat.conversation.getByText('README.md').waitFor();
    await chat.button('Send').waitFor();
    await workbench.reload();
    const again = await workbench.openChat();
    await again.frame.getByRole('combobox', { name: 'Mode', exact: true }).waitFor();
    await again.message.focus();
    await workbench.statusSays(/Demo agent.*ready/);
    assert.equal(await again.conversation.getByText('README.md').isVisible(), true);
  });
});
