/** The edit of a request in a tab of the editor, with the real file and what is not saved in it. */
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, beforeEach, describe, it } from 'node:test';
import type { Locator } from 'playwright-core';
import type { Chat } from './support/chat.js';
import { reportFailures } from './support/failures.js';
import { watchProblems } from './support/problems.js';
import { root, withTypeScript, Workbench } from './support/workbench.js';

const source = Array.from({ length: 20 }, (_, index) => `export const value${index + 1} = ${index + 1};\n`).join('');

describe('the edit of a request in the editor', () => {
  let workbench: Workbench;
  reportFailures(() => workbench);
  const problems = watchProblems(() => workbench);
  let chat: Chat;
  const onDisk = (name: string): Promise<string> => readFile(path.join(workbench.folder, name), 'utf8');
  const tab = (name: string): Locator => workbench.page.locator('.tabs-container').getByRole('tab', { name: `${name} (proposed)` });
  /** What is pressed too early decides nothing, and has to be pressed again. */
  const until = async (press: () => Promise<void>, closed: Locator): Promise<void> => {
    for (;;) {
      await press();
      const isClosed = await closed.waitFor({ state: 'hidden', timeout: 3_000 }).then(
        () => true,
        () => false,
      );
      if (isClosed) return;
    }
  };
  /** Adds a line at the beginning of a file, and does not save it. At once, because the services report half a line as a problem. */
  const writeUnsaved = async (name: string, line: string): Promise<void> => {
    await workbench.openFile(name);
    await workbench.press('Control+Home');
    await workbench.page.keyboard.insertText(`${line}\n`);
    await workbench.page.locator('.tab.dirty').getByText(name).waitFor();
  };

  before(async () => {
    workbench = await Workbench.open({
      ...withTypeScript,
      userSettings: { ...withTypeScript.userSettings, 'files.autoSave': 'off', 'acpHost.saveFilesBeforePrompt': 'off' },
      files: { 'parser.ts': source, 'saved.ts': source, 'one.txt': 'one\ntwo\nthree\n', 'two.txt': 'one\ntwo\nthree\n' },
      machineSettings: {
        'acpHost.defaultAgent': 'parts',
        'acpHost.agents': {
          parts: { label: 'Editor of parts', command: process.execPath, args: [path.join(root, 'test/agents/editsParts.mjs')] },
        },
      },
    });
  });
  beforeEach(async () => {
    chat = await workbench.newSession();
  });
  after(() => workbench.close());

  it('an edit of a file with unsaved text is approved from the tab, and no language service looks at what is proposed', async () => {
    await writeUnsaved('parser.ts', 'let mine = 0;');
    await chat.send('parser.ts value5 = 5; => value5 = ;');
    await chat.dialog.getByText('parser.ts has unsaved changes').waitFor();
    await chat.dialog.locator('.diff-line.removed .diff-number').getByText('6', { exact: true }).waitFor();
    await chat.dialog.getByText('export const value8 = 8;').waitFor();
    await workbench.screenshot('request-unsaved');
    await chat.dialog.getByRole('button', { name: 'Review' }).click();
    await tab('parser.ts').waitFor();
    const sides = workbench.page.locator('.monaco-diff-editor');
    await sides.getByText('let mine = 0;').first().waitFor();
    await workbench.press('Enter');
    await workbench.screenshot('edit-preview');
    assert.equal(await onDisk('parser.ts'), source);
    await until(() => workbench.press('Control+Enter'), tab('parser.ts'));
    await chat.dialog.waitFor({ state: 'hidden' });
    await chat.conversation.getByRole('group', { name: /parser\.ts.*done/ }).waitFor();
    assert.equal(await onDisk('parser.ts'), source.replace('value5 = 5;', 'value5 = ;'));
    await problems.expected(async () => {
      await workbench.command('File: Revert File');
      // The services look at what is in the file.
      await workbench.statusSays(/^Errors: 1/);
      await writeFile(path.join(workbench.folder, 'parser.ts'), source);
    });
  });

  it('the tab follows the requests, and closes with the last decision', async () => {
    await chat.send('one.txt two => 2\ntwo.txt two => zwei');
    await chat.dialog.getByRole('button', { name: 'Review' }).click();
    await tab('one.txt').waitFor();
    await chat.dialog.getByRole('button', { name: /Allow once/ }).click();
    await tab('two.txt').waitFor();
    assert.equal(await tab('one.txt').count(), 0);
    const reject = workbench.page.locator('.editor-actions').getByRole('button', { name: /^Reject/ });
    await workbench.page
      .locator('.editor-actions')
      .getByRole('button', { name: /^Allow Once/ })
      .waitFor();
    await until(() => reject.click(), tab('two.txt'));
    await chat.dialog.waitFor({ state: 'hidden' });
    assert.deepEqual([await onDisk('one.txt'), await onDisk('two.txt')], ['one\n2\nthree\n', 'one\ntwo\nthree\n']);
  });

  it('Save and Allow saves the file and allows the edit; Compare shows what is not saved', async () => {
    await writeUnsaved('saved.ts', 'let saved = 0;');
    await chat.send('saved.ts value2 = 2 => value2 = 22');
    await chat.dialog.getByRole('button', { name: 'Allow Anyway' }).waitFor();
    await chat.dialog.getByRole('button', { name: 'Compare' }).click();
    await workbench.closeTab(/saved\.ts \(in file\)/);
    await chat.dialog.getByRole('button', { name: 'Save and Allow' }).click();
    await chat.conversation.getByRole('group', { name: /saved\.ts.*done/ }).waitFor();
    assert.equal(await onDisk('saved.ts'), `let saved = 0;\n${source.replace('value2 = 2;', 'value2 = 22;')}`);
  });

  it('the tab behind its file follows what is written there, and stays behind; its file has the buttons of no other change', async () => {
    await workbench.openFile('one.txt');
    const lenses = workbench.page.locator('.editor-instance .codelens-decoration').getByText('Reviewed', { exact: true });
    await lenses.first().waitFor();
    await chat.send('one.txt three => 3');
    await chat.dialog.getByRole('button', { name: 'Review' }).click();
    await tab('one.txt').waitFor();
    const sides = workbench.page.locator('.monaco-diff-editor');
    await sides.getByText('three').first().waitFor();
    await lenses.first().waitFor({ state: 'detached' });
    const file = workbench.page.locator('.tabs-container').getByRole('tab', { name: 'one.txt', exact: true });
    await file.click();
    await workbench.press('Control+Home');
    for (const [typed, number] of [
      ['mine', '4'],
      ['too', '5'],
    ] as const) {
      await workbench.page.keyboard.type(`${typed}\n`);
      await chat.dialog.locator('.diff-line.removed .diff-number').getByText(number, { exact: true }).waitFor();
    }
    assert.equal(await file.getAttribute('aria-selected'), 'true');
    await tab('one.txt').click();
    await sides.getByText('too').first().waitFor();
    await file.click();
    await workbench.command('File: Revert File');
    await chat.dialog
      .getByRole('button', { name: /^3? ?Reject/ })
      .first()
      .click();
    await tab('one.txt').waitFor({ state: 'hidden' });
    await lenses.first().waitFor();
  });

  it('a request says that its file has changed, and shows it as it is', async () => {
    await chat.send('one.txt three => 3');
    await chat.dialog.locator('.diff-line.removed .diff-number').getByText('3', { exact: true }).waitFor();
    await writeFile(path.join(workbench.folder, 'one.txt'), `${'more\n'.repeat(9)}${await onDisk('one.txt')}`);
    await chat.dialog.locator('.diff-line.removed .diff-number').getByText('12', { exact: true }).waitFor();
    await chat.dialog.getByText('The file has changed since the agent asked.').waitFor();
    await writeFile(path.join(workbench.folder, 'one.txt'), 'nothing\n');
    await chat.dialog.getByText('Does not match the file any more').waitFor();
    await chat.dialog
      .getByRole('button', { name: /^3? ?Reject/ })
      .first()
      .click();
    await chat.dialog.waitFor({ state: 'hidden' });
  });
});
