/** A request for a file with unsaved changes, and one whose file changes meanwhile. Screenshots are saved in out/screenshots for review. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PermissionPromptView } from '../../src/contract/view.js';
import { assertOnScreen, stickingOut } from './onScreen.js';
import { hostForTests, shoot } from './pageTests.js';
import { decisions, openPrompts, pass } from './promptPage.js';
import { emptyView, permissionPrompt } from './views.js';

const host = hostForTests();

const diff = {
  path: '/p/src/parser.ts',
  label: 'src/parser.ts',
  oldText: 'const a = 1;\nconst b = 2;\nconst c = 3;\nconst d = 4;\n',
  newText: 'const a = 1;\nconst b = 2;\nconst c = 33;\nconst d = 4;\n',
  firstLine: 118,
  added: 1,
  removed: 1,
};
const unsaved = {
  text: 'src/parser.ts has unsaved changes',
  files: [{ path: '/p/src/parser.ts', label: 'src/parser.ts' }],
  allows: 'yes',
} satisfies PermissionPromptView['unsaved'];

function editPrompt(changes: Partial<PermissionPromptView> = {}): PermissionPromptView {
  const { options, ...prompt } = permissionPrompt({
    title: 'Edit src/parser.ts?',
    toolKind: 'edit',
    risks: [],
    context: [],
    drawn: 'first',
  });
  const { toolTitle: _, rawInput: __, ...rest } = prompt;
  const isUnsaved = changes.unsaved !== undefined;
  return {
    ...rest,
    parts: [{ type: 'diff', diff }],
    options: options.map((option) =>
      isUnsaved && option.optionId === 'yes' ? { ...option, kind: 'Allow Anyway', primary: false } : option,
    ),
    ...changes,
  };
}

test('unsaved changes are named above what the host offers for them, and the digit of the option stays', async () => {
  const opened = await openPrompts(host, [editPrompt({ unsaved })]);
  const { page } = opened;
  const group = page.getByRole('group', { name: 'Unsaved changes' });
  await assertOnScreen(group.getByText('src/parser.ts has unsaved changes'));
  const save = group.getByRole('button', { name: 'Save and Allow' });
  await save.click({ force: true });
  await group.getByRole('button', { name: 'Compare' }).click();
  assert.deepEqual(await decisions(opened), [], 'it can be decided after a moment');
  await pass(opened);
  await save.click();
  const sent = (await opened.messages()).filter(({ type }) => type === 'saveAndSelect' || type === 'compareWithSaved');
  assert.deepEqual(sent, [
    { type: 'compareWithSaved', promptId: 'ask-1', path: '/p/src/parser.ts' },
    { type: 'saveAndSelect', promptId: 'ask-1', drawn: 'first', optionId: 'yes' },
  ]);
  await page.getByRole('dialog').focus();
  await page.keyboard.press('1');
  assert.deepEqual(await decisions(opened), [{ type: 'select', promptId: 'ask-1', drawn: 'first', optionId: 'yes' }]);
  await opened.assertClean();
  await opened.close();
});

test('Enter on the request saves and allows nothing', async () => {
  const opened = await openPrompts(host, [editPrompt({ unsaved })]);
  await pass(opened);
  await opened.page.getByRole('dialog').focus();
  await opened.page.keyboard.press('Enter');
  assert.deepEqual(await decisions(opened), []);
  assert.ok((await opened.messages()).every(({ type }) => type !== 'saveAndSelect'));
  await opened.close();
});

test('a request that is drawn anew can be decided a moment later, and consents to what is drawn', async () => {
  const opened = await openPrompts(host, [editPrompt()]);
  const { page } = opened;
  await pass(opened);
  const note = 'The file has changed since the agent asked.';
  const moved = { type: 'diff', diff: { ...diff, firstLine: 218 } } as const;
  await opened.patch({ op: 'prompts', prompts: [editPrompt({ parts: [moved], drawn: 'second', note })] });
  await page.getByText(note).waitFor();
  await page.getByText('220').first().waitFor();
  await page.getByRole('dialog').focus();
  await page.keyboard.press('1');
  assert.deepEqual(await decisions(opened), []);
  await pass(opened);
  await page.keyboard.press('1');
  assert.deepEqual(await decisions(opened), [{ type: 'select', promptId: 'ask-1', drawn: 'second', optionId: 'yes' }]);
  await opened.close();
});

test('a change without a known place has no line numbers, and says why', async () => {
  const { firstLine: _, ...rest } = diff;
  const part = { type: 'diff', diff: { ...rest, isUnnumbered: true }, note: 'Fits in 3 places: lines 4, 20, 31' } as const;
  const opened = await openPrompts(host, [editPrompt({ parts: [part] })]);
  await assertOnScreen(opened.page.getByText('Fits in 3 places: lines 4, 20, 31'));
  assert.equal(await opened.page.locator('.diff-number').first().isVisible(), false);
  await opened.assertClean();
  await opened.close();
});

test('at every width, nothing sticks out, and what is unsaved is in view with the options', async () => {
  const note = 'Fits the saved file, not the unsaved changes';
  const long = { ...unsaved, text: 'src/a/long/way/to/the/parser.ts and src/other.ts have unsaved changes' };
  const files = [...unsaved.files, { path: '/p/src/other.ts', label: 'src/other.ts' }];
  for (const [name, prompt] of [
    ['one', editPrompt({ unsaved })],
    ['two', editPrompt({ unsaved: { ...long, files }, parts: [{ type: 'diff', diff, note }] })],
  ] as const)
    for (const [theme, width] of [
      ['light', 300],
      ['dark', 300],
      ['dark', 700],
      ['highContrast', 300],
    ] as const) {
      const opened = await shoot(host, `unsaved-${name}-${theme}-${width}`, {
        theme,
        width,
        height: 600,
        view: emptyView({ prompts: [prompt] }),
      });
      assert.deepEqual(await stickingOut(opened), []);
      await assertOnScreen(opened.page.getByRole('button', { name: 'Save and Allow' }));
      await assertOnScreen(opened.page.getByRole('button', { name: 'Allow Anyway' }));
      await opened.close();
    }
});
