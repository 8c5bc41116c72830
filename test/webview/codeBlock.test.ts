/** Blocks of code in an answer: their colors, and what can be done with them. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { startPageHost, type PageHost } from './harness.js';
import { assertOnScreen } from './onScreen.js';
import { agentItem, emptyView } from './views.js';

let host: PageHost;
before(async () => {
  host = await startPageHost();
});
after(() => host.close());

describe('a block of code', () => {
  test('colours code through ranges, in the lazy chunk, under the policy', async () => {
    const opened = await host.openAnswer('```ts\nexport const answer: number = 42; // why\n```\n');
    await opened.page.waitForFunction(() => (CSS.highlights.get('code-keyword')?.size ?? 0) > 0);
    const coloured = await opened.page.evaluate(() =>
      Object.fromEntries(
        [...CSS.highlights.entries()].map(([name, ranges]) => [
          name,
          [...ranges].map((range) => range.startContainer.textContent?.slice(range.startOffset, range.endOffset)),
        ]),
      ),
    );
    assert.deepEqual(coloured['code-keyword'], ['export', 'const']);
    assert.deepEqual(coloured['code-number'], ['42']);
    assert.deepEqual(coloured['code-comment'], ['// why']);
    assert.equal(await opened.page.locator('pre code *:not(.code-piece)').count(), 0);
    await opened.assertClean();
    await opened.close();
  });

  test('copies code as it was written, also a long block that grew', async () => {
    const lines = Array.from({ length: 200 }, (_, line) => `line ${line}`);
    const opened = await host.open({ view: emptyView({ items: [agentItem('a1', '```\n', true)] }) });
    for (const line of lines) await opened.patch({ op: 'append', id: 'a1', text: `${line}\n` });
    await opened.patch({ op: 'append', id: 'a1', text: '```\n' });
    await opened.page.getByText('line 199').waitFor();
    await opened.page.getByRole('button', { name: 'Copy code' }).click();
    assert.equal((await opened.message('copy')).text, lines.join('\n'));
    await opened.close();
  });

  test('brings code to the editor', async () => {
    const opened = await host.openAnswer('```ts\nconst a = 1;\n```\n');
    const block = opened.page.locator('.agent .code-block');
    await block.hover();
    for (const [name, type] of [
      ['Insert into Editor', 'insertCode'],
      ['Compare with Editor', 'compareCode'],
    ] as const) {
      await assertOnScreen(block.getByRole('button', { name }));
      await block.getByRole('button', { name }).click();
      assert.deepEqual(await opened.message(type), { type, text: 'const a = 1;' });
    }
    await opened.assertClean();
    await opened.close();
  });
});
