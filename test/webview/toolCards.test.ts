/** Cards of tool calls as users see them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ItemView } from '../../src/contract/view.js';
import { assertOnScreen, widths } from './onScreen.js';
import { hostForTests } from './pageTests.js';
import { emptyView, noon, toolItem } from './views.js';

const host = hostForTests();

const command = 'npm run build -- --mode production --out-dir dist/some/where --and another --option that --makes it long';

test('a failed command is shown once in its card, completely', async () => {
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
    const [part, whole] = [await target.boundingBox(), await card.boundingBox()];
    assert.ok((part?.width ?? 0) > (whole?.width ?? 0) / 2, `a narrow column in ${width} px`);
    await opened.close();
  }
});

test('output has the colors of the terminal of the editor, and nothing is hidden by them', async () => {
  const output = '\x1b[32m✓ one\x1b[39m\n\x1b[1;31mfail\x1b[0m \x1b[8mhidden\x1b[0m \x1b[7mreversed\x1b[0m plain\n';
  const opened = await host.open({ view: emptyView({ items: [toolItem('run', { toolKind: 'execute', status: 'failed', output })] }) });
  const pre = opened.page.getByLabel('Output', { exact: true });
  // Without colors, it is no run of its own: what draws them is loaded first.
  await assertOnScreen(pre.locator('span', { hasText: 'hidden' }));
  assert.equal(await pre.textContent(), '✓ one\nfail hidden reversed plain');
  const named = await pre
    .locator('span')
    .evaluateAll((runs) => runs.map((run) => [run.textContent, (run as HTMLElement).style.color, run.className]));
  assert.deepEqual(
    named.filter(([words]) => words?.trim() !== ''),
    [
      ['✓ one', 'var(--vscode-terminal-ansiGreen)', ''],
      ['fail', 'var(--vscode-terminal-ansiRed)', 'strong'],
      ['hidden', '', ''],
      ['reversed', 'var(--vscode-terminal-ansiBlack)', ''],
      [' plain', '', ''],
    ],
  );
  await opened.close();
});

test('other colors than those of the theme are those of the program, as far as they can be read in the theme', async () => {
  const own = ['38;5;231mwhite', '38;2;0;0;0mblack', '38;5;205mpink'];
  const onOwn = ['38;5;231;48;5;16mon black', '48;5;215mon orange', '48;5;17mon blue', '7;38;5;215mreversed'];
  const output = [...own, ...onOwn, '31mred'].map((code) => `\x1b[${code}\x1b[0m`).join(' ');
  for (const theme of ['vscode-light', 'vscode-dark'] as const) {
    const opened = await host.open({ view: emptyView({ items: [toolItem('run', { toolKind: 'execute', status: 'failed', output })] }) });
    const pre = opened.page.getByLabel('Output', { exact: true });
    await assertOnScreen(pre.getByText('pink'));
    await opened.page.evaluate((name) => (document.body.className = name), theme);
    const lightness = async (words: string): Promise<number> => {
      const color = await pre.getByText(words, { exact: true }).evaluate((run) => getComputedStyle(run).color);
      return Number(/^(?:oklch\()([\d.]+)/.exec(color)?.[1] ?? assert.fail(color));
    };
    const all = [await lightness('white'), await lightness('black'), await lightness('pink')];
    assert.ok(
      all.every((one) => (theme === 'vscode-light' ? one <= 0.5 : one >= 0.72)),
      `${theme}: ${all.join()}`,
    );
    const colors = (words: string): Promise<readonly string[]> =>
      pre.getByText(words).evaluate((run) => [getComputedStyle(run).color, getComputedStyle(run).backgroundColor]);
    assert.deepEqual(await colors('on black'), ['rgb(255, 255, 255)', 'rgb(0, 0, 0)']);
    assert.deepEqual([await lightness('on orange'), await lightness('on blue')], [0, 1]);
    assert.equal((await colors('reversed'))[1], 'rgb(255, 175, 95)');
    assert.equal(
      await pre.getByText('red', { exact: true }).evaluate((run) => (run as HTMLElement).style.color),
      'var(--vscode-terminal-ansiRed)',
    );
    await opened.close();
  }
});

test('a command that runs in the host is stopped and opened as a terminal from its card', async () => {
  const run = toolItem('run', {
    toolKind: 'execute',
    verb: 'Run',
    target: 'npm test',
    input: 'npm test',
    status: 'in_progress',
    statusText: 'running',
    output: 'ok 1\n',
    terminal: 'running',
    locations: [],
  });
  for (const width of widths) {
    const opened = await host.open({ view: emptyView({ items: [run] }), width });
    const stop = opened.page.getByRole('button', { name: 'Stop command' });
    await assertOnScreen(stop);
    await stop.click();
    assert.deepEqual(await opened.message('stopCommand'), { type: 'stopCommand', id: 'run' });
    await opened.page.getByRole('button', { name: 'Open as Terminal' }).click();
    assert.deepEqual(await opened.message('openTerminal'), { type: 'openTerminal', id: 'run' });
    const ended = { ...run, status: 'failed', statusText: 'terminated by SIGTERM', terminal: 'shown' } as const;
    await opened.patch({ op: 'item', item: ended });
    await stop.waitFor({ state: 'hidden' });
    assert.equal(await opened.page.getByRole('button', { name: 'Open as Terminal' }).count(), 1);
    const { terminal: _, ...without } = ended;
    await opened.patch({ op: 'item', item: without });
    await opened.page.getByRole('button', { name: 'Open as Terminal' }).waitFor({ state: 'hidden' });
    await opened.close();
  }
});

test('a command of several lines is below its first line', async () => {
  const script = 'set -e\nnpm test';
  const view = toolItem('run', { toolKind: 'execute', verb: 'Run', target: 'set -e', input: script, status: 'in_progress', locations: [] });
  const opened = await host.open({ view: emptyView({ items: [view] }) });
  assert.equal(await opened.page.getByLabel('Input', { exact: true }).textContent(), script);
  await opened.close();
});

test('a rejected call has a neutral color, and the reason', async () => {
  const rejected = toolItem('write', { status: 'rejected', statusText: 'rejected', output: 'You rejected it.' });
  const failed = toolItem('other', { status: 'failed', statusText: 'failed', output: 'It broke.' });
  const opened = await host.open({ view: emptyView({ items: [rejected, failed] }) });
  await assertOnScreen(opened.page.getByText('You rejected it.'));
  const colors = await opened.page.locator('.tool-status').evaluateAll((nodes) => nodes.map((node) => getComputedStyle(node).color));
  assert.notEqual(colors[0], colors[1]);
  assert.equal(await opened.page.locator('.tool.rejected .codicon-error').count(), 0);
  await opened.close();
});

test('the duration of a call does not include the wait for the user, and is paused meanwhile', async () => {
  const times = { startedAt: noon - 60_000, waitsSince: noon - 57_000 };
  const asked = toolItem('asked', { status: 'in_progress', statusText: 'needs input', ...times });
  const done = toolItem('done', { startedAt: noon, endedAt: noon + 60_000, waitedMs: 55_000 });
  const opened = await host.open({ view: emptyView({ items: [asked, done] }), fakeClock: true });
  assert.deepEqual(await opened.page.locator('.tool-age').allTextContents(), ['3 s', '5 s']);
  assert.equal(await opened.page.locator('.tool .codicon-modifier-spin').count(), 0);
  await opened.close();
});

test('a call is collapsed while its request shows the same, unless the user reads it', async () => {
  const diffs = [{ path: '/project/a.ts', oldText: 'a', newText: 'b', added: 1, removed: 1 }];
  const edit = toolItem('edit', { toolKind: 'edit', verb: 'Edit', diffs, status: 'in_progress', statusText: 'running' });
  const asked = { ...edit, statusText: 'needs input', waitsSince: noon } as const;
  const opened = await host.open({ view: emptyView({ items: [edit] }) });
  const change = opened.page.locator('.tool-body');
  await change.waitFor();
  await opened.patch({ op: 'item', item: asked });
  await change.waitFor({ state: 'hidden' });
  await opened.page.getByRole('button', { name: 'Edit', exact: true }).click();
  await opened.patch({ op: 'item', item: { ...asked, title: 'Edit a.ts' } });
  assert.equal(await change.isVisible(), true);
  await opened.close();
});

test('a title is shortened only if necessary, and leaves space for its target', async () => {
  const title = 'mcp__github__create_pull_request_with_reviewers';
  const named = toolItem('named', { toolKind: 'other', title, verb: title, locations: [] });
  for (const [width, target, isCut] of [
    [480, undefined, false],
    [560, 'acp-host', false],
    [260, undefined, true],
    [260, 'acp-host', true],
  ] as const) {
    const { target: _, ...untargeted } = named;
    const item = target === undefined ? untargeted : { ...named, target };
    const opened = await host.open({ view: emptyView({ items: [item] }), width });
    await assertOnScreen(opened.page.locator('.tool-verb'));
    await assertOnScreen(opened.page.locator('.tool-status .codicon'));
    const at = `${width} px, ${target ?? 'no target'}`;
    // The head gets its final places only once the fonts are there. Before, a title may fit that will not.
    await opened.page.evaluate(() => document.fonts.ready);
    const isAsWanted = await opened.page
      .waitForFunction(
        ([cut, isTargeted]) => {
          const [verb, toggle, status, named] = ['.tool-verb', '.tool-toggle', '.tool-status', '.tool-target'].map((part) =>
            document.querySelector(`.tool-head ${part}`),
          );
          if (!verb || !toggle || !status || verb.scrollWidth > verb.clientWidth !== cut) return false;
          if (isTargeted) return (named?.getBoundingClientRect().width ?? 0) > 50;
          const space = status.getBoundingClientRect().left - toggle.getBoundingClientRect().right;
          // A shortened title uses the whole row.
          return !cut || (space < 20 && space >= 0);
        },
        [isCut, target !== undefined] as const,
      )
      .then(
        () => true,
        () => false,
      );
    assert.ok(isAsWanted, at);
    await opened.close();
  }
});

test('a short verb is never shortened, however long its target and numbers are', async () => {
  const diffs = [{ path: '/project/a.ts', oldText: 'a', newText: 'b', added: 1234, removed: 1234 }];
  const target = 'src/a/very/long/path/to/some/file/that/does/not/fit.ts';
  const item = toolItem('edit', { toolKind: 'edit', verb: 'Edit', target, diffs, status: 'in_progress', statusText: 'running' });
  for (const width of widths) {
    const opened = await host.open({ view: emptyView({ items: [item] }), width });
    assert.equal(await opened.page.locator('.tool-verb').evaluate((node) => node.scrollWidth > node.clientWidth), false);
    await opened.close();
  }
});

test('a long path is cut at its beginning, and a pattern at its end', async () => {
  const path = 'src/a/very/long/path/to/some/file/that/does/not/fit.ts';
  const locations = [{ path: `/project/${path}`, line: 2, label: `${path}:2` }];
  const items = [
    toolItem('edit', { toolKind: 'edit', verb: 'Edit', target: path, locations }),
    toolItem('search', { toolKind: 'search', verb: 'Search', target: 'function aVeryLongName(withArguments, andMore)', locations }),
  ];
  const opened = await host.open({ view: emptyView({ items }), width: 300 });
  const targets = opened.page.locator('.tool-target');
  await assertOnScreen(targets.last());
  const cut = await targets.evaluateAll((all) =>
    all.map((target) => {
      const [box, text] = [target, target.querySelector('[dir]')].map((one) => one?.getBoundingClientRect());
      if (box === undefined || text === undefined) return undefined;
      return [...(text.left < box.left - 1 ? ['beginning'] : []), ...(text.right > box.right + 1 ? ['end'] : [])];
    }),
  );
  assert.deepEqual(cut, [['beginning'], ['end']]);
  await opened.close();
});

test('a place that the agent tells later is where the row leads, and so is another line of it', async () => {
  const read = toolItem('read', { toolKind: 'read', verb: 'Read', target: 'a.ts', status: 'in_progress', locations: [] });
  const opened = await host.open({ view: emptyView({ items: [read] }) });
  const link = opened.page.locator('.tool-target').getByRole('link');
  assert.equal(await link.count(), 0);
  const path = '/project/a.ts';
  await opened.patch({ op: 'item', item: { ...read, locations: [{ path, label: 'a.ts' }] } });
  await link.click();
  assert.deepEqual(await opened.message('openLocation'), { type: 'openLocation', path });
  await opened.patch({ op: 'item', item: { ...read, locations: [{ path, line: 7, label: 'a.ts:7' }] } });
  await link.click();
  await opened.page.waitForFunction(() => window.recorded.some((message) => message.type === 'openLocation' && message.line === 7));
  await opened.close();
});

test('only the icon of an error has its color, not the arrow of its details', async () => {
  const failed: ItemView = {
    kind: 'turn_end',
    id: 'e',
    severity: 'error',
    text: 'It failed.',
    detail: 'stderr',
    durationMs: 1,
    files: [],
    buttons: [],
    at: noon,
  };
  const opened = await host.open({ view: emptyView({ items: [failed] }) });
  const colorOf = (selector: string) => opened.page.locator(selector).evaluate((node) => getComputedStyle(node).color);
  assert.equal(await colorOf('.turn-end summary .codicon'), await colorOf('.turn-end summary'));
  assert.notEqual(await colorOf('.turn-end-line > .codicon'), await colorOf('.turn-end summary'));
  await opened.close();
});

test('the label of a button stays on one line beside a long path', async () => {
  const diff = { path: '/p/a.ts', label: 'packages/a-name-without-end/src/parser.ts', newText: 'b\n', added: 1, removed: 0 };
  const running = toolItem('edit', { toolKind: 'edit', verb: 'Edit', status: 'in_progress', statusText: 'running', diffs: [diff] });
  for (const width of [220, ...widths]) {
    const opened = await host.open({ view: emptyView({ items: [running, { ...running, id: 'done', status: 'completed' }] }), width });
    const buttons = opened.page.getByRole('button', { name: /^Open diff/ });
    const lines = await buttons.evaluateAll((nodes) =>
      nodes.map((node) => {
        const words = document.createRange();
        words.selectNodeContents(node);
        return new Set([...words.getClientRects()].map(({ top }) => Math.round(top))).size;
      }),
    );
    assert.ok(lines.length > 0 && lines.every((count) => count === 1), `${lines.join()} at ${width} px`);
    await opened.close();
  }
});

test('the counts of a change open it, and a word says that it failed, at any width', async () => {
  const diff = { path: '/p/a.ts', label: 'packages/a-name-without-end/src/parser.ts', newText: 'b\n', added: 12, removed: 3 };
  const one = toolItem('one', { toolKind: 'edit', verb: 'Edit', target: diff.label, diffs: [diff] });
  const failed = { ...one, id: 'failed', status: 'failed', statusText: 'failed', endedAt: noon + 75_000 } as const;
  const several = { ...one, id: 'several', diffs: [diff, { ...diff, path: '/p/b.ts' }] };
  for (const width of [220, ...widths]) {
    const opened = await host.open({ view: emptyView({ items: [one, failed, several] }), width });
    const counts = opened.page.locator('.tool-counts > button');
    await assertOnScreen(counts);
    assert.deepEqual(await counts.allTextContents(), ['+12 −3', '+12 −3', '+24 −6']);
    await counts.first().click();
    assert.deepEqual(await opened.message('openDiff'), { type: 'openDiff', itemId: 'one', index: 0 });
    await assertOnScreen(opened.page.getByText('failed', { exact: true }));
    assert.equal(await opened.page.locator('.tool.open').count(), 1);
    await counts.nth(2).click();
    assert.equal(await opened.page.locator('.tool.open').count(), 2);
    await opened.close();
  }
});

test('the end of a turn says the time of the agent, and apart from it that of the user', async () => {
  const end: ItemView = {
    kind: 'turn_end',
    id: 'e',
    severity: 'info',
    durationMs: 3_000,
    waitedMs: 90_000,
    files: [],
    buttons: [],
    at: noon,
  };
  const items: ItemView[] = [end, { ...end, id: 'f', waitedMs: 40 }, { ...end, id: 'g', durationMs: 40 }];
  const opened = await host.open({ view: emptyView({ items }) });
  const ends = opened.page.locator('.turn-end');
  await ends.nth(2).waitFor();
  assert.deepEqual(await ends.allInnerTexts(), ['3 s, you 1 min 30 s', '3 s', '']);
  await opened.close();
});

test('sending a turn again stands out after a failure, and not after the user stopped it', async () => {
  const lookOf = async (severity: 'error' | 'info'): Promise<string> => {
    const end: ItemView = {
      kind: 'turn_end',
      id: 'e',
      severity,
      text: 'It ended',
      durationMs: 3_000,
      files: [],
      buttons: [{ action: 'retry', label: 'Resend' }],
      at: noon,
    };
    const opened = await host.open({ view: emptyView({ items: [end] }) });
    const button = opened.page.getByRole('button', { name: 'Resend' });
    const color = await button.evaluate((shown) => getComputedStyle(shown).backgroundColor);
    await opened.close();
    return color;
  };
  assert.notEqual(await lookOf('info'), await lookOf('error'));
});
