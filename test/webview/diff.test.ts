/** Changes of files: complete, fast, and readable. */
import assert from 'node:assert/strict';
import path from 'node:path';
import { describe, test } from 'node:test';
import { screenshotFolder, type OpenPage } from './harness.js';
import { assertOnScreen } from './onScreen.js';
import { hostForTests } from './pageTests.js';
import { emptyView, permissionPrompt, richView, toolItem } from './views.js';

const host = hostForTests();

const large = Array.from({ length: 20_000 }, (_, line) => `export const value${line} = ${line};`);
const openLarge = (): Promise<OpenPage> =>
  host.open({
    view: emptyView({
      prompts: [
        permissionPrompt({
          toolKind: 'edit',
          parts: [{ type: 'diff', diff: { path: '/p/a.ts', newText: large.join('\n'), added: large.length, removed: 0 } }],
        }),
      ],
    }),
  });
/** Returns what is visible at the center of an element. */
const atMiddle = ({ page }: OpenPage, text: string) =>
  page.evaluate((wanted) => {
    const line = [...document.querySelectorAll('.diff-text')].find(({ textContent }) => textContent === wanted);
    if (line === undefined) return undefined;
    const { left, top, height } = line.getBoundingClientRect();
    return document.elementFromPoint(left + 4, top + height / 2)?.closest('.diff-text')?.textContent;
  }, text);

const edited = {
  path: '/p/src/parser.ts',
  oldText: `import { tokenize } from './lexer.js';\n\n/** Reads a list. */\nexport function parse(text: string): Node {\n  const tokens = tokenize(text);\n  return readNode(tokens, 0);\n}\n`,
  newText: `import { tokenize } from './lexer.js';\n\n/** Reads a list. */\nexport function parse(text: string): Node {\n  const tokens = tokenize(text, { comments: true });\n  if (tokens.length === 0) return empty; // nothing\n  return readNode(tokens, 0);\n}\n`,
  added: 2,
  removed: 1,
};

describe('a large change in a permission', () => {
  test('every line can be reached, although only the visible ones are rendered', async () => {
    const opened = await openLarge();
    const dialog = opened.page.getByRole('dialog');
    await dialog.getByText('export const value0 = 0;').waitFor();
    const text = await opened.page.evaluate(() => document.querySelector('.diff-lines')?.textContent ?? '');
    assert.equal(large.filter((line) => !text.includes(line)).length, 0);
    assert.ok((await opened.page.locator('.diff-line').count()) < 2_000);
    await opened.page.locator('.prompt-body').evaluate((body) => body.scrollTo(0, body.scrollHeight));
    const last = opened.page.locator('.diff-text').getByText('export const value19999 = 19999;', { exact: true });
    await last.waitFor();
    await last.scrollIntoViewIfNeeded();
    assert.equal(await atMiddle(opened, large.at(-1) ?? ''), large.at(-1));
    await opened.page.locator('.prompt-body').evaluate((body) => body.scrollTo(0, body.scrollHeight / 2));
    await opened.page.locator('.diff-text').getByText('export const value10000 = 10000;', { exact: true }).waitFor();
    await opened.assertClean();
    await opened.close();
  });
});

describe('a change in a permission that is too small to show all of it', () => {
  const risky = { parts: [{ type: 'diff' as const, diff: edited }], toolTitle: undefined, context: [], rawInput: undefined };
  const change = (opened: OpenPage) => opened.page.locator('.diff-line.removed').first();
  const open = (risks: string[]): Promise<OpenPage> =>
    host.open({ view: emptyView({ prompts: [permissionPrompt({ ...risky, toolKind: 'edit', risks })] }), width: 260, height: 500 });

  test('what changes is in view, with the name of the file', async () => {
    const opened = await open([]);
    await assertOnScreen(change(opened));
    await assertOnScreen(opened.page.getByRole('dialog').getByText('/p/src/parser.ts'));
    await opened.close();
  });

  test('what replaces it is in view, too, in the chat view of a low window', async () => {
    const oldText = Array.from({ length: 60 }, (_, line) => `export const value${line} = ${line};\n`).join('');
    const diff = { path: 'a.js', oldText, newText: oldText.replace('= 3;', '= 33;'), added: 1, removed: 1 };
    const opened = await host.open({
      view: richView({
        queue: [],
        prompts: [permissionPrompt({ ...risky, toolKind: 'edit', risks: [], parts: [{ type: 'diff', diff }] })],
      }),
      width: 297,
      height: 318,
    });
    const below = await opened.page
      .locator('.diff-line.added')
      .first()
      .evaluate((line) => line.getBoundingClientRect().bottom - (line.closest('.prompt-body')?.getBoundingClientRect().bottom ?? 0));
    assert.ok(below <= 0, `${below} px are below`);
    await opened.close();
  });

  test('what it warns about is in view', async () => {
    const opened = await open(['Lies outside of the folder']);
    await assertOnScreen(opened.page.getByText('Lies outside of the folder'));
    await opened.close();
  });
});

describe('a change', () => {
  test('it has line numbers, syntax colors and marks for changed parts', async () => {
    const opened = await host.open({
      view: emptyView({ prompts: [permissionPrompt({ toolKind: 'edit', parts: [{ type: 'diff', diff: { ...edited, firstLine: 41 } }] })] }),
    });
    const { page } = opened;
    assert.deepEqual(await page.locator('.diff-number').allTextContents(), ['42', '43', '44', '45', '45', '46', '47', '48']);
    assert.deepEqual(await page.locator('.diff-part').allTextContents(), [', { comments: true }']);
    await page.waitForFunction(() => [...CSS.highlights.values()].some(({ size }) => size > 0));
    await opened.assertClean();
    await opened.close();
  });

  test('in a card, all of it is shown on demand', async () => {
    const diff = { path: '/p/a.ts', newText: large.join('\n'), added: large.length, removed: 0 };
    const opened = await host.open({
      view: emptyView({
        items: [toolItem('edit', { toolKind: 'edit', verb: 'Edit', status: 'in_progress', statusText: 'running', diffs: [diff] })],
      }),
    });
    const { page } = opened;
    const button = page.getByRole('button', { name: 'Show all 20000 lines' });
    await button.waitFor();
    assert.ok((await page.locator('.diff-line').count()) <= 200);
    await button.click();
    await page.waitForFunction(() => document.querySelector('.diff-lines')?.textContent?.includes('value19999 ') === true);
    assert.ok((await page.locator('.diff-line').count()) < 2_000);
    await opened.assertClean();
    await opened.close();
  });

  test('it has no accessibility violation', async () => {
    for (const [theme, width] of [
      ['dark', 420],
      ['light', 420],
      ['dark', 260],
      ['highContrast', 420],
    ] as const) {
      const opened = await host.open({
        theme,
        width,
        view: emptyView({
          prompts: [
            permissionPrompt({
              title: 'Change a file?',
              toolTitle: 'replace',
              toolKind: 'edit',
              parts: [{ type: 'diff', diff: { ...edited, firstLine: 141 } }],
            }),
          ],
        }),
      });
      await opened.page.waitForFunction(() => [...CSS.highlights.values()].some(({ size }) => size > 0));
      await opened.page.screenshot({ path: path.join(screenshotFolder, `diff-${theme}-${width}.png`) });
      assert.equal(await opened.page.locator('.prompt-body').evaluate((body) => body.scrollWidth <= body.clientWidth), true);
      await opened.close();
    }
  });
});
