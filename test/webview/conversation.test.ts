/** The transcript: order, collapsing, and what must survive a stream. */
import assert from 'node:assert/strict';
import path from 'node:path';
import { describe, test } from 'node:test';
import type { Op } from '../../src/contract/messages.js';
import type { BannerView, ItemView } from '../../src/contract/view.js';
import { screenshotFolder } from './harness.js';
import { assertOnScreen, distanceToEnd, nextFrames } from './onScreen.js';
import { hostForTests } from './pageTests.js';
import { agentItem, emptyView, noon, richView, toolItem, userItem } from './views.js';

const host = hostForTests();

describe('the connection to the host', () => {
  test('the page sends ready once, and shows the snapshot', async () => {
    const opened = await host.open({ view: richView() });
    assert.deepEqual((await opened.messages()).filter(({ type }) => type === 'ready').length, 1);
    assert.equal(await opened.page.getByRole('log', { name: 'Conversation' }).count(), 1);
    assert.equal(await opened.page.getByRole('article', { name: 'You' }).textContent(), 'make the parser tolerant');
    await opened.assertClean();
    await opened.close();
  });

  test('after a gap it requests a snapshot, and ignores patches until then', async () => {
    const opened = await host.open({ view: emptyView() });
    await opened.post({ type: 'patch', revision: 7, ops: [{ op: 'item', item: userItem('lost', 'lost') }] });
    await opened.message('resync');
    await opened.post({ type: 'patch', revision: 8, ops: [{ op: 'item', item: userItem('early', 'early') }] });
    assert.equal(await opened.page.getByRole('article').count(), 0);
    await opened.post({ type: 'snapshot', revision: 9, view: emptyView({ items: [userItem('u', 'found')] }), draft: '' });
    await opened.post({ type: 'patch', revision: 10, ops: [{ op: 'item', item: userItem('u2', 'next') }] });
    assert.deepEqual(await opened.page.getByRole('article').allTextContents(), ['found', 'next']);
    assert.equal((await opened.messages()).filter(({ type }) => type === 'resync').length, 1);
    await opened.close();
  });

  test('it ignores an unknown message', async () => {
    const opened = await host.open({ view: emptyView() });
    await opened.page.evaluate(() => window.deliver({ type: 'patch', revision: 2, ops: [{ op: 'explode' }] }));
    assert.match((await opened.message('pageError')).message, /not understood/);
    await opened.message('resync');
    await opened.post({ type: 'snapshot', revision: 3, view: emptyView({ items: [userItem('u', 'still here')] }), draft: '' });
    await opened.page.getByText('still here').waitFor();
    await opened.close();
  });
});

describe('the order of items', () => {
  test('items are in the order of arrival, and replaced in place', async () => {
    const opened = await host.open({
      view: emptyView({
        items: [
          userItem('u', 'ask'),
          agentItem('a1', 'before'),
          toolItem('t1', { status: 'in_progress', statusText: 'running' }),
          agentItem('a2', 'after'),
        ],
      }),
    });
    await opened.patch(
      { op: 'item', item: toolItem('t1', { title: 'changed' }) },
      { op: 'remove', id: 'a2' },
      { op: 'item', item: agentItem('a3', 'last') },
    );
    const names = await opened.page.locator('.item').evaluateAll((items) => items.map((item) => item.getAttribute('aria-label')));
    assert.deepEqual(names, ['You', 'agentao', 'changed (done)', 'agentao']);
    await opened.close();
  });

  test('completed reads and searches in a row are collapsed into one line, others are not', async () => {
    const opened = await host.open({
      view: emptyView({ items: [toolItem('r1'), toolItem('r2'), toolItem('r3', { status: 'in_progress', statusText: 'running' })] }),
    });
    const cards = opened.page.getByRole('group', { name: /^read_file/ });
    assert.equal(await cards.count(), 3);
    await opened.patch(
      { op: 'item', item: toolItem('r3') },
      { op: 'item', item: toolItem('r4', { toolKind: 'search' }) },
      { op: 'item', item: toolItem('run', { toolKind: 'execute', title: 'run' }) },
      { op: 'item', item: toolItem('r5') },
    );
    await opened.page.getByText('Read 3 files, ran 1 search').click();
    assert.equal(await cards.count(), 5);
    assert.deepEqual(
      await opened.page
        .locator('.transcript .tool')
        .evaluateAll((tools) => tools.map((tool) => tool.querySelector('.tool-target')?.textContent)),
      ['src/r1.ts', 'src/r2.ts', 'src/r3.ts', 'src/r4.ts', 'src/run.ts', 'src/r5.ts'],
    );
    await opened.patch({ op: 'remove', id: 'r1' }, { op: 'remove', id: 'r2' });
    assert.equal(await opened.page.locator('.fold').count(), 0);
    assert.equal(await opened.page.locator('.transcript .tool').count(), 4);
    await opened.close();
  });

  test('a line of reads has a limit, and the next reads are in another line', async () => {
    const reads = Array.from({ length: 103 }, (_, index): Op => ({ op: 'item', item: toolItem(`r${index}`) }));
    const opened = await host.open();
    const lines = () => opened.page.locator('.fold > summary').allTextContents();
    await opened.snapshot(emptyView());
    await opened.patch(...reads);
    assert.deepEqual(
      (await lines()).map((line) => line.trim()),
      ['Read 100 files', 'Read 3 files'],
    );
    await opened.patch({ op: 'remove', id: 'r50' }, { op: 'remove', id: 'r100' });
    assert.deepEqual(
      (await lines()).map((line) => line.trim()),
      ['Read 100 files'],
    );
    const order = await opened.page.locator('.transcript .tool-target').allTextContents();
    assert.deepEqual(
      order,
      [...reads.keys()].filter((index) => index !== 50 && index !== 100).map((index) => `src/r${index}.ts`),
    );
    await opened.close();
  });

  test('a long conversation is rendered from its end, and older parts when the user scrolls near', async () => {
    const items: ItemView[] = Array.from({ length: 400 }, (_, index) => userItem(`u${index}`, `prompt ${index}`));
    const opened = await host.open({ view: emptyView({ items }) });
    assert.equal(await opened.page.getByRole('article').count(), 100);
    assert.ok((await distanceToEnd(opened.page)) < 2);
    for (let drawn = 100; drawn < 400; drawn = await opened.page.getByRole('article').count()) {
      await opened.page.getByRole('log').evaluate((log) => {
        log.scrollTop = 0;
      });
      await opened.page.waitForFunction((before) => document.querySelectorAll('article').length > before, drawn);
    }
    assert.deepEqual(
      await opened.page.getByRole('article').allTextContents(),
      items.map((_, index) => `prompt ${index}`),
    );
    await opened.close();
  });

  test('rendering older parts does not move the visible part', async () => {
    const items: ItemView[] = Array.from({ length: 200 }, (_, index) => userItem(`u${index}`, `prompt ${index}`));
    const opened = await host.open({ view: emptyView({ items }) });
    const seen = opened.page.getByText('prompt 100', { exact: true });
    await seen.scrollIntoViewIfNeeded();
    await opened.page.waitForFunction(() => document.querySelectorAll('article').length > 100);
    await nextFrames(opened.page);
    const box = await seen.boundingBox();
    assert.ok(box !== null && box.y > 0 && box.y < 700, `at ${box?.y}`);
    await opened.close();
  });
});

describe('removing items', () => {
  test('they leave no gap, even out of view', async () => {
    const items = Array.from({ length: 300 }, (_, index) => userItem(`u${index}`, `prompt ${index}`));
    const opened = await host.open({ view: emptyView({ items: items.slice(0, 1) }) });
    await opened.patch(...items.slice(1).map((item) => ({ op: 'item', item }) as const));
    await nextFrames(opened.page);
    await opened.patch(...items.slice(1).map(({ id }) => ({ op: 'remove', id }) as const));
    await nextFrames(opened.page);
    const [content, view] = await opened.page.getByRole('log').evaluate((log) => [log.scrollHeight, log.clientHeight]);
    assert.equal(content, view);
    await opened.close();
  });
});

describe('tool cards', () => {
  const running = toolItem('run', {
    toolKind: 'execute',
    title: 'run_shell_command',
    verb: 'Run',
    target: 'npm test',
    status: 'in_progress',
    statusText: 'running',
    locations: [],
    output: 'one\n',
    startedAt: noon,
  });

  test('they show live output with the last lines first, and everything on demand', async () => {
    const opened = await host.open({ view: emptyView({ items: [running] }) });
    const card = opened.page.getByRole('group', { name: 'run_shell_command (running)' });
    await opened.patch({
      op: 'append',
      id: 'run',
      text: Array.from({ length: 40 }, (_, line) => `\u001b[32mline ${line}\u001b[0m`).join('\n'),
    });
    const output = card.getByLabel('Output', { exact: true });
    await card.getByText('Show all (41 lines)').waitFor();
    assert.equal((await output.textContent())?.split('\n').length, 12);
    assert.match((await output.textContent()) ?? '', /^line 28\n/);
    await card.getByText('Show all (41 lines)').click();
    assert.equal((await output.textContent())?.split('\n').length, 41);
    await card.getByRole('button', { name: 'Open in editor' }).click();
    assert.deepEqual(await opened.message('openRaw'), { type: 'openRaw', id: 'run', part: 'output' });
    await opened.close();
  });

  test('they count their duration while they run', async () => {
    const opened = await host.open({ view: emptyView(), fakeClock: true });
    const startedAt = await opened.page.evaluate(() => Date.now());
    await opened.patch({ op: 'item', item: { ...running, startedAt } });
    await opened.page.clock.runFor(12_000);
    assert.equal(await opened.page.locator('.tool-age').textContent(), '12 s');
    await opened.close();
  });

  test('they collapse at their end, unless the user opened them or has the focus in them', async () => {
    const opened = await host.open({ view: emptyView({ items: [running, { ...running, id: 'other' }] }) });
    const toggles = opened.page.getByRole('button', { name: 'Run' });
    assert.deepEqual(await toggles.evaluateAll((all) => all.map((toggle) => toggle.getAttribute('aria-expanded'))), ['true', 'true']);
    await toggles.nth(1).click();
    await toggles.nth(1).click();
    const done = { ...running, status: 'completed', statusText: 'done', endedAt: noon } as const;
    await opened.patch({ op: 'item', item: done }, { op: 'item', item: { ...done, id: 'other' } });
    assert.deepEqual(await toggles.evaluateAll((all) => all.map((toggle) => toggle.getAttribute('aria-expanded'))), ['false', 'true']);
    await opened.close();
  });

  test('they open files at the line and diffs in the editor, and show both texts of a change', async () => {
    const edit = toolItem('edit', {
      toolKind: 'edit',
      title: 'replace',
      verb: 'Edit',
      target: 'src/a.ts:3',
      locations: [{ path: '/p/src/a.ts', line: 3, label: 'src/a.ts:3' }],
      diffs: [{ path: '/p/src/a.ts', oldText: 'x\nold\n', newText: 'x\nnew\n', added: 1, removed: 1 }],
    });
    const opened = await host.open({ view: emptyView({ items: [edit] }) });
    await opened.page.getByRole('link', { name: 'src/a.ts:3' }).click();
    assert.deepEqual(await opened.message('openLocation'), { type: 'openLocation', path: '/p/src/a.ts', line: 3 });
    await opened.page.getByTitle('Open diff: 1 line added, 1 removed').click();
    assert.deepEqual(await opened.message('openDiff'), { type: 'openDiff', itemId: 'edit', index: 0 });
    await opened.page.getByRole('button', { name: 'Edit' }).click();
    assert.deepEqual(await opened.page.locator('.diff-line').allTextContents(), ['1 x', '2−removed: old', '2+added: new']);
    await opened.close();
  });

  test('selection, focus and expanded details survive updates', async () => {
    const tool = { ...running, rawInput: '{"command":"npm test"}' };
    const opened = await host.open({ view: emptyView({ items: [tool, agentItem('a1', 'streaming', true)] }) });
    const details = opened.page.getByText('Input as sent');
    await details.click();
    await details.focus();
    await opened.page.getByText('{"command":"npm test"}').evaluate((node) => document.getSelection()?.selectAllChildren(node));
    await opened.patch(
      { op: 'append', id: 'run', text: 'two\n' },
      { op: 'append', id: 'a1', text: ' text\n\nand more' },
      { op: 'item', item: { ...tool, output: 'one\ntwo\nthree\n', statusText: 'still running' } },
    );
    await nextFrames(opened.page);
    assert.equal(await opened.page.evaluate(() => String(document.getSelection())), '{"command":"npm test"}');
    assert.equal(await opened.page.evaluate(() => document.activeElement?.textContent), 'Input as sent');
    assert.equal(await opened.page.locator('details.raw').getAttribute('open'), '');
    await opened.close();
  });

  test('Select All selects what was said, without the controls and the texts for screen readers', async () => {
    const opened = await host.open({ view: emptyView({ items: [userItem('u1', 'Say it')] }) });
    await opened.patch({ op: 'item', item: agentItem('a1', 'First:\n\n```ts\nlet a;\n```\n\nthen **more**') });
    await opened.page.getByText('more').click();
    await opened.page.keyboard.press('Control+a');
    const selected = await opened.page.evaluate(() => String(document.getSelection()));
    assert.equal(selected.replaceAll(/\n+/g, '\n').trim(), 'Say it\nFirst:\nlet a;\nthen more');
    await opened.close();
  });
});

describe('the sections around the conversation', () => {
  test('thoughts are expanded while they stream, and collapsed at their end', async () => {
    const opened = await host.open({
      view: emptyView({ items: [{ kind: 'thought', id: 't', text: 'Hmm', open: true, startedAt: noon }] }),
    });
    await opened.patch({ op: 'append', id: 't', text: ', let me see' });
    await opened.page.getByText('Hmm, let me see').waitFor();
    await opened.patch({
      op: 'item',
      item: { kind: 'thought', id: 't', text: 'Hmm, let me see', open: false, startedAt: noon, endedAt: noon + 4000 },
    });
    await opened.page.getByText('Hmm, let me see').waitFor({ state: 'hidden' });
    await opened.page.getByText('Thought for 4 s').click();
    await opened.page.getByText('Hmm, let me see').waitFor();
    await opened.patch({ op: 'item', item: { kind: 'thought', id: 'u', text: 'Yes', open: false, startedAt: noon, endedAt: noon + 900 } });
    await assertOnScreen(opened.page.getByText('Thought', { exact: true }));
    await opened.close();
  });

  test('each queued prompt shows when it will be sent, even if its text is shortened', async () => {
    const queue = [
      { id: 'a', text: 'short', goes: 'this turn' },
      { id: 'b', text: 'long words that find no room on a line of a narrow view', goes: 'next message' },
    ];
    const opened = await host.open({ view: emptyView({ queue }), width: 260 });
    for (const goes of ['this turn', 'next message']) await assertOnScreen(opened.page.getByText(goes, { exact: true }));
    await assertOnScreen(opened.page.getByRole('button', { name: /^Remove queued message/ }));
    await opened.page.screenshot({ path: path.join(screenshotFolder, 'queue-260.png') });
    await opened.close();
  });

  test('the plan has a progress, a wait has an age and a button, and the queue can be emptied', async () => {
    const opened = await host.open({ view: richView() });
    assert.deepEqual(await opened.page.getByRole('list', { name: 'Plan' }).getByRole('listitem').allTextContents(), [
      'Read the parser (done)',
      'Allow trailing commas (in progress)',
      'Run the tests (to do)',
    ]);
    await opened.page.getByText('1 of 3').waitFor();
    await opened.page.locator('.wait').getByRole('button', { name: 'Stop' }).click();
    assert.deepEqual(await opened.message('action'), { type: 'action', action: 'stop' });
    await opened.page.getByRole('button', { name: 'Remove queued message: and update the changelog' }).click();
    assert.deepEqual(await opened.message('unqueue'), { type: 'unqueue', id: 'q1' });
    await opened.close();
  });

  test('the end of a turn is announced once, politely, and the log itself is not', async () => {
    const opened = await host.open({ view: emptyView({ items: [agentItem('a1', 'The answer is 4.', true)] }) });
    const spoken = opened.page.getByRole('status');
    assert.equal(await opened.page.getByRole('log').getAttribute('aria-live'), 'off');
    assert.equal(await spoken.textContent(), '');
    await opened.patch(
      { op: 'item', item: agentItem('a1', 'The answer is 4.') },
      { op: 'item', item: { kind: 'turn_end', id: 'e', severity: 'info', durationMs: 900, files: [], buttons: [], at: noon } },
    );
    assert.equal(await spoken.textContent(), 'The answer is 4.');
    await opened.close();
  });

  test('banner, notices and header show what to do', async () => {
    const opened = await host.open({
      view: richView({
        banner: {
          severity: 'warning',
          title: 'agentao was not found',
          text: 'Install it, then check again.',
          command: 'uv tool install agentao',
          buttons: [{ action: 'checkAgain', label: 'Check again' }],
        },
      }),
    });
    await opened.page.getByRole('button', { name: 'Copy command' }).click();
    assert.equal((await opened.message('copy')).text, 'uv tool install agentao');
    await opened.page.getByRole('button', { name: 'Check again' }).click();
    await opened.page.getByRole('button', { name: 'Retry' }).click();
    await opened.page.locator('.header').getByRole('button', { name: 'agentao: choose the agent' }).click();
    assert.deepEqual(
      (await opened.messages()).filter(({ type }) => type === 'action'),
      [
        { type: 'action', action: 'checkAgain' },
        { type: 'action', action: 'retry', itemId: 'n1' },
        { type: 'action', action: 'selectAgent' },
      ],
    );
    await opened.close();
  });
});

test('a card can be folded to its title, and another one is open again', async () => {
  const banner: BannerView = { severity: 'warning', title: 'agentao was not found', text: 'Install it.', buttons: [] };
  const opened = await host.open({ view: richView({ banner }) });
  const text = opened.page.locator('.banner').getByText('Install it.');
  await opened.page.getByRole('button', { name: 'agentao was not found' }).click();
  assert.equal(await text.isVisible(), false);
  await opened.page.getByRole('button', { name: 'agentao was not found', expanded: false }).click();
  assert.equal(await text.isVisible(), true);
  await opened.page.locator('.banner-title').click();
  await opened.patch({ op: 'banner', banner: { ...banner, title: 'agentao failed' } });
  await text.waitFor();
  await opened.close();
});

describe('the end of a turn', () => {
  test('it shows the duration of a turn that was not short', async () => {
    const opened = await host.open({ view: emptyView() });
    const end = (id: string, durationMs: number): ItemView => ({
      kind: 'turn_end',
      id,
      severity: 'info',
      durationMs,
      files: [],
      buttons: [],
      at: noon,
    });
    await opened.patch({ op: 'item', item: end('quick', 900) }, { op: 'item', item: end('slow', 3_000) });
    const lines = opened.page.locator('.turn-end-line');
    await lines.nth(1).getByText('3 s').waitFor();
    // Not the inner text, which is empty until the browser has laid out what is in sight.
    assert.deepEqual(await lines.allTextContents(), ['', '3 s']);
    await opened.close();
  });
});
