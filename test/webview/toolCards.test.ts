/** Cards of tool calls as users see them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertOnScreen, widths } from './onScreen.js';
import { hostForTests } from './pageTests.js';
import { emptyView, noon, toolItem } from './views.js';

const host = hostForTests();

const command = 'npm run build -- --mode production --out-dir dist/some/where --and another --option that --makes it long';

test('a failed command stands in its card once, all of it', async () => {
  const failed = toolItem('run', {
    toolKind: 'execute',
    title: command,
    verb: 'Run',
    target: command,
    input: command,
    status: 'failed',
    statusText: 'exit code 1',
    output: 'No such mode.',
    locations: [],
  });
  for (const width of widths) {
    const opened = await host.open({ view: emptyView({ items: [failed] }), width });
    const card = opened.page.locator('.tool');
    await card.getByText('No such mode.').waitFor();
    assert.equal((await card.evaluate((node) => (node as HTMLElement).innerText)).split(command).length, 2);
    const target = card.locator('.tool-target');
    await assertOnScreen(target);
    assert.equal(await target.evaluate((node) => node.scrollWidth > node.clientWidth), false, 'it is cut off');
    await opened.close();
  }
});

test('a command of several lines stands below its first one', async () => {
  const script = 'set -e\nnpm test';
  const view = toolItem('run', { toolKind: 'execute', verb: 'Run', target: 'set -e', input: script, status: 'in_progress', locations: [] });
  const opened = await host.open({ view: emptyView({ items: [view] }) });
  assert.equal(await opened.page.getByLabel('Input', { exact: true }).textContent(), script);
  await opened.close();
});

test('a rejected call is neutral, and says why', async () => {
  const rejected = toolItem('write', { status: 'rejected', statusText: 'rejected', output: 'You rejected it.' });
  const failed = toolItem('other', { status: 'failed', statusText: 'failed', output: 'It broke.' });
  const opened = await host.open({ view: emptyView({ items: [rejected, failed] }) });
  await assertOnScreen(opened.page.getByText('You rejected it.'));
  const colors = await opened.page.locator('.tool-status').evaluateAll((nodes) => nodes.map((node) => getComputedStyle(node).color));
  assert.notEqual(colors[0], colors[1]);
  assert.equal(await opened.page.locator('.tool.rejected .codicon-error').count(), 0);
  await opened.close();
});

test('the time of a call is without the wait for the user, and stands still meanwhile', async () => {
  const asked = toolItem('asked', { status: 'pending', statusText: 'waiting', startedAt: noon - 60_000, waitsSince: noon - 57_000 });
  const done = toolItem('done', { startedAt: noon, endedAt: noon + 60_000, waitedMs: 55_000 });
  const opened = await host.open({ view: emptyView({ items: [asked, done] }), fakeClock: true });
  assert.deepEqual(await opened.page.locator('.tool-age').allTextContents(), ['3 s', '5 s']);
  await opened.close();
});
