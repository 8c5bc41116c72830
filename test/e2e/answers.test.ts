/** The chat of `npm start`: it is there when the window opens, a failed start is explained, and an answer has links and images. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { reportFailures } from './support/failures.js';
import { root, Workbench } from './support/workbench.js';

const dot = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');

describe('a window that opens with the chat', () => {
  let workbench: Workbench;
  reportFailures(() => workbench);
  before(async () => {
    workbench = await Workbench.open({
      files: { 'README.md': '# Sample\n', 'src/deep/parser.ts': 'export {};\n', 'a/same.ts': '', 'b/same.ts': '' },
      prepare: (folder) => writeFile(path.join(folder, 'dot.gif'), dot),
      machineSettings: {
        'acpHost.agents': {
          lost: { command: 'no-such-agent' },
          obedient: { label: 'Obedient', command: process.execPath, args: [path.join(root, 'test/agents/obedient.mjs')] },
        },
        'acpHost.defaultAgent': 'lost',
      },
      env: { ACP_HOST_OPEN_CHAT: '1' },
    });
  });
  after(() => workbench.close());

  it('shows the chat at once', async () => {
    const chat = await workbench.pageIn('sidebar');
    await chat.message.waitFor();
    await workbench.screenshot('start');
  });

  it('summarizes diagnostics after a failed start, and shows them in full with Run Diagnostics', async () => {
    const chat = await workbench.pageIn('sidebar');
    await chat.send('hello');
    await chat.frame.getByText('Details', { exact: true }).click();
    await chat.frame.getByText('✗ lost: `no-such-agent` was not found').waitFor();
    await chat.button('Run Diagnostics').click();
    await workbench.page.getByRole('tab', { name: /ACP Host Diagnostics\.md/ }).waitFor();
    const document = workbench.page.locator('.part.editor .view-lines');
    await document.getByText('1 problem found.').waitFor();
    await document.getByText('✓ Conversations can be saved').waitFor();
  });

  it('links only unambiguous names of files, and shows only images in the folder', async () => {
    await workbench.command('ACP Host: New Conversation with Agent…');
    await workbench.pick('Obedient');
    const chat = await workbench.pageIn('sidebar');
    await chat.frame.getByText('What should Obedient do?').waitFor();
    await chat.send('say See `README.md`, `parser.ts`, `same.ts` and `none.ts`: ![a dot](dot.gif) ![passwords](/etc/passwd)');
    const answer = chat.conversation.getByRole('article', { name: 'Obedient' });
    await answer.getByRole('img', { name: 'Image: a dot' }).waitFor();
    await answer.getByRole('link', { name: 'README.md' }).waitFor();
    await answer.getByRole('link', { name: 'parser.ts' }).waitFor();
    assert.deepEqual(await answer.getByRole('link', { name: /same|none/ }).allTextContents(), []);
    assert.equal(await answer.locator('img').count(), 1);
    await answer.getByRole('link', { name: 'parser.ts' }).click();
    await workbench.page.getByRole('tab', { name: /parser\.ts/ }).waitFor();
  });
});
