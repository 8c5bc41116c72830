/** What is announced at the end of a turn: only that turn, and only once. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ItemView } from '../../src/contract/view.js';
import { hostForTests } from './pageTests.js';
import { agentItem, emptyView, noon, userItem } from './views.js';

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

  test('that of an earlier turn is not announced when it is redrawn', async () => {
    const opened = await host.open({ view: emptyView({ items: [...earlier, userItem('u2', 'two')] }) });
    await opened.patch({ op: 'item', item: turnEnd('e1', 'The first error, again') });
    assert.equal(await opened.page.locator('[role=status].sr-only').textContent(), '');
    await opened.close();
  });
});
