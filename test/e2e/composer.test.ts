import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Locator } from 'playwright-core';
import { untilDone } from './support/browser.js';
import { reportFailures } from './support/failures.js';
import { stepMs } from './support/serve.js';
import { Workbench } from './support/workbench.js';

describe('a workspace that is not trusted at first, and the message box, with the demo agent', () => {
  let workbench: Workbench;
  reportFailures(() => workbench);
  before(async () => {
    workbench = await Workbench.open({
      files: {
        'README.md': '# Sample\n',
        'src/parser.ts': 'export const limit = 1;\n',
        '.vscode/settings.json': '{ "acpHost.defaultAgent": "theirs", "acpHost.agents": { "theirs": { "command": "./evil" } } }',
      },
      trust: true,
      userSettings: {
        'security.workspace.trust.startupPrompt': 'never',
        'security.workspace.trust.banner': 'never',
        'acpHost.startWhenComposing': true,
      },
    });
  });
  after(() => workbench.close());

  it('shows a card and starts no agent until the user trusts it, and its settings do not choose the agent', async () => {
    await workbench.command('ACP Host: Open Chat');
    const chat = await workbench.pageIn('sidebar');
    await chat.banner.getByText('This workspace is not trusted').waitFor();
    await workbench.statusSays(/Demo agent.*not running/);
    await workbench.screenshot('restricted');
    // Opens the editor of the trust: its command is not always in the Command Palette when the window has just opened.
    await workbench.page
      .locator('.part.statusbar')
      .getByRole('button', { name: /Restricted Mode/ })
      .click();
    await workbench.page.getByRole('button', { name: 'Trust', exact: true }).click();
    await chat.banner.getByText('This workspace is not trusted').waitFor({ state: 'hidden' });
    // An agent that was never used starts with the first message, or when it is selected.
    await chat.message.focus();
    await workbench.statusSays(/not running/);
    await chat.frame.getByRole('combobox', { name: 'Mode', exact: true }).waitFor({ state: 'detached' });
  });

  it('shows the options of an agent that was never used as soon as it is selected', async () => {
    const chat = await workbench.withAgent('Demo agent', 'Select Agent');
    await chat.frame.getByRole('combobox', { name: 'Mode', exact: true }).waitFor();
    await workbench.statusSays(/Demo agent.*ready/);
    await chat.send('list');
    await chat.conversation.getByText('README.md').waitFor();
  });

  it('supports the keyboard shortcuts of the chat while it has the focus', async () => {
    const chat = await workbench.newSession();
    await chat.send('list');
    await chat.conversation.getByText('README.md').waitFor();
    // The editor learns a moment after the page that the message box has the focus.
    const press = (key: string, effect: Locator, state: 'visible' | 'detached'): Promise<void> =>
      untilDone(stepMs, async () => {
        await chat.message.press(key);
        await effect.waitFor({ state, timeout: 3_000 });
      });
    await press('Control+.', workbench.quickInput.getByPlaceholder('Select Mode'), 'visible');
    await workbench.page.keyboard.press('Escape');
    await chat.message.focus();
    await press('Control+l', chat.conversation.getByText('README.md'), 'detached');
  });

  it('shows the last known options of an agent that was used before, and starts it when it gets the focus', async () => {
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

  it('attaches the file that is selected after @', async () => {
    const chat = await workbench.newSession();
    await chat.message.pressSequentially('read @pars');
    await chat.frame.getByRole('option', { name: 'parser.ts' }).waitFor();
    await chat.message.press('Enter');
    await chat.button('Remove parser.ts').waitFor();
    await chat.message.press('Enter');
    await chat.conversation.getByText('has 1 line').waitFor();
    await chat.conversation.getByRole('link', { name: 'parser.ts', exact: true }).first().waitFor();
    assert.equal(await chat.button('Remove parser.ts').count(), 0);
  });

  it('attaches a file from Add Files and from the Explorer only once, and opens it', async () => {
    const chat = await workbench.newSession();
    const { page, quickInput } = workbench;
    await chat.button('Add Files').click();
    await quickInput.getByText('README.md').click();
    await quickInput.getByRole('button', { name: 'OK' }).click();
    await chat.button('Remove README.md').waitFor();
    // At once, while the row of the conversation is about to be selected: that must not bring the chat back.
    await page.keyboard.press('Control+Shift+E');
    await page.locator('.explorer-folders-view').getByText('README.md').click({ button: 'right' });
    await workbench.fromMenu('Add Files to Chat');
    const again = await workbench.openChat();
    await again.button('Open README.md').click();
    await page.getByRole('tab', { name: /README\.md/ }).waitFor();
    assert.equal(await again.button('Remove README.md').count(), 1);
    await again.button('Remove README.md').click();
  });

  it('attaches a file that is dragged from the Explorer while Shift is held, as for every view of an extension', async () => {
    await workbench.newSession();
    const { page } = workbench;
    await workbench.command('ACP Host: Open Chat in Editor');
    const chat = await workbench.pageIn('editor');
    await page.keyboard.press('Control+Shift+E');
    const row = page.locator('.explorer-folders-view').getByText('README.md');
    const middleOf = async (item: Locator): Promise<readonly [number, number]> => {
      const { x, y, width, height } = (await item.boundingBox()) ?? assert.fail('out of sight');
      return [x + width / 2, y + height / 2];
    };
    await row.waitFor();
    const [from, to] = [await middleOf(row), await middleOf(page.locator('.part.editor'))];
    await page.mouse.move(...from);
    await page.mouse.down();
    await page.mouse.move(from[0] + 20, from[1], { steps: 4 });
    await page.keyboard.down('Shift');
    // The workbench lets it through with the first move, so that only the next one reaches the page.
    const over = chat.frame.locator('body.drop');
    for (let step = 0; (await over.count()) === 0 && step < 50; step++) await page.mouse.move(to[0] + step, to[1]);
    await workbench.screenshot('drop');
    await page.mouse.up();
    await page.keyboard.up('Shift');
    await chat.button('Remove README.md').waitFor();
    await over.waitFor({ state: 'detached' });
    await chat.button('Remove README.md').click();
    await workbench.command('View: Close All Editors');
  });

  it('attaches a pasted image, which can be opened and is shown in the conversation', async () => {
    const chat = await workbench.newSession();
    await chat.message.evaluate((element, data) => {
      const clipboardData = new DataTransfer();
      const bytes = Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0));
      clipboardData.items.add(new File([bytes], 'image.png', { type: 'image/png' }));
      element.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true }));
    }, onePixelPng);
    await chat.button('Open Image').click();
    await workbench.page.getByRole('tab', { name: /message-[0-9a-f]+\.png/ }).waitFor();
    await chat.send('list');
    const image = chat.conversation.locator('.attachments img').first();
    await image.waitFor();
    assert.equal(await image.evaluate((element) => element instanceof HTMLImageElement && element.naturalWidth), 1);
  });
});

const onePixelPng = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
