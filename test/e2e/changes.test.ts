/** What turns changed, in a workbench: seen, compared, taken back, also by going back to a message and under text that is not saved. */
import assert from 'node:assert/strict';
import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Locator } from 'playwright-core';
import type { Chat } from './support/chat.js';
import { reportFailures } from './support/failures.js';
import { root, Workbench } from './support/workbench.js';

const limit = 'export const limit = 1;\n';
const notes = 'one\ntwo\nthree\nfour\nfive\n';

describe('the changes of turns in a workbench, with the demo agent', () => {
  let workbench: Workbench;
  reportFailures(() => workbench);
  before(async () => {
    workbench = await Workbench.open({
      files: {
        'src/limits.ts': limit,
        'draft.txt': 'one\n',
        'src/parser.ts': limit,
        'notes.txt': notes,
        'other.txt': notes,
        'gone.txt': notes,
        'draft.md': notes,
        'plan.md': notes,
      },
      machineSettings: {
        'acpHost.defaultMode': 'auto',
        'acpHost.agents': {
          forker: {
            label: 'Forker',
            command: process.execPath,
            args: [path.join(root, 'test/agents/forksSessions.mjs')],
            env: { FORKS: 'message' },
          },
        },
      },
      userSettings: { 'files.autoSave': 'off', 'acpHost.saveFilesBeforePrompt': 'ask' },
    });
  });
  after(() => workbench.close());

  const textOf = (name: string): Promise<string | undefined> => readFile(path.join(workbench.folder, name), 'utf8').catch(() => undefined);
  /** Waits for the line below the last turn. @param counts of its changes */
  const footer = async (chat: Chat, counts: string): Promise<Locator> => {
    const line = chat.conversation.locator('.turn-end').last();
    await line.getByRole('button', { name: counts }).waitFor();
    return line;
  };
  const toReview = (chat: Chat, text: string): Locator => chat.frame.getByRole('region', { name: text, exact: true });
  /** Shows the last lines of the file that is open. */
  const lines = (): Locator => workbench.page.locator('.editor-instance .view-lines');

  const messages = (chat: Chat): Locator => chat.conversation.getByRole('article', { name: 'You' });
  const edited = (chat: Chat): Locator => chat.conversation.getByRole('textbox', { name: 'Edit message' });

  describe('a message that is gone back to', () => {
    const composer = (chat: Chat): Locator => chat.frame.getByRole('textbox', { name: 'Message', exact: true });
    const toast = (text: string): Locator => workbench.page.locator('.notification-toast').filter({ hasText: text });
    const turnEnds = (chat: Chat, counts: string): Promise<void> =>
      chat.conversation.locator('.turn-end').last().getByRole('button', { name: counts }).waitFor();

    it('edits it in place, and sends it from there with the files as they were', async () => {
      const chat = await workbench.newSession();
      await chat.send('say first');
      await messages(chat).getByText('say first').waitFor();
      await chat.send('write src/new.txt hello');
      await turnEnds(chat, '1 file +1 −0');
      await chat.send('edit src/limits.ts 1 => 2');
      await turnEnds(chat, '1 file +1 −1');
      await messages(chat).nth(1).press('F2');
      assert.equal(await edited(chat).inputValue(), 'write src/new.txt hello');
      const restores = chat.conversation.getByRole('checkbox', { name: 'Restore 2 files' });
      assert.equal(await restores.isChecked(), true);
      await edited(chat).press('End');
      const hiddenPixels = await edited(chat).evaluate(
        (box) => (box.closest('.scroller')?.getBoundingClientRect().top ?? 0) - box.getBoundingClientRect().top,
      );
      assert.ok(hiddenPixels <= 0, `${hiddenPixels} px of the message are above the visible part`);
      await workbench.screenshot('message-edit');
      await edited(chat).fill('write src/other.txt hello');
      await edited(chat).press('Enter');
      await chat.conversation.getByText('Demo agent continued here').waitFor();
      await turnEnds(chat, '1 file +1 −0');
      assert.deepEqual(await messages(chat).count(), 2);
      const files = await Promise.all(['src/new.txt', 'src/limits.ts', 'src/other.txt'].map(textOf));
      assert.deepEqual(files, [undefined, limit, 'hello\n']);
      await toast('Undid the changes in 2 files').waitFor();
      await workbench.command('Notifications: Clear All Notifications');
      // The other conversation has everything as before.
      await workbench.command('ACP Host: Show History');
      await workbench.quickInput
        .getByRole('option', { name: /say first/ })
        .nth(1)
        .waitFor();
      await workbench.press('Escape');
    });

    it('restores the files before it, after a look at their list, and makes the changes again', async () => {
      const chat = await workbench.newSession();
      await chat.send('edit draft.txt one => two');
      await turnEnds(chat, '1 file +1 −1');
      await chat.send('write src/third.txt hello');
      await turnEnds(chat, '1 file +1 −0');
      await messages(chat).first().hover();
      await messages(chat).first().getByRole('button', { name: 'Restore files to here' }).click();
      await workbench.quickInput.getByRole('checkbox', { name: 'third.txt, src/' }).click();
      await workbench.screenshot('restore-files');
      await workbench.press('Enter');
      const undone = toast('Undid the changes in draft.txt');
      await undone.waitFor();
      assert.deepEqual(await Promise.all(['draft.txt', 'src/third.txt'].map(textOf)), ['one\n', 'hello\n']);
      assert.equal(await messages(chat).count(), 2);
      await undone.getByRole('button', { name: 'Redo' }).click();
      await chat.conversation.locator('.turn-end').first().getByRole('button', { name: 'Undo', exact: true }).waitFor();
      assert.equal(await textOf('draft.txt'), 'two\n');
    });

    it('lists the messages after Escape is pressed twice, and edits the chosen one', async () => {
      const chat = await workbench.newSession();
      for (const words of ['say one', 'say two']) {
        await chat.send(words);
        await chat.conversation
          .locator('.turn-end')
          .nth(words === 'say one' ? 0 : 1)
          .waitFor();
      }
      await composer(chat).press('Escape');
      await composer(chat).press('Escape');
      const rows = workbench.quickInput.getByRole('option');
      await rows.first().waitFor();
      await rows.nth(0).getByText('say two').waitFor();
      await rows.nth(1).getByText('say one').waitFor();
      await workbench.pick('say one');
      await edited(chat).waitFor();
      assert.equal(await edited(chat).inputValue(), 'say one');
      await edited(chat).press('Escape');
      await edited(chat).waitFor({ state: 'detached' });
    });
  });

  it('are counted below the turn and above the composer, compared in one editor, taken back, and made again', async () => {
    const chat = await workbench.newSession();
    await chat.send('write src/b.txt hello');
    const first = await footer(chat, '1 file +1 −0');
    await chat.send('edit src/parser.ts 1 => 2');
    await footer(chat, '1 file +1 −1');
    await toReview(chat, '2 files to review').getByRole('button', { name: 'Review All' }).click();
    await workbench.page.getByRole('tab', { name: 'Changes by Demo agent' }).waitFor();
    const entries = workbench.page.locator('.multiDiffEntry');
    await entries.getByText('hello').waitFor();
    // The file itself, which the user edits there, and not one that was renamed.
    await entries
      .getByText(/limit\s=\s2/)
      .first()
      .waitFor();
    assert.equal(await entries.locator('.status.renamed').count(), 0);
    await chat.conversation.locator('.turn-end').first().getByRole('button', { name: 'Undo', exact: true }).click();
    await chat.conversation.getByText(/Undone\b/).waitFor();
    assert.equal(await textOf('src/b.txt'), undefined);
    // The file that is gone is not compared any more.
    await workbench.page.getByRole('tab', { name: 'Changes by Demo agent (1 file)' }).waitFor();
    await entries.getByText('hello').waitFor({ state: 'detached' });
    await entries
      .getByText(/limit\s=\s2/)
      .first()
      .waitFor();
    await workbench.closeTab(/Changes by Demo agent/);
    await toReview(chat, '1 file to review').waitFor();
    await chat.conversation.getByRole('button', { name: 'Redo', exact: true }).click();
    await toReview(chat, '2 files to review').waitFor();
    assert.equal(await textOf('src/b.txt'), 'hello\n');
    await first.waitFor();
  });

  it('stay to be reviewed over a reload of the window, until the user has marked them', async () => {
    const chat = await workbench.newSession();
    await chat.send('write src/c.txt hello');
    await toReview(chat, '1 file to review').waitFor();
    await workbench.openFile('c.txt');
    const mark = workbench.page.locator('.tabs-container .tab').filter({ hasText: 'c.txt' }).locator('[class*="itemBadge"]');
    await mark.waitFor();
    await workbench.reload();
    const again = await workbench.openChat();
    await toReview(again, '1 file to review').getByRole('button', { name: 'Mark as Reviewed' }).click();
    await toReview(again, '1 file to review').waitFor({ state: 'detached' });
    await mark.waitFor({ state: 'detached' });
    await workbench.closeTab(/c\.txt/);
  });

  it('are listed for each conversation in the Source Control view, where they are compared and marked', async () => {
    const chat = await workbench.newSession();
    await chat.send('write src/d.txt hello');
    await toReview(chat, '1 file to review').waitFor();
    await workbench.command('Source Control: Focus on Changes View');
    const view = workbench.page.locator('.scm-view');
    const file = view.getByRole('treeitem', { name: 'd.txt, Changed by Demo agent' });
    await file.click();
    await workbench.page.getByRole('tab', { name: 'd.txt (changed by Demo agent)' }).waitFor();
    await workbench.screenshot('changes-source-control');
    await workbench.closeTab(/d\.txt/);
    const group = view.getByRole('treeitem', { name: /write src\/d\.txt hello/ });
    await group.hover();
    await group.getByRole('button', { name: 'Mark Changes as Reviewed' }).click();
    await file.waitFor({ state: 'detached' });
  });

  it('are compared with nothing in the Source Control view if the user has deleted the file', async () => {
    const chat = await workbench.newSession();
    await chat.send('edit gone.txt one => ONE');
    await toReview(chat, '1 file to review').waitFor();
    await rm(path.join(workbench.folder, 'gone.txt'));
    await workbench.command('Source Control: Focus on Changes View');
    const view = workbench.page.locator('.scm-view');
    await view.getByRole('treeitem', { name: 'gone.txt, Changed by Demo agent' }).click();
    await workbench.page.getByRole('tab', { name: 'gone.txt (changed by Demo agent)' }).waitFor();
    await workbench.page.locator('.editor.original .view-lines').getByText('three').waitFor();
    await workbench.closeTab(/gone\.txt/);
    const group = view.getByRole('treeitem', { name: /edit gone\.txt/ });
    await group.hover();
    await group.getByRole('button', { name: 'Mark Changes as Reviewed' }).click();
    await group.waitFor({ state: 'detached' });
  });

  it('are listed with a file that the user has changed since, whose text is merged in the editor, where Ctrl+Z brings them back', async () => {
    const chat = await workbench.newSession();
    await workbench.openFile('notes.txt');
    await lines().getByText('five').waitFor();
    await chat.send('edit notes.txt one => ONE');
    await lines().getByText(/^ONE$/).waitFor();
    await lines().getByText('five').click();
    await workbench.press('Control+End', 'u', 's', 'e', 'r');
    await lines().getByText('user').waitFor();
    const line = await footer(chat, '1 file +1 −1');
    await line.getByRole('button', { name: '1 file +1 −1' }).click();
    await line.getByRole('button', { name: 'Undo File: notes.txt' }).click();
    await lines().getByText(/^one$/).waitFor();
    await lines().getByText('user').waitFor();
    await line
      .getByText(/Undone\b/)
      .first()
      .waitFor();
    assert.equal(await textOf('notes.txt'), notes.replace('one', 'ONE'), 'what is not saved stays in the editor');
    await lines().getByText(/^one$/).click();
    await workbench.press('Control+z');
    await lines().getByText(/^ONE$/).waitFor();
    await lines().getByText('user').waitFor();
    await workbench.press('Control+y', 'Control+s');
    await workbench.closeTab(/notes\.txt/);
    assert.equal(await textOf('notes.txt'), `${notes}user`);
  });

  it('are left where the user has changed the same lines, and the notification says so and compares', async () => {
    const chat = await workbench.newSession();
    await chat.send('edit other.txt one => ONE');
    const line = await footer(chat, '1 file +1 −1');
    await workbench.openFile('other.txt');
    await workbench.press('Control+Home', 'x');
    await lines()
      .getByText(/^xONE$/)
      .waitFor();
    await line.getByRole('button', { name: 'Undo', exact: true }).click();
    const toast = workbench.page.locator('.notification-toast').filter({ hasText: /Left other\.txt as it is\. It was changed since/ });
    await toast.getByRole('button', { name: 'Open Diff' }).click();
    await workbench.page.getByRole('tab', { name: 'other.txt (changed by Demo agent)' }).waitFor();
    await workbench.page.locator('.editor.original .view-lines').getByText('one').waitFor();
    assert.equal(await line.getByText(/Undone\b/).count(), 0);
    await workbench.command('View: Close All Editors');
    await workbench.page.getByRole('button', { name: "Don't Save" }).click();
  });

  describe('text that the user has not saved', () => {
    /** Also those that a failed test left unsaved. */
    const closeEditors = async (): Promise<void> => {
      await workbench.command('View: Close All Editors');
      const discard = workbench.page.getByRole('button', { name: "Don't Save" });
      await discard.or(workbench.page.locator('.part.editor .editor-group-container.empty')).first().waitFor();
      if (await discard.isVisible()) await discard.click();
    };
    before(closeEditors);
    // The open file would go with the next message.
    after(closeEditors);

    /** Types at the end of the file that is open. */
    const type = async (text: string): Promise<void> => {
      await lines().getByText('five').click();
      await workbench.press('Control+End', ...text);
      await lines().getByText(text).waitFor();
    };
    const answer = async (label: string, name = 'draft.md'): Promise<void> => {
      const dialog = workbench.page.getByRole('dialog').filter({ hasText: `${name} has unsaved changes` });
      await dialog.waitFor();
      if (label === 'Save and Send') await workbench.screenshot('unsaved-question');
      await dialog.getByRole('button', { name: label, exact: true }).click();
      await dialog.waitFor({ state: 'detached' });
    };

    it('is saved before the message that names its file is sent, if the user says so', async () => {
      const chat = await workbench.newSession();
      await workbench.openFile('draft.md');
      await lines().getByText('five').waitFor();
      await type('mine');
      await chat.send('edit plan.md one => ONE');
      await answer('Cancel');
      await chat.messageIs('edit plan.md one => ONE');
      assert.deepEqual([await textOf('draft.md'), await textOf('plan.md')], [notes, notes]);
      await chat.message.press('Enter');
      await answer('Save and Send');
      await chat.conversation.locator('.turn-end').getByRole('button', { name: '1 file +1 −1' }).waitFor();
      assert.deepEqual([await textOf('draft.md'), await textOf('plan.md')], [`${notes}mine`, notes.replace('one', 'ONE')]);
    });

    it('is named while its file on disk is another one, and compared with it', async () => {
      const chat = await workbench.newSession();
      await type('more');
      await chat.send('edit draft.md two => TWO');
      await answer('Send Anyway');
      const text = 'draft.md was changed under your unsaved text';
      await chat.frame.getByRole('region', { name: text }).waitFor();
      await workbench.screenshot('unsaved-changed');
      const line = chat.frame.getByRole('region', { name: text });
      await line.getByRole('button', { name: 'Compare' }).click();
      await workbench.page.getByRole('tab', { name: /draft\.md \(in file\)/ }).waitFor();
      await workbench.page.locator('.editor.original .view-lines').getByText('TWO').waitFor();
      await workbench.screenshot('unsaved-compared');
      await workbench.closeTab(/draft\.md \(in file\)/);
      await workbench.page.locator('.editor.original').waitFor({ state: 'detached' });
      assert.equal(await line.count(), 1);
      await workbench.openFile('draft.md');
      await workbench.command('File: Revert File');
      await lines().getByText('TWO').waitFor();
      await line.waitFor({ state: 'detached' });
      // What is typed now is on top of what the agent wrote.
      await type('again');
      await chat.send('edit plan.md two => TWO');
      await answer('Send Anyway');
      await chat.conversation.locator('.turn-end').last().getByRole('button', { name: '1 file +1 −1' }).waitFor();
      assert.equal(await line.count(), 0);
      await workbench.command('File: Save');
    });

    it('is saved without a question after an undo of what was changed under it', async () => {
      const chat = await workbench.newSession();
      await type('later');
      await chat.send('edit draft.md three => THREE');
      await answer('Send Anyway');
      const line = chat.frame.getByRole('region', { name: 'draft.md was changed under your unsaved text' });
      await line.waitFor();
      await chat.conversation.locator('.turn-end').getByRole('button', { name: 'Undo', exact: true }).click();
      await line.waitFor({ state: 'detached' });
      await lines().getByText('later').click();
      await workbench.press('Control+s');
      await workbench.page.locator('.tabs-container .tab.dirty').waitFor({ state: 'detached' });
      const text = await textOf('draft.md');
      assert.match(text ?? '', /TWO\nthree\nfour\nfive\n.*later/);
    });

    it('stays after an undo of what a command wrote under it, and its file is as before', async () => {
      const chat = await workbench.newSession();
      await workbench.openFile('plan.md');
      await type('own');
      const before = await textOf('plan.md');
      // No tool call names the file.
      await chat.send('run sed -i s/four/FOUR/ pl*');
      await answer('Send Anyway', 'plan.md');
      await chat.dialog.getByRole('button', { name: /Allow once/ }).click();
      const end = chat.conversation.locator('.turn-end');
      await end.getByRole('button', { name: '1 file +1 −1' }).waitFor();
      assert.equal(await textOf('plan.md'), before?.replace('four', 'FOUR'));
      await end.getByRole('button', { name: 'Undo', exact: true }).click();
      await end.getByText(/Undone\b/).waitFor();
      assert.equal(await textOf('plan.md'), before);
      await workbench.page.locator('.tabs-container .tab.active.dirty').getByText('plan.md').waitFor();
      await lines().getByText('own').click();
      await workbench.press('Control+s');
      await workbench.page.locator('.tabs-container .tab.active.dirty').waitFor({ state: 'detached' });
      assert.match((await textOf('plan.md')) ?? '', /TWO\nthree\nfour\nfive\n?own/);
    });

    it('does not keep a line from leading to the turn that wrote it', async () => {
      const chat = await workbench.newSession();
      await chat.send('say something else');
      await chat.conversation.locator('.turn-end').waitFor();
      await workbench.openFile('draft.md');
      await lines().getByText('TWO').click();
      await workbench.command('ACP Host: Show Turn That Wrote This Line');
      await chat.conversation.getByRole('article', { name: 'You' }).getByText('edit draft.md two => TWO').waitFor();
      await workbench.openFile('draft.md');
      await lines().getByText('one').click();
      await workbench.command('ACP Host: Show Turn That Wrote This Line');
      await workbench.page.locator('.notification-toast').getByText('No recorded turn of an agent wrote line 1 of draft.md').waitFor();
    });
  });

  // At the end, because a new conversation begins with the agent of the last one.
  it('stay in the files when the conversation goes on in a session that the agent forks', async () => {
    const chat = await workbench.withAgent('Forker');
    for (const [index, words] of ['one', 'two'].entries()) {
      await chat.send(words);
      await chat.conversation.locator('.turn-end').nth(index).waitFor();
    }
    await messages(chat).nth(1).press('F2');
    await edited(chat).fill('recall');
    // The agent remembers its sessions in a file of the folder.
    await chat.conversation.getByRole('checkbox', { name: 'Restore 1 file' }).uncheck();
    await edited(chat).press('Enter');
    await chat.conversation.getByText('Forker continued here').waitFor();
    await chat.conversation.getByText('It forked its session, and knows the conversation above.').waitFor();
    await chat.conversation.getByText('one (1)', { exact: true }).waitFor();
  });
});
