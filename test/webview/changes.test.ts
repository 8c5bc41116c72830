/** What turns changed: below each turn, and above the composer until it is reviewed. Screenshots are saved in out/screenshots for review. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { assertOnScreen, assertReachable, stickingOut } from './onScreen.js';
import { hostForTests, shoot, shootAgain } from './pageTests.js';
import { agentItem, changesView, emptyView, permissionPrompt, richView, toReview, turnEndItem, userItem } from './views.js';

const host = hostForTests();
const view = emptyView({
  items: [userItem('u1', 'make the parser tolerant'), agentItem('a1', 'Done.'), turnEndItem('e1', { changes: changesView() })],
  review: toReview,
});

const compareUnsaved = { action: 'compareUnsaved', label: 'Compare' } as const;

for (const width of [220, 300, 900])
  describe(`at ${width} px`, () => {
    test('the end of a turn says how much it changed, and what can be done about it, with its duration', async () => {
      const opened = await shoot(host, `changes-${width}`, { view, width });
      const line = opened.page.locator('.turn-end-line');
      for (const name of ['44 files +118 −12', 'Review', 'Undo']) await assertOnScreen(line.getByRole('button', { name, exact: true }));
      await assertOnScreen(line.getByText('54 s'));
      await line.getByRole('button', { name: '44 files' }).click();
      const rows = opened.page.getByRole('listitem');
      await assertOnScreen(rows.getByRole('button', { name: 'parser.ts', exact: true }));
      await assertOnScreen(rows.getByRole('button', { name: 'lenientReader.ts', exact: true }));
      await assertOnScreen(rows.getByText('created · may be yours'));
      await assertOnScreen(opened.page.getByText('and 39 more'));
      await assertReachable(opened);
      assert.deepEqual(await stickingOut(opened), []);
      await shootAgain(opened, `changes-open-${width}`);
      await opened.showTheme('light2026');
      await shootAgain(opened, `changes-open-${width}-light`);
      await opened.close();
    });

    test('the end of a turn in a shared folder has room for that word', async () => {
      const changes = changesView({ counts: { files: '44 files, shared', added: 118, removed: 12 } });
      const opened = await shoot(host, `changes-shared-${width}`, { view: emptyView({ items: [turnEndItem('e1', { changes })] }), width });
      const line = opened.page.locator('.turn-end-line');
      for (const name of ['44 files, shared +118 −12', 'Review', 'Undo'])
        await assertOnScreen(line.getByRole('button', { name, exact: true }));
      assert.deepEqual(await stickingOut(opened), []);
      await opened.close();
    });

    test('what was changed under unsaved text is one line above that', async () => {
      const unsaved = { text: 'recursiveDescentParser.ts was changed under your unsaved text', buttons: [compareUnsaved] };
      const opened = await shoot(host, `changes-unsaved-${width}`, { view: { ...view, unsaved }, width });
      const line = opened.page.getByRole('region', { name: unsaved.text });
      await assertOnScreen(line.getByRole('button', { name: 'Compare' }));
      await line.getByRole('button', { name: 'Compare' }).click();
      assert.deepEqual(await opened.message('action'), { type: 'action', action: 'compareUnsaved' });
      assert.deepEqual(await stickingOut(opened), []);
      await opened.showTheme('light2026');
      await shootAgain(opened, `changes-unsaved-${width}-light`);
      await opened.patch({ op: 'unsaved', unsaved: null });
      await line.waitFor({ state: 'detached' });
      await opened.close();
    });

    test('what is to be reviewed is one line above the composer, and leaves Stop in view', async () => {
      const opened = await shoot(host, `changes-to-review-${width}`, { view: richView({ plans: [] }), width, height: 420 });
      const bar = opened.page.getByRole('region', { name: '44 files to review' });
      await assertOnScreen(bar.getByRole('button', { name: 'Previous File' }));
      await assertOnScreen(bar.getByRole('button', { name: 'Next File' }));
      await assertOnScreen(bar.getByRole('button', { name: 'Review All' }));
      await assertOnScreen(bar.getByRole('button', { name: 'Mark as Reviewed' }));
      await assertOnScreen(opened.page.getByRole('button', { name: 'Stop', exact: true }).last());
      assert.ok(((await bar.boundingBox())?.height ?? Infinity) < 30);
      assert.deepEqual(await stickingOut(opened), []);
      if (width > 220) assert.equal(await bar.locator('.review-text').evaluate(visibleWords), '44 files to review');
      // A side bar of 220 px, with its borders.
      else await opened.page.setViewportSize({ width: 205, height: 420 });
      assert.match(await bar.locator('.review-text').evaluate(visibleWords), /^44 files/);
      await opened.close();
    });
  });

test('a request in a low page gets the space of what is to be reviewed', async () => {
  const opened = await host.open({ view: richView({ prompts: [permissionPrompt()] }), width: 300, height: 500 });
  await opened.page.locator('.prompt').waitFor();
  assert.equal(await opened.page.locator('.review').isVisible(), false);
  await opened.close();
});

test('buttons send the turn and the file that they are for', async () => {
  const opened = await host.open({ view });
  const { page } = opened;
  await page.getByRole('button', { name: 'Review', exact: true }).click();
  await page.getByRole('button', { name: 'Undo', exact: true }).click();
  await page.getByRole('button', { name: '44 files' }).click();
  await page.getByRole('button', { name: 'parser.ts', exact: true }).click();
  await page.getByRole('button', { name: 'Open Diff: docs/old notes.md' }).click();
  await page.getByRole('button', { name: 'Undo File: src/parser.ts' }).click();
  await page.getByRole('button', { name: 'Redo File: src/tokens.ts' }).click();
  await page.getByRole('button', { name: 'Review All' }).click();
  await page.getByRole('button', { name: 'Mark as Reviewed' }).click();
  assert.equal(await page.getByRole('button', { name: 'Undo File: .env' }).count(), 0);
  const sent = (await opened.messages()).filter(({ type }) => ['action', 'openChange', 'undoFile', 'redoFile'].includes(type));
  assert.deepEqual(sent, [
    { type: 'action', action: 'reviewChanges', itemId: 'e1' },
    { type: 'action', action: 'undoTurn', itemId: 'e1' },
    { type: 'openChange', itemId: 'e1', path: 'src/parser.ts' },
    { type: 'openChange', itemId: 'e1', path: 'docs/old notes.md' },
    { type: 'undoFile', itemId: 'e1', path: 'src/parser.ts' },
    { type: 'redoFile', itemId: 'e1', path: 'src/tokens.ts' },
    { type: 'action', action: 'reviewChanges' },
    { type: 'action', action: 'markReviewed' },
  ]);
  await opened.assertClean();
  await opened.close();
});

test('what is done about a file or a turn changes only their own parts, and the keyboard focus stays there', async () => {
  const opened = await host.open({ view });
  const { page } = opened;
  await page.getByRole('button', { name: '44 files' }).click();
  const other = await page.getByRole('listitem').nth(1).elementHandle();
  await page.getByRole('button', { name: 'Undo File: src/parser.ts' }).press('Enter');
  const [first, ...rest] = changesView().files;
  assert.ok(first !== undefined);
  const files = [{ ...first, notes: ['undone'], isUndone: true as const }, ...rest];
  await opened.patch({ op: 'item', item: turnEndItem('e1', { changes: changesView({ files }) }) });
  await page.locator('button:focus', { has: page.locator('.codicon-redo') }).waitFor();
  assert.equal(await page.evaluate(() => document.activeElement?.getAttribute('aria-label')), 'Redo File: src/parser.ts');
  assert.equal(await other?.evaluate((node) => node.isConnected), true);
  assert.equal(await page.getByRole('button', { name: '44 files' }).getAttribute('aria-expanded'), 'true');

  await page.getByRole('button', { name: 'Undo', exact: true }).press('Enter');
  const undone = changesView({ files, isUndone: true, buttons: [{ action: 'redoTurn', label: 'Redo' }] });
  await opened.patch({ op: 'item', item: turnEndItem('e1', { changes: undone }) });
  await assertOnScreen(page.getByText(/Undone\b/));
  assert.equal(await page.evaluate(() => document.activeElement?.textContent), 'Redo');
  await opened.close();
});

test('a turn that ended with words has them below what it changed', async () => {
  const item = turnEndItem('e1', {
    severity: 'error',
    text: 'Interrupted: the agent exited. Output so far was saved.',
    changes: changesView(),
  });
  const opened = await shoot(host, 'changes-interrupted', { view: emptyView({ items: [item] }), width: 300 });
  const [head, words] = await Promise.all(
    [opened.page.locator('.changes-head'), opened.page.getByText('Interrupted')].map((locator) => locator.boundingBox()),
  );
  assert.ok(head !== null && head !== undefined && words !== null && words !== undefined && head.y + head.height <= words.y + 1);
  await opened.close();
});

test('while a turn runs, a wide page counts what it has changed so far, and a narrow one leaves that out', async () => {
  const counts = (width: number) => host.open({ view: richView(), width });
  const [wide, narrow] = [await counts(420), await counts(300)];
  await assertOnScreen(wide.page.locator('.wait').getByText('2 files'));
  await narrow.page.locator('.wait').waitFor();
  assert.equal(await narrow.page.locator('.wait > .counts').isVisible(), false);
  await wide.close();
  await narrow.close();
});

/** Returns the words that are inside the box of the element as a whole. Runs in the browser. */
function visibleWords(element: Element): string {
  const box = element.getBoundingClientRect();
  const text = element.firstChild;
  if (text === null) return '';
  const range = document.createRange();
  const words = [...(text.textContent ?? '').matchAll(/\S+/g)].filter(({ index, 0: word }) => {
    range.setStart(text, index);
    range.setEnd(text, index + word.length);
    const { right, bottom } = range.getBoundingClientRect();
    return right <= box.right + 0.5 && bottom <= box.bottom + 0.5;
  });
  return words.map(([word]) => word).join(' ');
}
