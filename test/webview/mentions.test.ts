/** Adding files and pictures to a message. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { OpenPage } from './harness.js';
import { hostForTests } from './pageTests.js';
import { emptyView, userItem } from './views.js';
import { assertOnScreen, nextFrames } from './onScreen.js';

const host = hostForTests();
const box = ({ page }: OpenPage) => page.getByRole('textbox', { name: 'Message' });
const list = ({ page }: OpenPage) => page.getByRole('listbox', { name: 'Files' });
/** Shows that these files are attached, and no others. */
const attach = (opened: OpenPage, ...paths: readonly string[]): Promise<void> => {
  const chips = paths.map((path) => ({ id: path, label: path, title: path }));
  return opened.patch({ op: 'composer', composer: { ...emptyView().composer, chips } });
};
const posted = async <T extends string>(opened: OpenPage, type: T) => (await opened.messages()).filter((message) => message.type === type);

for (const width of [260, 900])
  describe(`typing @ at ${width} px`, () => {
    test('offers files, and Enter attaches the selected one and writes its path', async () => {
      const opened = await host.open({ view: emptyView(), width });
      await box(opened).pressSequentially('Look at @pars please');
      for (let back = 0; back < ' please'.length; back++) await box(opened).press('ArrowLeft');
      await box(opened).press('e');
      assert.deepEqual((await posted(opened, 'suggestFiles')).at(-1), { type: 'suggestFiles', typed: 'parse' });
      await opened.post({ type: 'suggestedFiles', paths: ['src/parser.ts', 'src/parser/tree.ts'] });
      await assertOnScreen(list(opened).getByRole('option').first());
      await assertOnScreen(list(opened).getByRole('option').last());
      await box(opened).press('ArrowDown');
      await box(opened).press('Enter');
      assert.equal(await box(opened).inputValue(), 'Look at @src/parser/tree.ts  please');
      await box(opened).press('!');
      assert.equal(await box(opened).inputValue(), 'Look at @src/parser/tree.ts ! please');
      assert.deepEqual(await posted(opened, 'addFile'), [{ type: 'addFile', path: 'src/parser/tree.ts' }]);
      assert.equal(await list(opened).count(), 0);
      assert.deepEqual(await posted(opened, 'send'), []);
      await opened.assertClean();
      await opened.close();
    });
  });

test('what the page wrote can be undone and redone like what was typed, also after a message was sent', async () => {
  const opened = await host.open({ view: emptyView() });
  await box(opened).pressSequentially('First');
  await box(opened).press('Enter');
  assert.equal(await box(opened).inputValue(), '');
  await box(opened).press('ControlOrMeta+z');
  assert.equal(await box(opened).inputValue(), 'First');
  await box(opened).press('ControlOrMeta+Shift+z');
  await box(opened).pressSequentially('Look at @pars');
  await opened.post({ type: 'suggestedFiles', paths: ['src/parser.ts'] });
  await list(opened).getByRole('option').click();
  await box(opened).pressSequentially('now');
  const values: string[] = [];
  for (const key of ['z', 'z', 'Shift+z', 'Shift+z']) {
    await box(opened).press(`ControlOrMeta+${key}`);
    values.push(await box(opened).inputValue());
  }
  const [before, after] = ['Look at @pars', 'Look at @src/parser.ts '];
  assert.deepEqual(values, [after, before, after, `${after}now`]);
  await box(opened).press('Enter');
  assert.deepEqual(
    (await opened.messages()).flatMap((message) => (message.type === 'send' ? [message.text] : [])),
    ['First', `${after}now`],
  );
  await opened.assertClean();
  await opened.close();
});

test('undo selects nothing of what was written before a mention, and redo brings back the file of the mention', async () => {
  const opened = await host.open({ view: emptyView() });
  await box(opened).pressSequentially('Look at @pars');
  await opened.post({ type: 'suggestedFiles', paths: ['src/parser.ts'] });
  await list(opened).getByRole('option').click();
  await attach(opened, 'src/parser.ts');
  await box(opened).press('ControlOrMeta+z');
  await attach(opened);
  const start = await box(opened).evaluate((element: HTMLTextAreaElement) => element.selectionStart);
  assert.ok(start >= 'Look at @'.length, `${start}`);
  await box(opened).press('ControlOrMeta+Shift+z');
  const addFile = { type: 'addFile', path: 'src/parser.ts' };
  assert.deepEqual(await posted(opened, 'addFile'), [addFile, addFile]);
  await opened.assertClean();
  await opened.close();
});

test('undo brings back files whose paths contain spaces or end a sentence, and none with a longer path', async () => {
  const draft = 'See @src/a b.ts, @src/c.tsx and @src/d.ts.';
  const opened = await host.open({ view: emptyView(), draft });
  await attach(opened, 'src/c.ts');
  await attach(opened, 'src/a b.ts', 'src/c.tsx', 'src/d.ts');
  await box(opened).press('ControlOrMeta+a');
  await box(opened).press('x');
  assert.equal((await posted(opened, 'removeChip')).length, 3);
  await attach(opened);
  await box(opened).press('ControlOrMeta+z');
  assert.equal(await box(opened).inputValue(), draft);
  assert.deepEqual(
    await posted(opened, 'addFile'),
    ['src/a b.ts', 'src/c.tsx', 'src/d.ts'].map((path) => ({ type: 'addFile', path })),
  );
  await opened.assertClean();
  await opened.close();
});

test('messages that differ in a part of a character are recalled as they were sent', async () => {
  const texts = ['a😁b', 'a😀b', 'ae\u0301x', 'aex', 'x👩‍👩‍👧y', 'x👩‍👩‍👦y', '1\ufe0f\u20e3', '1', 'one\n\ntwo', 'one\nthree\n'];
  const opened = await host.open({ view: emptyView({ items: texts.map((text) => userItem(text, text)) }) });
  const values: string[] = [];
  for (const _ of texts) {
    await box(opened).press('ArrowUp');
    values.unshift(await box(opened).inputValue());
  }
  assert.deepEqual(values, texts);
  for (const text of texts.slice(1)) {
    await box(opened).press('ControlOrMeta+z');
    assert.equal(await box(opened).inputValue(), text);
  }
  await opened.assertClean();
  await opened.close();
});

// The browser takes minutes to write as many lines as if they were typed.
test('a text of thousands of lines is recalled at once, and what is typed in it can be undone', async () => {
  const text = 'a line of text\n'.repeat(6_000);
  const opened = await host.open({ view: emptyView({ items: [userItem('u', text)] }) });
  await box(opened).press('ArrowUp');
  await box(opened).pressSequentially('more');
  assert.equal(await box(opened).inputValue(), `${text}more`);
  await box(opened).press('ControlOrMeta+z');
  assert.equal(await box(opened).inputValue(), text);
  await opened.assertClean();
  await opened.close();
});

describe('a mention and its chip', () => {
  const chips = ['src/a.ts', 'src/a.tsx', 'my notes.md'].map((title) => ({ id: `file:///${title}`, label: title, title }));
  const view = emptyView({ composer: { ...emptyView().composer, chips } });

  test('removing the chip removes the mention, and no longer one', async () => {
    const opened = await host.open({ view });
    await box(opened).fill('Compare @src/a.ts, @src/a.tsx and @my notes.md please');
    await opened.page.getByRole('button', { name: 'Remove src/a.ts', exact: true }).click();
    assert.equal(await box(opened).inputValue(), 'Compare , @src/a.tsx and @my notes.md please');
    await opened.page.getByRole('button', { name: 'Remove my notes.md' }).click();
    assert.equal(await box(opened).inputValue(), 'Compare , @src/a.tsx and please');
    assert.deepEqual(await posted(opened, 'removeChip'), [
      { type: 'removeChip', id: 'file:///src/a.ts' },
      { type: 'removeChip', id: 'file:///my notes.md' },
    ]);
    await opened.assertClean();
    await opened.close();
  });

  test('deleting the mention removes the chip; what was attached without one stays, and so does everything that is sent', async () => {
    const opened = await host.open({ view });
    await box(opened).fill('See @my notes.md');
    await box(opened).press('.');
    assert.deepEqual(await posted(opened, 'removeChip'), []);
    await box(opened).fill('');
    assert.deepEqual(await posted(opened, 'removeChip'), [{ type: 'removeChip', id: 'file:///my notes.md' }]);
    await box(opened).fill('See @src/a.tsx');
    await box(opened).press('Enter');
    assert.equal((await posted(opened, 'send')).length, 1);
    assert.equal((await posted(opened, 'removeChip')).length, 1);
    await opened.assertClean();
    await opened.close();
  });
});

describe('the list of files', () => {
  test('closes with Escape, and Enter sends then', async () => {
    const opened = await host.open({ view: emptyView() });
    await box(opened).pressSequentially('see @a');
    await opened.post({ type: 'suggestedFiles', paths: ['a.ts'] });
    await list(opened).waitFor();
    await box(opened).press('Escape');
    await list(opened).waitFor({ state: 'detached' });
    await box(opened).press('Enter');
    assert.equal((await posted(opened, 'send')).length, 1);
    await opened.close();
  });

  test('has no file that does not fit what was typed since, so Enter sends', async () => {
    const opened = await host.open({ view: emptyView() });
    await box(opened).pressSequentially('see @a');
    await opened.post({ type: 'suggestedFiles', paths: ['a.ts', 'bar.ts'] });
    await box(opened).press('R');
    assert.equal(await list(opened).getByRole('option').count(), 1);
    await box(opened).press('x');
    await box(opened).press('Enter');
    assert.equal((await posted(opened, 'send')).length, 1);
    await opened.close();
  });

  test('is not offered in an address, nor after the word', async () => {
    const opened = await host.open({ view: emptyView() });
    await opened.post({ type: 'suggestedFiles', paths: ['a.ts'] });
    await box(opened).pressSequentially('me@a @a ');
    assert.deepEqual(await posted(opened, 'suggestFiles'), [
      { type: 'suggestFiles', typed: '' },
      { type: 'suggestFiles', typed: 'a' },
    ]);
    assert.equal(await list(opened).count(), 0);
    await opened.close();
  });

  test('lets a click choose without taking the focus', async () => {
    const opened = await host.open({ view: emptyView() });
    await box(opened).pressSequentially('@');
    await opened.post({ type: 'suggestedFiles', paths: ['README.md'] });
    await list(opened).getByRole('option', { name: 'README.md' }).click();
    assert.equal(await box(opened).inputValue(), '@README.md ');
    assert.equal(await box(opened).evaluate((element) => document.activeElement === element), true);
    await opened.close();
  });
});

describe('pasting', () => {
  interface Pasted {
    readonly text?: string;
    readonly type?: string;
    readonly bytes?: number;
  }
  const paste = (opened: OpenPage, { text, type, bytes = 3 }: Pasted) =>
    box(opened).evaluate(
      (element, data) => {
        const clipboardData = new DataTransfer();
        if (data.type !== undefined) clipboardData.items.add(new File(['x'.repeat(data.bytes)], 'pasted', { type: data.type }));
        if (data.text !== undefined) clipboardData.setData('text/plain', data.text);
        element.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true }));
      },
      { text, type, bytes },
    );
  const refused = ({ page }: OpenPage) => page.getByText('You can add images of up to 4 MB and texts of up to 256 KB.');

  test('an image attaches it', async () => {
    const opened = await host.open({ view: emptyView() });
    await paste(opened, { type: 'image/png' });
    assert.deepEqual(await opened.message('addImage'), { type: 'addImage', data: 'data:image/png;base64,eHh4' });
    assert.equal(await refused(opened).count(), 0);
    await opened.assertClean();
    await opened.close();
  });

  test('an image delays the message that is sent while it is read', async () => {
    const opened = await host.open({ view: emptyView() });
    await box(opened).fill('look');
    await box(opened).evaluate((element: HTMLTextAreaElement) => {
      const clipboardData = new DataTransfer();
      clipboardData.items.add(new File(['xxx'], 'pasted', { type: 'image/png' }));
      element.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true }));
      element.form?.requestSubmit();
    });
    await opened.message('send');
    const types = (await opened.messages()).map(({ type }) => type);
    assert.deepEqual(
      types.filter((type) => type === 'send' || type === 'addImage'),
      ['addImage', 'send'],
    );
    assert.equal(await box(opened).inputValue(), '');
    await opened.close();
  });

  test('words that also come as an image inserts the words only', async () => {
    const opened = await host.open({ view: emptyView() });
    await paste(opened, { type: 'image/png', text: 'a table' });
    await paste(opened, { type: 'image/gif' });
    assert.deepEqual(await opened.message('addImage'), { type: 'addImage', data: 'data:image/gif;base64,eHh4' });
    await opened.close();
  });

  for (const [what, pasted] of [
    ['a large image', { type: 'image/png', bytes: 4 * 1024 * 1024 + 1 }],
    ['another file', { type: 'application/pdf', bytes: 256 * 1024 + 1 }],
  ] as const)
    test(`${what} says what can be pasted, until the user types`, async () => {
      const opened = await host.open({ view: emptyView(), width: 260 });
      await paste(opened, pasted);
      await assertOnScreen(refused(opened));
      await box(opened).pressSequentially('a');
      assert.equal(await refused(opened).count(), 0);
      assert.deepEqual(await posted(opened, 'addImage'), []);
      await opened.close();
    });
});

describe('dropping', () => {
  interface Dropped {
    readonly uris?: string;
    readonly text?: string;
    readonly image?: boolean;
    readonly pdf?: boolean;
    /** The contents of files of other programs, by their names. */
    readonly files?: Readonly<Record<string, string>>;
  }
  /** Drags something over the conversation, and drops it there. @returns whether the page took each of the two events */
  const drag = (opened: OpenPage, type: 'dragover' | 'drop', { uris, text, image, pdf, files }: Dropped): Promise<boolean> =>
    opened.page.locator('.conversation').evaluate(
      (element, data) => {
        const dataTransfer = new DataTransfer();
        if (data.image === true) dataTransfer.items.add(new File(['xxx'], 'dropped', { type: 'image/png' }));
        if (data.pdf === true) dataTransfer.items.add(new File(['%PDF-1.7'], 'dropped', { type: 'application/pdf' }));
        for (const [name, content] of Object.entries(data.files ?? {}))
          dataTransfer.items.add(new File([content], name, { type: 'application/octet-stream' }));
        if (data.uris !== undefined) dataTransfer.setData('application/vnd.code.uri-list', data.uris);
        if (data.text !== undefined) dataTransfer.setData('text/plain', data.text);
        return !element.dispatchEvent(new DragEvent(data.type, { dataTransfer, bubbles: true, cancelable: true }));
      },
      { type, uris, text, image, pdf, files },
    );
  const border = ({ page }: OpenPage) => page.locator('.composer-box').evaluate((element) => getComputedStyle(element).borderColor);

  test('files of the editor attaches them, and the composer shows that it takes them', async () => {
    const opened = await host.open({ view: emptyView() });
    const before = await border(opened);
    const uris = '# two files\r\nfile:///project/a.ts\r\nfile:///project/my%20notes.md\r\n';
    assert.equal(await drag(opened, 'dragover', { uris }), true);
    await opened.page.locator('body.drop').waitFor();
    assert.notEqual(await border(opened), before);
    assert.equal(await drag(opened, 'drop', { uris }), true);
    assert.deepEqual(await opened.message('addDropped'), {
      type: 'addDropped',
      uris: ['file:///project/a.ts', 'file:///project/my%20notes.md'],
    });
    await opened.page.locator('body.drop').waitFor({ state: 'detached' });
    assert.equal(await border(opened), before);
    await opened.assertClean();
    await opened.close();
  });

  test('a picture of another program attaches it, and words stay with the browser', async () => {
    const opened = await host.open({ view: emptyView() });
    assert.equal(await drag(opened, 'dragover', { text: 'words' }), false);
    assert.equal(await drag(opened, 'drop', { text: 'words' }), false);
    assert.equal(await drag(opened, 'drop', { image: true }), true);
    assert.deepEqual(await opened.message('addImage'), { type: 'addImage', data: 'data:image/png;base64,eHh4' });
    assert.deepEqual(await posted(opened, 'addDropped'), []);
    await opened.assertClean();
    await opened.close();
  });

  test('texts of another program attaches them with their names, and says what is no text', async () => {
    const opened = await host.open({ view: emptyView() });
    await drag(opened, 'drop', { files: { 'build.log': 'line one\nüber\n', 'tool.exe': 'MZ\0\0' } });
    assert.deepEqual(await opened.message('addText'), { type: 'addText', text: 'line one\nüber\n', name: 'build.log' });
    await assertOnScreen(opened.page.getByText('You can add images of up to 4 MB and texts of up to 256 KB.'));
    assert.equal((await posted(opened, 'addText')).length, 1);
    await opened.assertClean();
    await opened.close();
  });

  test('a folder of another program says how folders are added', async () => {
    const opened = await host.open({ view: emptyView() });
    // As the browser reports a folder.
    await opened.page.evaluate(() => {
      File.prototype.arrayBuffer = () => Promise.reject(new DOMException('It is no file.', 'NotFoundError'));
    });
    await drag(opened, 'drop', { files: { src: '' } });
    await assertOnScreen(opened.page.getByText('To add a folder, choose Add Files to Chat in the context menu of the Explorer.'));
    await opened.close();
  });

  test('what is dropped next, and another conversation, remove the words about a refused file', async () => {
    const opened = await host.open();
    const show = (conversation: string) => opened.post({ type: 'snapshot', revision: 1, view: emptyView(), conversation });
    await show('one');
    const refused = opened.page.getByText('You can add images of up to 4 MB and texts of up to 256 KB.');
    await drag(opened, 'drop', { pdf: true });
    await refused.waitFor();
    await drag(opened, 'drop', { uris: 'file:///project/a.ts' });
    await refused.waitFor({ state: 'detached' });
    await drag(opened, 'drop', { pdf: true });
    await refused.waitFor();
    await show('another');
    await refused.waitFor({ state: 'detached' });
    await opened.assertClean();
    await opened.close();
  });

  test('the words about a file that was read late are not for the conversation that is shown then', async () => {
    const opened = await host.open();
    const show = (conversation: string) => opened.post({ type: 'snapshot', revision: 1, view: emptyView(), conversation });
    await show('one');
    const read = await opened.page.evaluateHandle(() => {
      let end = (): void => undefined;
      const asked = new Promise<void>((resolve) => {
        Blob.prototype.arrayBuffer = () => {
          resolve();
          return new Promise((finish) => (end = () => finish(new ArrayBuffer(1))));
        };
      });
      return { asked, end: () => end() };
    });
    await drag(opened, 'drop', { pdf: true });
    await read.evaluate(({ asked }) => asked);
    await show('another');
    await read.evaluate(({ end }) => end());
    await nextFrames(opened.page);
    assert.equal(await opened.page.getByText('You can add images').count(), 0);
    await opened.assertClean();
    await opened.close();
  });
});

test('Add Files asks for files', async () => {
  const opened = await host.open({ view: emptyView(), width: 260 });
  const button = opened.page.getByRole('button', { name: 'Add Files' });
  await assertOnScreen(button);
  await button.click();
  assert.deepEqual(await posted(opened, 'action'), [{ type: 'action', action: 'addFilesToChat' }]);
  await opened.close();
});
