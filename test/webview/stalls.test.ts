/** Text that only a model that repeats itself would write: the page stays responsive, and shows all of it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hostForTests } from './pageTests.js';
import { agentItem, emptyView, toolItem } from './views.js';

const host = hostForTests();

const many = (piece: string, length: number): string => piece.repeat(length / piece.length);

const texts: Readonly<Record<string, string>> = {
  'emphasis that never ends': many('_a **b', 40_002),
  'underscores in words': many('a_', 40_000),
  'code spans without number': many('`a ', 40_002),
  'marks without number on one letter': `a${many('\u0301', 20_000)}`,
  'the same in code': `\`\`\`\na${many('\u0301', 20_000)}`,
  'foldable parts in one another': `${many('<details open>\n\n', 32_000)}${'end '.repeat(8_000)}`,
  'quotes in quotes': `${many('> ', 20_000)}end`,
};

for (const [name, text] of Object.entries(texts)) {
  test(name, async () => {
    const opened = await host.open({ view: emptyView({ items: [agentItem('a', 'Begin.\n\n', true)] }) });
    await opened.page.getByText('Begin.').waitFor();
    const longestMs = await opened.page.evaluate(async (added) => {
      let longest = 0;
      new PerformanceObserver((list) => {
        for (const { duration } of list.getEntries()) longest = Math.max(longest, duration);
      }).observe({ type: 'longtask' });
      await window.deliver({ type: 'patch', revision: 2, ops: [{ op: 'append', id: 'a', text: `${added}\n\n` }] });
      const shown = (): number => document.querySelector('.agent .markdown')?.textContent.length ?? 0;
      while (shown() < added.replace(/<[^>]*>/g, '').trim().length * 0.9) await new Promise((resolve) => requestAnimationFrame(resolve));
      return longest;
    }, text);
    assert.ok(longestMs < 500, `the page stood still for ${Math.round(longestMs)} ms`);
    await opened.assertClean();
    await opened.close();
  });
}

test('combining marks on a letter are copied exactly', async () => {
  const text = `a${many('\u0301', 200)}`;
  const opened = await host.open({ view: emptyView({ items: [agentItem('a', text)] }) });
  await opened.page.locator('.agent wbr').first().waitFor({ state: 'attached' });
  assert.equal(await opened.page.locator('.agent .markdown').textContent(), text);
  await opened.close();
});

test('output of a tool that is one long line', async () => {
  const running = toolItem('t', { toolKind: 'execute', status: 'in_progress', statusText: 'running', output: 'Begin' });
  const opened = await host.open({ view: emptyView({ items: [running] }) });
  const longestMs = await opened.page.evaluate(
    async (piece) => {
      let longest = 0;
      new PerformanceObserver((list) => {
        for (const { duration } of list.getEntries()) longest = Math.max(longest, duration);
      }).observe({ type: 'longtask' });
      for (let revision = 2; revision < 12; revision++) {
        await window.deliver({ type: 'patch', revision, ops: [{ op: 'append', id: 't', text: piece }] });
        await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
      }
      return longest;
    },
    many('{"a":1},', 800_000),
  );
  assert.ok(longestMs < 500, `the page stood still for ${Math.round(longestMs)} ms`);
  await opened.page.getByRole('button', { name: 'Open in editor' }).click();
  assert.deepEqual(await opened.message('openRaw'), { type: 'openRaw', id: 't', part: 'output' });
  await opened.page.getByRole('button', { name: 'Copy output' }).click();
  assert.equal((await opened.message('copy')).text.length, 8_000_005);
  await opened.close();
});
