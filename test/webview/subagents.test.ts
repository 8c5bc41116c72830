/** Sub-agents in the conversation: one line each, and inside it what they say and do. */
import assert from 'node:assert/strict';
import path from 'node:path';
import { describe, test } from 'node:test';
import type { ItemView, SubagentItemView } from '../../src/contract/view.js';
import { screenshotFolder } from './harness.js';
import { assertOnScreen } from './onScreen.js';
import { hostForTests } from './pageTests.js';
import { agentItem, emptyView, permissionPrompt, toolItem, userItem } from './views.js';

const host = hostForTests();

const subagent = (id: string, changes: Partial<SubagentItemView> = {}): SubagentItemView => ({
  kind: 'subagent',
  id,
  name: 'Explore',
  state: 'done',
  stateText: '',
  tools: 2,
  workedMs: 12_000,
  canStop: false,
  ...changes,
});
const inside = <V extends ItemView>(of: string, view: V): V => ({ ...view, inside: of });
const working = { state: 'working', stateText: 'running', workedMs: 0, worksSince: Date.now() - 8_000, canStop: true } as const;

const items: readonly ItemView[] = [
  userItem('u', 'who calls parse()?'),
  agentItem('a', 'I let two sub-agents look.'),
  inside('s', toolItem('t', { title: 'Task', verb: 'Sub-agent', target: 'Explore: find', status: 'completed' })),
  subagent('s', { description: 'Finds its way in a code base', task: 'Find every caller of parse() in src and test.' }),
  inside('s', agentItem('m', 'I search **src** first.')),
  subagent('w', { ...working, name: 'Review the parser for places that are slow with long input' }),
  inside('w', toolItem('x', { title: 'Read parser.ts', verb: 'Read', target: 'parser.ts', status: 'in_progress' })),
  inside('s', toolItem('y', { title: 'Search', verb: 'Search', target: 'parse(', status: 'completed' })),
  inside('s', subagent('n', { name: 'Count', state: 'failed', stateText: 'failed', error: 'The provider is overloaded', tools: 1 })),
  inside('n', agentItem('o', 'I count.')),
  subagent('z', {
    ...working,
    name: 'Format',
    state: 'waiting',
    stateText: 'needs input',
    canStop: false,
    note: "agentao can't stop this sub-agent by itself: stop the turn instead.",
  }),
  agentItem('b', 'Three files call it.'),
];
const view = emptyView({ items: [...items] });
const namedGroup = (name: string | RegExp) => ({ name, exact: typeof name === 'string' });

describe('sub-agents', () => {
  for (const theme of ['light', 'dark'] as const) {
    for (const width of [300, 700]) {
      test(`each is one line, which opens, at ${width} px, ${theme}`, async () => {
        const opened = await host.open({ view, width, height: 640, theme });
        const one = opened.page.getByRole('group', namedGroup('Sub-agent: Explore'));
        await assertOnScreen(one.getByText('12 s · 2 tools').first());
        await opened.page.screenshot({ path: path.join(screenshotFolder, `subagents-${width}-${theme}.png`) });
        assert.equal(await one.getByText('I search src first.').isVisible(), false);
        await one.getByText('Explore', { exact: true }).first().click();
        // Until Markdown is loaded, it is shown as plain text.
        await one.locator('strong').getByText('src').waitFor();
        for (const text of ['Find every caller', 'I search src first.', 'Explore: find']) await assertOnScreen(one.getByText(text));
        const inner = one.getByRole('group', namedGroup('Sub-agent: Count (failed)'));
        await inner.getByText('Count', { exact: true }).click();
        await assertOnScreen(inner.getByText('The provider is overloaded'));
        await opened.page.screenshot({ path: path.join(screenshotFolder, `subagents-open-${width}-${theme}.png`) });
        await opened.close();
      });
    }
  }

  test('what it did stands in order inside it, and nothing of another one', async () => {
    const opened = await host.open({ view });
    const texts = await opened.page
      .getByRole('group', namedGroup('Sub-agent: Explore'))
      .locator('.subagent-items')
      .first()
      .evaluate((box) => [...box.children].map((child) => child.getAttribute('aria-label')));
    assert.deepEqual(texts, ['Task (done)', 'agentao', 'Search (done)', 'Sub-agent: Count (failed)']);
    await opened.close();
  });

  test('what comes later goes inside, too; a call that turns out to have started it moves to the top', async () => {
    const opened = await host.open({ view: emptyView({ items: [userItem('u', 'go'), toolItem('t', { title: 'Task' })] }) });
    await opened.patch(
      { op: 'item', item: subagent('s', working) },
      { op: 'item', item: inside('s', agentItem('m', 'I read.')) },
      { op: 'item', item: inside('s', toolItem('t', { title: 'Task' })) },
      { op: 'item', item: agentItem('b', 'Outside') },
    );
    const one = opened.page.getByRole('group', namedGroup('Sub-agent: Explore (running)'));
    const labels = await one.locator('.subagent-items > .item').evaluateAll((all) => all.map((item) => item.getAttribute('aria-label')));
    assert.deepEqual(labels, ['Task (done)', 'agentao']);
    await assertOnScreen(opened.page.getByText('Outside'));
    await opened.close();
  });

  test('the button stops it alone, and is only there while that is possible', async () => {
    const opened = await host.open({ view });
    const stop = opened.page.getByRole('button', { name: 'Stop Sub-agent' });
    assert.equal(await stop.count(), 1);
    await stop.click();
    assert.deepEqual(await opened.message('action'), { type: 'action', action: 'stopSubagent', itemId: 'w' });
    const waiting = opened.page.getByRole('group', namedGroup('Sub-agent: Format (needs input)'));
    await waiting.getByText('Format', { exact: true }).click();
    await assertOnScreen(waiting.getByText(/stop the turn instead/));
    await opened.close();
  });

  test('earlier items find their sub-agent when that is drawn', async () => {
    const many = Array.from({ length: 1_500 }, (_, index) => inside('s', agentItem(`m${index}`, `Message ${index}`)));
    const opened = await host.open({
      view: emptyView({ items: [userItem('u', 'go'), subagent('s'), ...many, agentItem('b', 'Outside')] }),
    });
    await opened.page.locator('.earlier').evaluate((button: HTMLElement) => {
      while (!button.hidden) button.click();
    });
    const texts = await opened.page.locator('.subagent-items > .item').allTextContents();
    assert.deepEqual(
      texts.map((text) => Number(/Message (\d+)/.exec(text)?.[1])),
      Array.from({ length: 1_500 }, (_, index) => index),
    );
    await opened.close();
  });

  test('a request says who asks', async () => {
    const opened = await host.open({
      view: emptyView({ prompts: [permissionPrompt({ note: 'Asked by Sub-agent · Explore.' })] }),
      width: 300,
    });
    await assertOnScreen(opened.page.getByRole('dialog').getByText('Asked by Sub-agent · Explore.'));
    await opened.page.screenshot({ path: path.join(screenshotFolder, 'subagents-request.png') });
    await opened.close();
  });
});
