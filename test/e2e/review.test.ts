/** Reviewing in the files themselves, in a workbench: each hunk is undone, commented or marked, and the agent learns of it. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Locator } from 'playwright-core';
import type { Chat } from './support/chat.js';
import { reportFailures } from './support/failures.js';
import { watchProblems } from './support/problems.js';
import { withTypeScript, Workbench } from './support/workbench.js';

const text = 'one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\n';
const code = 'const one = 1;\nconst two = 2;\nconst three = 3;\nconst four = 4;\nconst five = 5;\n';

describe('reviewing in the files themselves', () => {
  let workbench: Workbench;
  reportFailures(() => workbench);
  const problems = watchProblems(() => workbench);
  before(async () => {
    workbench = await Workbench.open({
      files: {
        'a.txt': text,
        'b.txt': text,
        'c.txt': text,
        'd.txt': text,
        'i.txt': text,
        'e.js': code,
        'f.js': code,
        'g.js': code,
        'h.js': code,
      },
      machineSettings: { 'acpHost.defaultMode': 'auto' },
      builtIns: withTypeScript.builtIns,
      userSettings: { ...withTypeScript.userSettings, 'files.autoSave': 'off', 'comments.openView': 'never' },
    });
  });
  after(() => workbench.close());

  const textOf = (name: string): Promise<string> => readFile(path.join(workbench.folder, name), 'utf8');
  const toReview = (chat: Chat, words: string): Locator => chat.frame.getByRole('region', { name: words, exact: true });
  /** Each is one command above a hunk. Those of a file that the editor knew before are plain text until they are provided again. */
  const lens = (name: 'Undo' | 'Comment' | 'Reviewed'): Locator =>
    workbench.page.locator('.editor-instance .codelens-decoration').getByRole('button', { name, exact: true });
  /** The editor enables the button, and its key, a moment after the first letter. */
  const canAdd = (): Promise<void> =>
    workbench.page.locator('.review-widget').getByRole('button', { name: 'Add Comment', disabled: false }).waitFor();
  /** A tab that is closed before its file is saved would ask. */
  const save = async (): Promise<void> => {
    await workbench.press('Control+s');
    await workbench.page.locator('.tabs-container .tab.active.dirty').waitFor({ state: 'detached' });
  };
  const line = (words: string | RegExp): Locator => workbench.page.locator('.editor-instance .view-lines').getByText(words).first();
  const notes = (chat: Chat, label: string): Locator => chat.frame.locator('.chip').filter({ hasText: label });
  const count = async (all: Locator, wanted: number): Promise<void> => {
    if (wanted > 0) await all.nth(wanted - 1).waitFor();
    await all.nth(wanted).waitFor({ state: 'detached' });
  };
  const press = async (name: 'Undo' | 'Comment' | 'Reviewed'): Promise<void> => lens(name).first().click();
  /** Presses the first of them, of which there is one less then. */
  const settle = async (name: 'Undo' | 'Reviewed'): Promise<void> => {
    await lens(name).first().waitFor();
    const last = lens(name).nth((await lens(name).count()) - 1);
    await press(name);
    await last.waitFor({ state: 'detached' });
  };
  /** Begins a comment on the first change. */
  const write = async (text: string): Promise<void> => {
    await press('Comment');
    await workbench.page.locator('.review-widget .monaco-editor.focused').waitFor();
    await workbench.page.keyboard.type(text);
  };
  const add = (): Promise<void> => workbench.page.locator('.review-widget').getByRole('button', { name: 'Add Comment' }).click();

  /** Two turns that change two places of a file. */
  const changed = async (name: string): Promise<Chat> => {
    const chat = await workbench.newSession();
    await chat.send(`edit ${name} two => TWO`);
    await toReview(chat, '1 file to review').waitFor();
    await chat.send(`edit ${name} eight => EIGHT`);
    await chat.conversation.locator('.turn-end').nth(1).waitFor();
    return chat;
  };

  it('undoes a hunk, tells the agent, and takes both back with Ctrl+Z', async () => {
    const chat = await changed('a.txt');
    await workbench.openFile('a.txt');
    await count(lens('Undo'), 2);
    await workbench.screenshot('review-lenses');
    await settle('Undo');
    await line(/^two$/).waitFor();
    await count(lens('Undo'), 1);
    await notes(chat, '1 note').waitFor();
    assert.equal(await textOf('a.txt'), text.replace('eight', 'EIGHT'), 'it is saved, because it was');

    await line(/^five$/).click();
    await workbench.press('Control+z');
    await line(/^TWO$/).waitFor();
    await count(lens('Undo'), 2);
    await notes(chat, '1 note').waitFor({ state: 'detached' });
    await workbench.press('Control+y');
    await count(lens('Undo'), 1);
    await notes(chat, '1 note').waitFor();
    await save();

    await settle('Undo');
    await notes(chat, '2 notes').waitFor();
    await toReview(chat, '1 file to review').waitFor({ state: 'detached' });
    await line(/^five$/).click();
    await workbench.press('Control+z');
    await toReview(chat, '1 file to review').waitFor();
    await notes(chat, '1 note').waitFor();
    await workbench.press('Control+y');
    await toReview(chat, '1 file to review').waitFor({ state: 'detached' });
    await count(lens('Undo'), 0);
    await workbench.screenshot('review-notes');
    await chat.send('thanks');
    await chat.conversation.getByText('Undone by the user: a.txt 2').waitFor();
    await chat.conversation.getByText('Undone by the user: a.txt 8').waitFor();
    await notes(chat, '2 notes').waitFor({ state: 'detached' });

    await line(/^five$/).click();
    await workbench.press('Control+z');
    await toReview(chat, '1 file to review').waitFor();
    await workbench.press('Control+y');
    await toReview(chat, '1 file to review').waitFor({ state: 'detached' });
    assert.equal(await chat.frame.locator('.chip').filter({ hasText: 'note' }).count(), 0, 'the agent has been told');
    await save();
    await workbench.closeTab(/a\.txt/);
    assert.equal(await textOf('a.txt'), text);
  });

  it('leaves what the user changed in between, and remembers what was reviewed over a reload', async () => {
    const chat = await changed('b.txt');
    await workbench.openFile('b.txt');
    await line(/^five$/).click();
    await workbench.press('End', 'x');
    await line(/^fivex$/).waitFor();
    await count(lens('Reviewed'), 2);
    await settle('Reviewed');
    await count(lens('Reviewed'), 1);
    await settle('Undo');
    await line(/^eight$/).waitFor();
    await toReview(chat, '1 file to review').waitFor({ state: 'detached' });
    assert.equal(await textOf('b.txt'), text.replace('two', 'TWO').replace('eight', 'EIGHT'), 'what the user had not saved stays so');
    await save();
    await workbench.closeTab(/b\.txt/);
    assert.equal(await textOf('b.txt'), text.replace('two', 'TWO').replace('five', 'fivex'));

    const next = await changed('c.txt');
    await workbench.openFile('c.txt');
    await count(lens('Reviewed'), 2);
    await settle('Reviewed');
    await count(lens('Reviewed'), 1);
    await workbench.reload();
    await toReview(await workbench.openChat(), '1 file to review').waitFor();
    await count(lens('Reviewed'), 1);
    await settle('Reviewed');
    await toReview(await workbench.openChat(), '1 file to review').waitFor({ state: 'detached' });
    await workbench.closeTab(/c\.txt/);
    assert.equal(await next.frame.locator('.chip').count(), 0);
  });

  it('takes a comment with the next message, also after a reload, and then removes it from the file', async () => {
    await changed('d.txt');
    await workbench.openFile('d.txt');
    await write('Write it as a number');
    await add();
    const comment = workbench.page.locator('.review-widget .review-comment').getByText('Write it as a number');
    await comment.waitFor();
    await workbench.screenshot('review-comment');
    await workbench.reload();
    const chat = await workbench.openChat();
    await notes(chat, '1 note').waitFor();
    assert.match((await notes(chat, '1 note').getAttribute('title')) ?? '', /d\.txt 2: Write it as a number/);
    await chat.send('go on');
    await chat.conversation.getByText('Comment of the user on d.txt 2: Write it as a number').waitFor();
    await notes(chat, '1 note').waitFor({ state: 'detached' });
    await comment.waitFor({ state: 'detached' });

    await write('Still here');
    await toReview(chat, '1 file to review').getByRole('button', { name: 'Mark as Reviewed' }).click();
    await toReview(chat, '1 file to review').waitFor({ state: 'detached' });
    await add();
    await notes(chat, '1 note').waitFor();
    assert.match((await notes(chat, '1 note').getAttribute('title')) ?? '', /d\.txt 2: Still here/);
    await notes(chat, '1 note').getByRole('button', { name: 'Remove' }).click();
    await notes(chat, '1 note').waitFor({ state: 'detached' });
    await workbench.closeTab(/d\.txt/);
  });

  it('goes on while another conversation is in the chat view: a comment stays, and Ctrl+Z takes an undo back', async () => {
    const chat = await workbench.newSession();
    await chat.send('edit i.txt two => TWO');
    await toReview(chat, '1 file to review').waitFor();
    await workbench.newSession();
    await workbench.openFile('i.txt');
    await write('Write it as a number');
    await add();
    const comment = workbench.page.locator('.review-widget .review-comment').getByText('Write it as a number');
    await comment.waitFor();
    await settle('Undo');
    await line(/^two$/).waitFor();
    await line(/^five$/).click();
    await workbench.press('Control+z');
    await line(/^TWO$/).waitFor();
    await count(lens('Undo'), 1);
    await comment.waitFor();
    await save();
    await settle('Reviewed');
    await workbench.closeTab(/i\.txt/);
  });

  it('reviews the three files of a turn with the keyboard only, and the language services find no problem', async () => {
    const chat = await workbench.newSession();
    await chat.send("run sed -i 's/two = 2/two = 22/; s/five = 5/five = 55/' e.js f.js g.js");
    await chat.dialog.getByRole('button', { name: /Allow once/ }).click();
    await toReview(chat, '3 files to review').waitFor();
    const diff = async (name: string): Promise<void> => {
      await workbench.page.getByRole('tab', { name: `${name} (changed by Demo agent)`, selected: true }).waitFor();
      await workbench.page.locator('.editor.modified .monaco-editor.focused').waitFor();
      await count(lens('Undo'), 2);
    };
    await workbench.command('ACP Host: Next File to Review');
    await diff('e.js');
    await workbench.screenshot('review-diff');
    await workbench.press('Control+Home', 'ArrowDown', 'Control+Alt+h');
    await notes(chat, '1 note').waitFor();
    await count(lens('Undo'), 1);
    await workbench.press('Alt+F5', 'Control+Alt+y');
    await toReview(chat, '2 files to review').waitFor();
    await workbench.command('ACP Host: Next File to Review');
    await diff('f.js');
    await workbench.press('Control+Home', 'ArrowDown', 'Control+Alt+g');
    await workbench.page.locator('.review-widget .monaco-editor.focused').waitFor();
    await workbench.page.keyboard.type('Why 22?');
    await canAdd();
    await workbench.press('Control+Enter');
    await notes(chat, '2 notes').waitFor();
    await workbench.command('ACP Host: Mark Changes as Reviewed');
    await toReview(chat, '2 files to review').waitFor({ state: 'detached' });
    assert.equal(await textOf('e.js'), code.replace('five = 5', 'five = 55'));
    await workbench.command('View: Close All Editors');
  });

  it('removes a new file as a whole, and takes the note back when the file comes back', async () => {
    const chat = await workbench.newSession();
    await chat.send('write new.txt hello');
    await toReview(chat, '1 file to review').waitFor();
    await workbench.openFile('new.txt');
    await press('Undo');
    await notes(chat, '1 note').waitFor();
    await toReview(chat, '1 file to review').waitFor({ state: 'detached' });
    await assert.rejects(textOf('new.txt'));
    await chat.conversation.getByRole('button', { name: 'Redo', exact: true }).click();
    await toReview(chat, '1 file to review').waitFor();
    await notes(chat, '1 note').waitFor({ state: 'detached' });
    assert.equal(await textOf('new.txt'), 'hello\n');
    await workbench.command('Notifications: Clear All Notifications');
    await workbench.command('View: Close All Editors');
  });

  it('leaves lines that the user has changed, and compares them', async () => {
    const chat = await workbench.newSession();
    await chat.send('edit g.js const one => let one');
    await toReview(chat, '1 file to review').waitFor();
    await workbench.openFile('g.js');
    await problems.expected(async () => {
      await workbench.press('Control+Home', 'x');
      await line(/xlet/).waitFor();
      await workbench.statusSays(/^Errors: /);
      await press('Undo');
      await workbench.page
        .locator('.notification-toast')
        .getByText(/You changed these lines since/)
        .waitFor();
      await workbench.page.getByRole('tab', { name: 'g.js (changed by Demo agent)' }).waitFor();
      assert.equal(await chat.frame.locator('.chip').filter({ hasText: 'note' }).count(), 0);
      await workbench.command('Notifications: Clear All Notifications');
      await workbench.command('File: Revert File');
      await line(/xlet/).waitFor({ state: 'detached' });
    });
    await workbench.command('View: Close All Editors');
  });

  it('has the same lenses where all files are compared', async () => {
    const chat = await workbench.newSession();
    await chat.send('edit h.js const one => let one');
    await toReview(chat, '1 file to review').waitFor();
    await toReview(chat, '1 file to review').getByRole('button', { name: 'Review All' }).click();
    const entry = workbench.page.locator('.multiDiffEntry');
    await entry
      .getByText(/let\sone/)
      .first()
      .waitFor();
    await entry.locator('.codelens-decoration').getByText('Comment', { exact: true }).click();
    await entry.locator('.review-widget .monaco-editor.focused').waitFor();
    await workbench.page.keyboard.type('Why?');
    await canAdd();
    await workbench.press('Control+Enter');
    await notes(chat, '1 note').waitFor();
    await workbench.screenshot('review-all');
    await entry.locator('.codelens-decoration').getByText('Undo', { exact: true }).click();
    await toReview(chat, '1 file to review').waitFor({ state: 'detached' });
    assert.equal((await textOf('h.js')).split('\n')[0], 'const one = 1;');
  });
});
