/** On Windows, the keys that stop the turn are also those of the browser that undo. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ComposerView } from '../../src/contract/view.js';
import type { OpenPage } from './harness.js';
import { hostForTests } from './pageTests.js';
import { emptyView, questionPrompt } from './views.js';

const host = hostForTests();

const systems = {
  Windows: 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/142.0.0.0 Electron/39.0.0 Safari/537.36',
  Linux: 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/142.0.0.0 Electron/39.0.0 Safari/537.36',
} as const;
const composer = (changes: Partial<ComposerView> = {}): ComposerView => ({ ...emptyView().composer, ...changes });

async function openOn(system: keyof typeof systems, changes: Partial<ComposerView> = {}): Promise<OpenPage> {
  const opened = await host.open({
    userAgent: systems[system],
    view: emptyView({ composer: composer(changes), prompts: [questionPrompt()] }),
  });
  await opened.page.evaluate(() => {
    window.addEventListener('keydown', ({ key, defaultPrevented }) => {
      if (key === 'Backspace') document.body.dataset['leftToBrowser'] = String(!defaultPrevented);
    });
  });
  return opened;
}

/** Whether the browser did what it does for the last Backspace, which with Alt is to undo on Windows. */
const isLeftToBrowser = ({ page }: OpenPage): Promise<boolean> => page.evaluate(() => document.body.dataset['leftToBrowser'] === 'true');

async function undoes(opened: OpenPage, keys: string, box = 'Message'): Promise<boolean> {
  await opened.page.getByRole('textbox', { name: box }).press(keys);
  return isLeftToBrowser(opened);
}

describe('the keys that stop the turn', () => {
  test('on Windows, they undo only when no turn can be stopped', async () => {
    const opened = await openOn('Windows');
    assert.equal(await undoes(opened, 'Alt+Backspace'), true);
    await opened.patch({ op: 'composer', composer: composer({ busy: true }) });
    assert.equal(await undoes(opened, 'Alt+Backspace'), false);
    await opened.patch({ op: 'composer', composer: composer({ busy: false }) });
    assert.equal(await undoes(opened, 'Alt+Backspace'), true);
    await opened.assertClean();
    await opened.close();
  });

  test('they undo nothing in the field of a request either', async () => {
    const opened = await openOn('Windows', { busy: true });
    await opened.page.getByRole('radio', { name: 'Other…' }).check();
    assert.equal(await undoes(opened, 'Alt+Backspace', 'Answer'), false);
    await opened.close();
  });

  test('held until the turn has ended, they still undo nothing', async () => {
    const opened = await openOn('Windows', { busy: true });
    const { keyboard } = opened.page;
    await opened.page.getByRole('textbox', { name: 'Message' }).focus();
    await keyboard.down('Alt');
    await keyboard.down('Backspace');
    await opened.patch({ op: 'composer', composer: composer() });
    await keyboard.down('Backspace');
    assert.equal(await isLeftToBrowser(opened), false);
    await keyboard.up('Backspace');
    await keyboard.down('Backspace');
    assert.equal(await isLeftToBrowser(opened), true);
    await opened.close();
  });

  test('other keys, and those of other systems, do what they always do', async () => {
    const onWindows = await openOn('Windows', { busy: true });
    for (const keys of ['Backspace', 'Control+Backspace', 'Alt+Shift+Backspace']) assert.equal(await undoes(onWindows, keys), true, keys);
    await onWindows.close();
    const onLinux = await openOn('Linux', { busy: true });
    assert.equal(await undoes(onLinux, 'Alt+Backspace'), true);
    await onLinux.close();
  });
});
