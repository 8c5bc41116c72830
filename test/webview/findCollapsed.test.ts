/** Finding text in what is collapsed: thoughts, tool calls, sections. It is expanded when the user gets there. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ItemView } from '../../src/contract/view.js';
import { counted, openAndFind, see, words } from './findPage.js';
import type { OpenPage } from './harness.js';
import { hostForTests } from './pageTests.js';
import { agentItem, emptyView, noon, toolItem, userItem } from './views.js';

const host = hostForTests();

const filler = (count: number) => Array.from({ length: count }, (_, index) => userItem(`u${index}`, `Hay ${index}`));
const thought = (id: string, text: string): ItemView => ({ kind: 'thought', id, text, open: false, startedAt: noon, endedAt: noon + 4000 });
const lines = (count: number, word: string) => Array.from({ length: count }, (_, index) => `${word} ${index}`).join('\n');
const run = (id: string, output: string) => toolItem(id, { toolKind: 'execute', verb: 'Run', target: 'make', locations: [], output });
const findIn = (items: ItemView[], text: string) => openAndFind(host, emptyView({ items }), text);
const surroundings = ({ page }: OpenPage) =>
  page.evaluate(() => {
    const range = [...(CSS.highlights.get('found-current') ?? [])][0];
    return range instanceof Range ? range.startContainer.textContent : undefined;
  });

async function stepTo(opened: OpenPage, key: 'Enter' | 'Shift+Enter', count: string, text: string): Promise<void> {
  await words(opened).press(key);
  await counted(opened, count);
  await see(opened, 'needle');
  assert.match((await surroundings(opened)) ?? '', new RegExp(text));
}

async function end(opened: OpenPage): Promise<void> {
  await opened.assertClean();
  await opened.close();
}

test('a match in a collapsed thought is counted, and going to it expands the thought', async () => {
  const items = [thought('t', 'There is a **needle** in snake_case.\n\nAnd one more needle.'), ...filler(9), userItem('a', 'A needle.')];
  const opened = await findIn(items, 'needle');
  await counted(opened, '3 of 3');
  const body = opened.page.locator('.thought-body');
  assert.equal(await body.isVisible(), false);
  await stepTo(opened, 'Shift+Enter', '2 of 3', 'one more');
  await stepTo(opened, 'Shift+Enter', '1 of 3', '^needle$');
  await words(opened).fill('snake_case');
  await counted(opened, '1 of 1');
  await end(opened);
});

test('matches in collapsed tool output are found, also in lines that the card leaves out', async () => {
  const output = `The first needle\n${lines(200, 'line')}\nThe last needle\n`;
  const opened = await findIn([userItem('a', 'A needle.'), run('r', output), ...filler(30)], 'needle');
  await counted(opened, '1 of 3');
  await see(opened, 'needle');
  await stepTo(opened, 'Enter', '2 of 3', 'The first');
  await stepTo(opened, 'Enter', '3 of 3', 'The last');
  await stepTo(opened, 'Shift+Enter', '2 of 3', 'The first');
  await end(opened);
});

test('going to newer matches leads to the first one of a collapsed part', async () => {
  const items = [userItem('a', 'A needle.'), thought('t', 'A second needle.\n\nA third needle.'), userItem('b', 'The newest needle.')];
  const opened = await findIn(items, 'needle');
  await counted(opened, '1 of 4');
  await stepTo(opened, 'Enter', '2 of 4', 'second');
  await stepTo(opened, 'Enter', '3 of 4', 'third');
  await stepTo(opened, 'Enter', '4 of 4', 'newest');
  await stepTo(opened, 'Enter', '1 of 4', 'A needle');
  await end(opened);
});

test('matches in collapsed reads, sections of an answer and notices are found', async () => {
  const reads = [toolItem('x'), toolItem('y', { output: 'A needle in a file.' }), toolItem('z')];
  const notice: ItemView = {
    kind: 'notice',
    id: 'n',
    severity: 'info',
    title: 'Settings changed',
    description: 'A needle.',
    folds: true,
    buttons: [],
    at: noon,
  };
  const section = agentItem('a', '<details><summary>More</summary>\n\nA needle in a section.\n\n</details>');
  const opened = await findIn([...reads, section, notice], 'needle');
  await counted(opened, '1 of 3');
  await see(opened, 'needle');
  assert.match((await surroundings(opened)) ?? '', /in a file/);
  await stepTo(opened, 'Enter', '2 of 3', 'in a section');
  await stepTo(opened, 'Enter', '3 of 3', 'A needle');
  await end(opened);
});

test('changed lines of a tool call are found, but not the unchanged ones between them', async () => {
  const rows = lines(400, 'row');
  const edit = toolItem('e', {
    toolKind: 'edit',
    verb: 'Edit',
    diffs: [
      {
        path: '/project/src/e.ts',
        oldText: `${rows}\nold needle\nneedle x\n${rows}`,
        newText: `${rows}\nnew\nneedle x\n${rows}`,
        added: 1,
        removed: 1,
      },
      { path: '/project/src/f.ts', newText: `${rows}\nadded needle\n`, added: 401, removed: 0 },
    ],
  });
  const opened = await findIn([edit, ...filler(30)], 'added needle');
  await counted(opened, '1 of 1');
  await see(opened, 'added needle');
  await words(opened).fill('old needle');
  await counted(opened, '1 of 1');
  await see(opened, 'old needle');
  await end(opened);
});

test('raw input, which repeats the card, is only searched while it is expanded', async () => {
  const call = toolItem('r', { output: 'Hay.', target: 'needle.ts', rawInput: '{ "path": "needle.ts" }' });
  const opened = await findIn([call, ...filler(30)], 'needle');
  await counted(opened, '1 of 1');
  await opened.page.locator('.tool-toggle').click();
  await opened.page.getByText('Input as sent').click();
  await counted(opened, '1 of 2');
  await end(opened);
});

test('matches in collapsed parts of items that are not rendered yet are found', async () => {
  const items = [thought('t', 'A needle.'), ...filler(120), run('r', `A needle\n${lines(30, 'line')}`), ...filler(200)];
  const opened = await findIn(items, 'needle');
  await counted(opened, '1 of 2');
  await see(opened, 'needle');
  assert.equal(await opened.page.locator('.thought-body').isVisible(), true);
  await stepTo(opened, 'Enter', '2 of 2', 'A needle');
  await end(opened);
});

test('a part whose Markdown matches but whose text does not is skipped', async () => {
  const items = [userItem('a', 'A nee and a dle.'), thought('t', 'nee*\\*dle'), userItem('b', 'needle')];
  const opened = await findIn(items, 'needle');
  await counted(opened, '1 of 1');
  await see(opened, 'needle');
  await end(opened);
});
