/** A message that somebody pasted does not push everything else away. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertOnScreen } from './onScreen.js';
import { hostForTests } from './pageTests.js';
import { agentItem, emptyView, userItem } from './views.js';

const host = hostForTests();

test('a long message of the user is folded, unfolds on a press, and is copied whole', async () => {
  const lines = Array.from({ length: 3_000 }, (_, line) => `line ${line} of the log`).join('\n');
  const opened = await host.open({ view: emptyView({ items: [userItem('u', lines), agentItem('a', 'The answer.')] }), width: 300 });
  await assertOnScreen(opened.page.getByText('The answer.'));
  const message = opened.page.getByRole('article', { name: 'You' });
  const height = async (): Promise<number> => (await message.boundingBox())?.height ?? 0;
  assert.ok((await height()) < 350);
  await message.getByRole('button', { name: 'Show more' }).click();
  assert.ok((await height()) > 10_000);
  await message.getByRole('button', { name: 'Show less' }).click();
  assert.ok((await height()) < 350);
  await message.hover();
  await message.getByRole('button', { name: 'Copy message' }).click();
  assert.equal((await opened.message('copy')).text, lines);
  await opened.close();
});

test('a message of a few lines is not folded', async () => {
  const opened = await host.open({ view: emptyView({ items: [userItem('u', 'one\ntwo\n'.repeat(9))] }) });
  assert.equal(await opened.page.getByRole('button', { name: 'Show more' }).count(), 0);
  await opened.close();
});
