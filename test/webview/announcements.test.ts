/** What screen readers announce: the end of a turn, once, and what prevents the conversation from continuing. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { BannerView, ItemView } from '../../src/contract/view.js';
import { hostForTests } from './pageTests.js';
import { agentItem, emptyView, noon, permissionPrompt, userItem } from './views.js';

const host = hostForTests();

const turnEnd = (id: string, text?: string): ItemView => ({
  kind: 'turn_end',
  id,
  severity: text === undefined ? 'info' : 'error',
  ...(text === undefined ? {} : { text }),
  durationMs: 2_000,
  files: [],
  buttons: [],
  at: noon,
});
const earlier: readonly ItemView[] = [userItem('u1', 'one'), agentItem('a1', 'The first answer.'), turnEnd('e1', 'The first error')];

describe('the end of a turn', () => {
  test('it is not announced with the answer of an earlier turn', async () => {
    const opened = await host.open({ view: emptyView({ items: [...earlier, userItem('u2', 'two')] }) });
    await opened.patch({ op: 'item', item: turnEnd('e2', 'The second error') });
    assert.equal(await opened.page.locator('[role=status].sr-only').textContent(), 'The second error');
    await opened.close();
  });

  test('it is announced once, with its own answer', async () => {
    const opened = await host.open({ view: emptyView({ items: [...earlier, userItem('u2', 'two')] }) });
    const spoken = opened.page.locator('[role=status].sr-only');
    await opened.patch({ op: 'item', item: agentItem('a2', 'The second answer.') }, { op: 'item', item: turnEnd('e2') });
    assert.equal(await spoken.textContent(), 'The second answer.');
    await spoken.evaluate((node) => node.replaceChildren());
    // Its buttons change when a message is on hold.
    await opened.patch({ op: 'item', item: turnEnd('e2') });
    assert.equal(await spoken.textContent(), '');
    await opened.close();
  });

  test('it is announced without the signs of Markdown, which are hard to listen to', async () => {
    const opened = await host.open({ view: emptyView({ items: [...earlier, userItem('u2', 'two')] }) });
    await opened.patch({
      op: 'item',
      item: agentItem('a2', 'It has **one** line in `a.ts`.\n\n| File | Lines |\n|---|---:|\n| `a.ts` | 1 |'),
    });
    await opened.page.locator('.agent table').waitFor();
    await opened.patch({ op: 'item', item: turnEnd('e2') });
    const spoken = (await opened.page.locator('[role=status].sr-only').textContent()) ?? '';
    assert.deepEqual(spoken.split(/\s*[\n\t]+/), ['It has one line in a.ts.', 'File', 'Lines', 'a.ts', '1']);
    await opened.close();
  });

  test('it is announced from its beginning, even if only the end of a long answer is visible', async () => {
    const opened = await host.open({ view: emptyView({ items: [...earlier, userItem('u2', 'two')] }) });
    await opened.patch({ op: 'item', item: agentItem('a2', `The **beginning**.\n\n${'And a line.\n\n'.repeat(200)}`) });
    // The browser skips it in the frame after the one that drew it.
    await opened.page.waitForFunction(
      () =>
        document.querySelector('.agent .markdown-group:has(+ .markdown-group) p')?.checkVisibility({ contentVisibilityAuto: true }) ===
        false,
    );
    await opened.patch({ op: 'item', item: turnEnd('e2') });
    const spoken = (await opened.page.locator('[role=status].sr-only').textContent()) ?? '';
    assert.ok(spoken.startsWith('The beginning.\n\nAnd a line.'), spoken);
    assert.ok(spoken.endsWith('…'), spoken);
    await opened.close();
  });

  test('that of an earlier turn is not announced when it is redrawn', async () => {
    const opened = await host.open({ view: emptyView({ items: [...earlier, userItem('u2', 'two')] }) });
    await opened.patch({ op: 'item', item: turnEnd('e1', 'The first error, again') });
    assert.equal(await opened.page.locator('[role=status].sr-only').textContent(), '');
    await opened.close();
  });
});

describe('what prevents the conversation from continuing', () => {
  test('it is announced together with the end of the turn', async () => {
    const opened = await host.open({ view: emptyView({ items: [...earlier, userItem('u2', 'two')] }) });
    const banner: BannerView = { severity: 'warning', title: 'agentao needs you to sign in', text: 'The key has expired.', buttons: [] };
    await opened.patch(
      { op: 'item', item: agentItem('a2', 'Half an answer.') },
      { op: 'item', item: turnEnd('e2', 'The turn failed') },
      { op: 'banner', banner },
    );
    const spoken = (await opened.page.locator('[role=status].sr-only').textContent()) ?? '';
    assert.match(spoken, /agentao needs you to sign in\. The key has expired\./);
    assert.match(spoken, /The turn failed/);
    await opened.close();
  });

  test('it is announced when it appears, and again if it appears again', async () => {
    const opened = await host.open({ view: emptyView() });
    const spoken = opened.page.locator('[role=status].sr-only');
    const banner: BannerView = { severity: 'error', title: 'agentao could not start', text: 'It was not found.', buttons: [] };
    await opened.patch({ op: 'banner', banner: banner });
    const first = await spoken.textContent();
    assert.equal(first, 'agentao could not start. It was not found.');
    await opened.patch({ op: 'banner', banner: null });
    await opened.patch({ op: 'banner', banner: banner });
    const again = await spoken.textContent();
    assert.notEqual(again, first);
    assert.equal(again?.trim(), first);
    await opened.close();
  });

  test('an equal request is announced, too, and information is not', async () => {
    const opened = await host.open({ view: emptyView({ prompts: [permissionPrompt()] }) });
    const spoken = opened.page.locator('[role=status].sr-only');
    const first = await spoken.textContent();
    assert.match(first ?? '', /needs your input: Run a command\?$/);
    await opened.patch({ op: 'prompts', prompts: [] });
    await opened.patch({ op: 'prompts', prompts: [permissionPrompt({ id: 'another' })] });
    const again = await spoken.textContent();
    assert.notEqual(again, first);
    await opened.patch({ op: 'banner', banner: { severity: 'info', title: 'Open in another window', text: '', buttons: [] } });
    assert.equal(await spoken.textContent(), again);
    await opened.close();
  });

  test('what was announced of another conversation is not read in this one', async () => {
    const opened = await host.open({ view: emptyView() });
    const spoken = opened.page.locator('[role=status].sr-only');
    await opened.snapshot(emptyView({ prompts: [permissionPrompt()] }), '', 'first');
    assert.match((await spoken.textContent()) ?? '', /needs your input/);
    await opened.snapshot(emptyView(), '', 'another');
    assert.equal((await spoken.textContent())?.trim(), '');
    const banner: BannerView = { severity: 'error', title: 'agentao could not start', text: 'It was not found.', buttons: [] };
    await opened.snapshot(emptyView({ banner }), '', 'third');
    assert.equal((await spoken.textContent())?.trim(), 'agentao could not start. It was not found.');
    await opened.close();
  });
});
