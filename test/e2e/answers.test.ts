/** The file links and images of an answer, in a real workbench. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { reportFailures } from './support/failures.js';
import { root, Workbench } from './support/workbench.js';

const dot = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');

describe('an answer', () => {
  let workbench: Workbench;
  reportFailures(() => workbench);
  before(async () => {
    workbench = await Workbench.open({
      files: { 'README.md': '# Sample\n', 'src/deep/parser.ts': 'export {};\n', 'a/same.ts': '', 'b/same.ts': '' },
      prepare: (folder) => writeFile(path.join(folder, 'dot.gif'), dot),
      machineSettings: {
        'acpHost.agents': {
          obedient: { label: 'Obedient', command: process.execPath, args: [path.join(root, 'test/agents/obedient.mjs')] },
        },
        'acpHost.defaultAgent': 'obedient',
      },
    });
  });
  after(() => workbench.close());

  it('links only unambiguous names of files, and shows only images in the folder', async () => {
    const chat = await workbench.newSession();
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
