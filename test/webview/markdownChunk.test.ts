/** Markdown is a chunk of its own: when the page loads it, and what it shows without it. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { OpenPage } from './harness.js';
import { hostForTests } from './pageTests.js';
import { agentItem, emptyView, noon, permissionPrompt, userItem } from './views.js';

const host = hostForTests();
const chunk = '**/dist/webview/streamView-*.js';

/** The chunk as the page has asked for it so far. */
const requests = ({ page }: OpenPage): Promise<number> =>
  page.evaluate(() => performance.getEntriesByType('resource').filter(({ name }) => name.includes('/streamView-')).length);
/** Sends messages without waiting until they are drawn. */
const deliver = ({ page }: OpenPage, ...messages: object[]): Promise<void> =>
  page.evaluate(async (all) => {
    for (const message of all) await window.deliver(message);
  }, messages);

describe('the chunk with Markdown', () => {
  test('an empty chat, a message and a request do without it', async () => {
    const opened = await host.open({ view: emptyView() });
    await opened.snapshot(emptyView({ items: [userItem('u', 'A **question**')], prompts: [permissionPrompt()] }));
    assert.ok(await opened.page.getByText('A **question**').isVisible());
    await opened.page.locator('.prompt').waitFor();
    assert.equal(await requests(opened), 0);
    await opened.patch({ op: 'item', item: agentItem('a', 'An **answer**') });
    assert.equal(await opened.page.locator('.item.agent strong').textContent(), 'answer');
    assert.equal(await requests(opened), 1);
    await opened.patch({ op: 'item', item: { id: 't', kind: 'thought', text: 'A *thought*', open: true, startedAt: noon } });
    assert.equal(await requests(opened), 1);
    await opened.assertClean();
    await opened.close();
  });

  test('while it is loading, messages keep their order, and the page stays usable', async () => {
    const opened = await host.open({ view: emptyView({ items: [userItem('u', 'Go')] }), ownPage: true });
    let load = (): void => assert.fail('nothing asked for it');
    const allowed = new Promise<void>((resolve) => (load = resolve));
    await opened.page.route(chunk, (route) => allowed.then(() => route.continue()));
    const asked = opened.page.waitForRequest(chunk);
    await deliver(
      opened,
      { type: 'patch', revision: 2, ops: [{ op: 'item', item: agentItem('a', 'One', true) }] },
      { type: 'patch', revision: 3, ops: [{ op: 'append', id: 'a', text: ' *two*' }] },
      { type: 'patch', revision: 4, ops: [{ op: 'item', item: userItem('v', 'Three') }] },
    );
    await asked;
    const box = opened.page.getByRole('textbox', { name: 'Message' });
    await box.fill('Typed meanwhile');
    await box.press('Enter');
    assert.equal((await opened.message('send')).text, 'Typed meanwhile');
    assert.deepEqual(await opened.page.locator('.item').allTextContents(), ['Go']);
    load();
    await opened.page.locator('.item.agent em').getByText('two').waitFor();
    assert.deepEqual(await opened.page.locator('.item').allInnerTexts(), ['Go', 'One two', 'Three']);
    await opened.assertClean();
    await opened.close();
  });

  test('if it cannot be loaded, texts are shown as they were written, and the page says so in the log', async () => {
    const opened = await host.open({ view: emptyView(), ownPage: true });
    await opened.page.route(chunk, (route) => route.abort());
    await opened.snapshot(emptyView({ items: [userItem('u', 'Go'), agentItem('a', 'Line *one*\nLine two', true)] }));
    await opened.patch({ op: 'append', id: 'a', text: ', and <b>more</b>' });
    const answer = opened.page.locator('.item.agent .plain-text');
    assert.equal(await answer.innerText(), 'Line *one*\nLine two, and <b>more</b>');
    await opened.patch({ op: 'item', item: agentItem('a', 'Another text') });
    assert.equal(await answer.innerText(), 'Another text');
    assert.match((await opened.message('pageError')).message, /streamView/);
    await opened.close();
  });

  test('if it does not arrive, texts are shown as they were written after ten seconds, and as Markdown once it is there', async () => {
    const opened = await host.open({ fakeClock: true });
    let load = (): void => assert.fail('nothing asked for it');
    const allowed = new Promise<void>((resolve) => (load = resolve));
    await opened.page.route(chunk, (route) => allowed.then(() => route.continue()));
    const view = emptyView({ items: [agentItem('a', 'An *answer*')], prompts: [permissionPrompt()] });
    const asked = opened.page.waitForRequest(chunk);
    await deliver(opened, { type: 'snapshot', revision: 1, view, draft: '' });
    await asked;
    await opened.page.clock.runFor(9_000);
    assert.equal(await opened.page.locator('.item').count(), 0);
    await opened.page.clock.runFor(1_500);
    assert.equal(await opened.page.locator('.plain-text').innerText(), 'An *answer*');
    assert.ok(await opened.page.locator('.prompt').isVisible());
    assert.match((await opened.message('pageError')).message, /not loaded/);
    load();
    // Waits for the chunk.
    await opened.post({ type: 'patch', revision: 2, ops: [{ op: 'item', item: agentItem('a', 'An *answer*') }] });
    await opened.post({ type: 'patch', revision: 3, ops: [{ op: 'item', item: agentItem('b', 'The *next* one') }] });
    await opened.page.clock.runFor(100);
    assert.equal(await opened.page.locator('.item.agent em').textContent(), 'next');
    await opened.close();
  });

  test('what is typed before the first message is drawn replaces no draft, and is sent alone when the draft is known', async () => {
    const opened = await host.open({ ownPage: true });
    const view = emptyView({ items: [agentItem('a', 'An *answer*')] });
    await opened.snapshot(view, '', 'one');
    let load = (): void => assert.fail('nothing asked for it');
    const allowed = new Promise<void>((resolve) => (load = resolve));
    await opened.page.route(chunk, (route) => allowed.then(() => route.continue()));
    await opened.page.reload();
    await deliver(opened, { type: 'snapshot', revision: 1, view, draft: 'A long draft', conversation: 'one' });
    const box = opened.page.getByRole('textbox', { name: 'Message' });
    await box.pressSequentially('and more');
    await box.press('Enter');
    const texts = (await opened.messages()).filter(({ type }) => type === 'send' || type === 'draft');
    assert.deepEqual(texts, []);
    load();
    await opened.page.locator('.item.agent em').waitFor();
    assert.deepEqual({ ...(await opened.message('send')), id: '' }, { type: 'send', id: '', text: 'and more', conversation: 'one' });
    assert.equal(await box.inputValue(), 'A long draft');
    await opened.close();
  });

  test('a page that comes back with a conversation loads it before the host has answered', async () => {
    const opened = await host.open();
    await opened.snapshot(emptyView(), '', 'one');
    assert.equal(await requests(opened), 0);
    const asked = opened.page.waitForRequest(chunk);
    await opened.page.reload();
    await asked;
    await opened.close();
  });
});
