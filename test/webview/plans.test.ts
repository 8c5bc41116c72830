/** Plans of the agent: steps above the composer, and texts in the conversation. */
import assert from 'node:assert/strict';
import path from 'node:path';
import { describe, test } from 'node:test';
import { screenshotFolder } from './harness.js';
import { assertOnScreen } from './onScreen.js';
import { hostForTests } from './pageTests.js';
import { emptyView } from './views.js';

const host = hostForTests();
const markdown = `# Tolerant parser\n\nThe parser **stops** at a trailing comma.\n\n${Array.from({ length: 12 }, (_, index) => `${index + 1}. Step of \`parser.ts\``).join('\n')}\n\nThat is all.`;
const plan = { kind: 'plan', id: 'p', title: 'Plan', markdown, at: 0 } as const;
const entry = (content: string) => ({ content, priority: 'medium', status: 'pending' }) as const;
const view = emptyView({
  items: [
    { kind: 'user', id: 'u', text: 'make a plan', attachments: [], at: 0 },
    plan,
    { ...plan, id: 'q', title: 'Plan, withdrawn', markdown: 'Only one line.', path: '/workspace/plan.md' },
    { kind: 'agent', id: 'a', markdown: 'Shall I begin?', attachments: [], open: false, at: 0 },
  ],
  plans: [[entry('Read the parser'), entry('Change it')], [entry('Write the tests')]],
});

describe('plans', () => {
  for (const theme of ['light', 'dark'] as const) {
    for (const width of [300, 700]) {
      test(`a plan in Markdown shows its first lines at ${width} px, ${theme}`, async () => {
        const opened = await host.open({ view, width, height: 640, theme });
        await assertOnScreen(opened.page.getByRole('heading', { name: 'Tolerant parser' }));
        await opened.page.screenshot({ path: path.join(screenshotFolder, `plans-${width}-${theme}.png`) });
        const item = opened.page.getByRole('article', { name: 'Plan', exact: true });
        const height = async (): Promise<number> => (await item.boundingBox())?.height ?? 0;
        const folded = await height();
        await item.getByRole('button', { name: 'Show more' }).click();
        assert.ok((await height()) > folded + 50);
        await item.getByRole('button', { name: 'Show less' }).click();
        assert.equal(await height(), folded);
        await opened.close();
      });
    }
  }

  for (const height of [130, 145])
    test(`at a height of ${height} px, the steps leave the answer in sight`, async () => {
      const done = { ...entry('Read the parser and all of its tests'), status: 'completed' } as const;
      const steps = [done, { ...done, status: 'in_progress', content: 'Change it' } as const, entry('Write the tests')];
      const opened = await host.open({ view: { ...view, plans: [steps] }, width: 220, height });
      await assertOnScreen(opened.page.getByText('Shall I begin?'));
      await opened.close();
    });

  test('a plan opens as a document, or as its file', async () => {
    const opened = await host.open({ view });
    await opened.page.getByRole('article', { name: 'Plan', exact: true }).getByRole('button', { name: 'Open' }).click();
    assert.deepEqual(await opened.message('openRaw'), { type: 'openRaw', id: 'p', part: 'output' });
    await opened.page.getByRole('article', { name: 'Plan, withdrawn' }).getByRole('button', { name: 'Open' }).click();
    assert.deepEqual(await opened.message('openLocation'), { type: 'openLocation', path: '/workspace/plan.md' });
    await opened.close();
  });

  test('several plans stand one below the other', async () => {
    const opened = await host.open({ view });
    assert.equal(await opened.page.getByRole('region', { name: 'Plan of the agent' }).count(), 2);
    await opened.patch({ op: 'plans', plans: [] });
    assert.equal(await opened.page.getByRole('region', { name: 'Plan of the agent' }).count(), 0);
    await opened.close();
  });
});
