/** Following the end of the conversation, and staying where the user reads. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ItemView } from '../../src/contract/view.js';
import { distanceToEnd, endInSight, nextFrames } from './onScreen.js';
import { hostForTests } from './pageTests.js';
import { agentItem, emptyView, noon, toolItem, userItem } from './views.js';

const host = hostForTests();

const paragraphs = (count: number): string => Array.from({ length: count }, (_, index) => `Paragraph ${index} of many.`).join('\n\n');

describe('scrolling', () => {
  test('it follows the end while text streams', async () => {
    const opened = await host.open({ view: emptyView({ items: [agentItem('a1', paragraphs(30), true)] }) });
    for (let index = 0; index < 10; index++) {
      await opened.patch({ op: 'append', id: 'a1', text: `\n\nMore ${index}` });
      await nextFrames(opened.page);
    }
    await opened.page.getByText('More 9').waitFor();
    assert.ok((await distanceToEnd(opened.page)) < 2);
    await opened.close();
  });

  test('it stays at the end while the place of the page changes', async () => {
    const answer = Array.from({ length: 40 }, (_, index) => `Paragraph ${index}: ${'many words '.repeat(20)}`).join('\n\n');
    const opened = await host.open({ view: emptyView({ items: [agentItem('a1', answer)] }), width: 400 });
    await opened.page.getByText('Paragraph 39').waitFor();
    await nextFrames(opened.page);
    await opened.page.evaluate(() => {
      // VS Code sets the width and the height one after the other. Text that gets wider gets shorter, which scrolls up by itself.
      const [{ style }, log] = [document.body, document.querySelector('[role=log]')];
      style.width = '800px';
      log?.getBoundingClientRect();
      style.height = '400px';
    });
    await nextFrames(opened.page);
    await nextFrames(opened.page);
    assert.ok((await distanceToEnd(opened.page)) < 2);
    await opened.close();
  });

  test('it goes to the end when the user has sent something elsewhere', async () => {
    const opened = await host.open({ view: emptyView({ items: [agentItem('a1', paragraphs(60))] }) });
    await opened.page.getByText('Paragraph 59').waitFor();
    await opened.page.getByRole('log').hover();
    await opened.page.mouse.wheel(0, -400);
    await opened.page.getByRole('button', { name: 'Jump to latest' }).waitFor();
    await opened.post({ type: 'follow' });
    await opened.patch(
      { op: 'item', item: userItem('u', 'Explain this code') },
      { op: 'item', item: agentItem('a2', paragraphs(40), true) },
    );
    await opened.page.waitForFunction(() => {
      const log = document.querySelector('[role=log]');
      return log !== null && log.textContent.includes('Explain') && log.scrollHeight - log.scrollTop - log.clientHeight < 2;
    });
    await opened.close();
  });

  const long = paragraphs(60);
  const opening: Readonly<Record<string, readonly [item: ItemView, control: string, stays?: string]>> = {
    'a thought': [{ kind: 'thought', id: 'x', text: long, open: false, startedAt: noon, endedAt: noon + 2_000 }, '.thought summary'],
    'what was sent': [userItem('x', long), '.item.user .text-button', '.item.user'],
    'a sub-agent': [
      { kind: 'subagent', id: 'x', name: 'Explore', state: 'done', stateText: '', task: long, tools: 0, workedMs: 0, canStop: false },
      '.subagent summary',
    ],
    'a tool call': [toolItem('x', { input: long }), '.tool-toggle'],
  };
  for (const [name, [item, control, stays = control]] of Object.entries(opening)) {
    test(`what the user opens near the end stays in sight: ${name}`, async () => {
      const opened = await host.open({ view: emptyView({ items: [agentItem('a', paragraphs(30)), item] }) });
      await opened.page.getByText('Paragraph 29').first().waitFor();
      await nextFrames(opened.page);
      assert.ok((await distanceToEnd(opened.page)) < 2);
      const before = await opened.page.locator(stays).boundingBox();
      await opened.page.locator(control).click();
      // A stream goes on below it, too.
      for (let index = 0; index < 10; index += 1) {
        await opened.patch({ op: 'item', item: agentItem(`b${index}`, paragraphs(5)) });
        await nextFrames(opened.page);
      }
      const after = await opened.page.locator(stays).boundingBox();
      assert.ok(before !== null && after !== null && after.y >= Math.min(0, before.y) && after.y < 720, JSON.stringify([before, after]));
      assert.ok((await distanceToEnd(opened.page)) > 100);
      await opened.page.getByRole('button', { name: 'Jump to latest' }).click();
      await endInSight(opened.page);
      await opened.close();
    });
  }

  test('it stays if the user has scrolled away, and a button leads back', async () => {
    const opened = await host.open({ view: emptyView({ items: [agentItem('a1', paragraphs(60), true)] }) });
    await opened.page.getByText('Paragraph 59').waitFor();
    await opened.page.getByRole('log').hover();
    await opened.page.mouse.wheel(0, -400);
    await opened.page.getByRole('button', { name: 'Jump to latest' }).waitFor();
    await nextFrames(opened.page);
    const top = await opened.page.getByRole('log').evaluate((log) => log.scrollTop);
    await opened.patch({ op: 'append', id: 'a1', text: `\n\n${paragraphs(20)}` }, { op: 'item', item: toolItem('t') });
    await nextFrames(opened.page);
    assert.equal(await opened.page.getByRole('log').evaluate((log) => log.scrollTop), top);
    await opened.page.getByRole('button', { name: 'Jump to latest (1 new)' }).click();
    await endInSight(opened.page);
    assert.equal(await opened.page.getByRole('button', { name: 'Jump to latest' }).count(), 0);
    assert.equal(await opened.page.getByRole('log').evaluate((log) => log === document.activeElement), true);
    await opened.close();
  });
});
