/** The page of the traffic inspector in a real browser. */
import assert from 'node:assert/strict';
import { mkdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { type TrafficHostMessage, type TrafficPageMessage, trafficPageMessageSchema, type TrafficRow } from '../../src/contract/traffic.js';
import { type OpenOptions, type OpenPage, type PageHost, screenshotFolder, startPageHost } from './harness.js';
import { stickingOut } from './onScreen.js';

let host: PageHost;
let axe: string;
before(async () => {
  host = await startPageHost();
  axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  await mkdir(screenshotFolder, { recursive: true });
});
after(() => host.close());

const noon = Date.UTC(2026, 0, 31, 12);

function row(key: number, part: Partial<TrafficRow> = {}): TrafficRow {
  return {
    key,
    agent: 'agentao',
    at: noon + key * 7,
    direction: 'received',
    kind: 'notification',
    method: 'session/update',
    session: 'sess-1',
    text: `{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"word ${key}"}}`,
    bytes: 180,
    ...part,
  };
}

/** A conversation as the inspector shows it. */
const rows: readonly TrafficRow[] = [
  { key: 1, agent: 'agentao', at: noon, direction: 'received', kind: 'process', text: 'Agent started', bytes: 0 },
  row(2, {
    kind: 'request',
    direction: 'sent',
    method: 'initialize',
    id: '0',
    text: '{"protocolVersion":1}',
    session: '',
    outcome: 'ok',
    durationMs: 412,
    partner: 4,
  }),
  { key: 3, agent: 'agentao', at: noon + 100, direction: 'received', kind: 'noise', text: 'Welcome to agentao', bytes: 18 },
  row(4, {
    kind: 'response',
    method: 'initialize',
    id: '0',
    text: '{"protocolVersion":1,"agentInfo":{"name":"agentao"}}',
    outcome: 'ok',
    durationMs: 412,
    partner: 2,
  }),
  row(5, {
    kind: 'request',
    direction: 'sent',
    method: 'session/prompt',
    id: '2',
    text: '[{"type":"text","text":"make the parser tolerant"}]',
  }),
  row(6),
  row(7),
  row(8),
  row(9, {
    kind: 'request',
    method: 'session/request_permission',
    id: 'srv_1',
    text: '{"toolCall":{"title":"rm -rf build"}}',
    outcome: 'ok',
    durationMs: 2300,
    partner: 10,
  }),
  row(10, {
    kind: 'response',
    direction: 'sent',
    method: 'session/request_permission',
    id: 'srv_1',
    text: '{"outcome":{"outcome":"selected","optionId":"yes"}}',
    outcome: 'ok',
    durationMs: 2300,
    partner: 9,
  }),
  { key: 11, agent: 'agentao', at: noon + 3000, direction: 'received', kind: 'stderr', text: 'WARNING retrying in 4 s', bytes: 24 },
  row(12, {
    kind: 'request',
    direction: 'sent',
    method: 'session/set_mode',
    id: '3',
    text: '"plan"',
    outcome: 'error',
    durationMs: 3,
    partner: 13,
  }),
  row(13, {
    kind: 'response',
    method: 'session/set_mode',
    id: '3',
    text: '{"code":-32602,"message":"no such mode"}',
    outcome: 'error',
    durationMs: 3,
    partner: 12,
  }),
];

const post = ({ page }: OpenPage, message: TrafficHostMessage): Promise<void> => page.evaluate((data) => window.deliver(data), message);

async function openTraffic(options: OpenOptions = {}, first: readonly TrafficRow[] = rows): Promise<OpenPage> {
  const opened = await host.open({ surface: 'traffic', width: 900, ...options });
  await post(opened, { type: 'all', rows: [...first] });
  return opened;
}

async function said<T extends TrafficPageMessage['type']>(
  opened: OpenPage,
  type: T,
): Promise<readonly Extract<TrafficPageMessage, { type: T }>[]> {
  const all = (await opened.page.evaluate((): unknown[] => window.recorded)).map((message) => trafficPageMessageSchema.parse(message));
  return all.filter((message): message is Extract<TrafficPageMessage, { type: T }> => message.type === type);
}

const listOf = ({ page }: OpenPage) => page.getByRole('listbox', { name: 'Messages' });
const optionsOf = (opened: OpenPage) => listOf(opened).getByRole('option');

describe('the list of messages', () => {
  test('requests are shown with their outcome, and both messages of a pair can be selected', async () => {
    const opened = await openTraffic();
    assert.equal(await optionsOf(opened).count(), rows.length);
    await opened.page.getByRole('option', { name: /Request to agentao, id 0 .*initialize .*412 ms/ }).click();
    assert.equal((await said(opened, 'detail')).at(-1)?.key, 2);
    await post(opened, { type: 'detail', key: 2, text: '{\n  "method": "initialize"\n}', cut: false });
    assert.equal(await opened.page.getByLabel('Contents').textContent(), '{\n  "method": "initialize"\n}');
    assert.equal(await opened.page.locator('.traffic-row.partner').count(), 1);
    await opened.page.getByRole('button', { name: 'Show Response' }).click();
    await opened.page.getByRole('option', { name: /Response from agentao, id 0 .*initialize/, selected: true }).waitFor();
    await opened.assertClean();
    await opened.close();
  });

  test('a pending request is updated in place', async () => {
    const opened = await openTraffic();
    await opened.page.getByRole('option', { name: /id 2 .*session\/prompt .*waiting/ }).waitFor();
    await post(opened, {
      type: 'more',
      rows: [row(14, { kind: 'response', method: 'session/prompt', id: '2', outcome: 'ok', durationMs: 61_000, partner: 5 })],
      changes: [{ key: 5, outcome: 'ok', durationMs: 61_000, partner: 14 }],
    });
    await opened.page.getByRole('option', { name: /Request to agentao, id 2 .*session\/prompt .*61.0 s/ }).waitFor();
    await opened.close();
  });

  test('it can be navigated by keyboard, also from a request to its response', async () => {
    const opened = await openTraffic();
    await listOf(opened).focus();
    for (const key of ['Home', 'ArrowDown', 'Enter']) await opened.page.keyboard.press(key);
    assert.deepEqual(
      (await said(opened, 'detail')).map(({ key }) => key),
      [1, 2, 4],
    );
    assert.equal(await listOf(opened).getAttribute('aria-activedescendant'), 'row-4');
    await opened.page.keyboard.press('Control+c');
    assert.deepEqual(await said(opened, 'copy'), [{ type: 'copy', keys: [4] }]);
    await opened.close();
  });

  test('it follows the newest message until the user scrolls away', async () => {
    const many = Array.from({ length: 200 }, (_, index) => row(index + 1));
    const opened = await openTraffic({}, many);
    await opened.page.getByRole('option', { name: /word 200"/ }).waitFor();
    await listOf(opened).evaluate((node) => void (node.scrollTop = 0));
    await opened.page.waitForFunction(() => document.querySelector('[aria-posinset="1"]') !== null);
    await post(opened, { type: 'more', rows: [row(201)], changes: [] });
    assert.equal(await listOf(opened).evaluate((node) => node.scrollTop), 0);
    await opened.close();
  });
});

describe('the filter', () => {
  test('it filters by text, method, direction and session, and the visible messages are copied and exported', async () => {
    const opened = await openTraffic();
    await opened.page.getByRole('searchbox', { name: 'Filter by text' }).fill('word 7');
    assert.equal(await optionsOf(opened).count(), 1);
    assert.equal(await opened.page.locator('.traffic-count').textContent(), '1 of 13');
    await opened.page.getByRole('button', { name: 'Show All' }).click();
    await opened.page.getByRole('combobox', { name: 'Method' }).selectOption('session/set_mode');
    await opened.page.getByRole('combobox', { name: 'Direction' }).selectOption('received');
    assert.equal(await optionsOf(opened).count(), 1);
    await opened.page.getByRole('button', { name: 'Copy Visible' }).click();
    await opened.page.getByRole('button', { name: 'Export Visible as Trace' }).click();
    assert.deepEqual(await said(opened, 'copy'), [{ type: 'copy', keys: [13] }]);
    assert.deepEqual(await said(opened, 'export'), [{ type: 'export', keys: [13] }]);
    await opened.page.getByRole('combobox', { name: 'Session' }).selectOption('sess-1');
    await opened.page.getByRole('searchbox').fill('nothing holds this');
    await opened.page.getByText('No messages match.').waitFor();
    await opened.close();
  });

  test('with several agents it filters by agent, and is kept while the page is hidden', async () => {
    const opened = await openTraffic({}, [...rows, row(20, { agent: 'demo' })]);
    await opened.page.getByRole('combobox', { name: 'Agent' }).selectOption('demo');
    assert.equal(await optionsOf(opened).count(), 1);
    await opened.page.reload();
    await post(opened, { type: 'all', rows: [...rows, row(20, { agent: 'demo' })] });
    assert.equal(await optionsOf(opened).count(), 1);
    await opened.close();
  });
});

test('the message of a selected row does not cover the row', async () => {
  const opened = await openTraffic(
    {},
    Array.from({ length: 200 }, (_, key) => row(key + 1)),
  );
  const last = optionsOf(opened).last();
  await last.click();
  await post(opened, { type: 'detail', key: 200, text: 'x\n'.repeat(50), cut: false });
  await opened.page.getByLabel('Contents').waitFor();
  const isInView = async (): Promise<boolean> => {
    const [list, selected] = await Promise.all([
      listOf(opened).boundingBox(),
      listOf(opened).getByRole('option', { selected: true }).boundingBox(),
    ]);
    return list !== null && selected !== null && selected.y + selected.height <= list.y + list.height + 1;
  };
  while (!(await isInView())) await opened.page.evaluate(() => new Promise(requestAnimationFrame));
  await opened.close();
});

test('the selected row is selected again after the page was hidden, unless its key is that of another row by now', async () => {
  for (const isSame of [true, false]) {
    const opened = await openTraffic();
    const [chosen = assert.fail('no row')] = rows;
    await optionsOf(opened).first().click();
    assert.equal((await said(opened, 'detail')).length, 1);
    await opened.page.reload();
    await post(opened, { type: 'all', rows: isSame ? [...rows] : [{ ...chosen, at: chosen.at + 1 }, ...rows.slice(1)] });
    await optionsOf(opened).first().waitFor();
    assert.deepEqual(await said(opened, 'detail'), isSame ? [{ type: 'detail', key: chosen.key }] : []);
    assert.equal(await listOf(opened).getByRole('option', { selected: true }).count(), isSame ? 1 : 0);
    await opened.close();
  }
});

test('pause, resume and clear are sent to the host', async () => {
  const opened = await openTraffic();
  await opened.page.getByRole('button', { name: 'Pause' }).click();
  await opened.page.getByText('· paused').waitFor();
  await opened.page.getByRole('button', { name: 'Resume' }).click();
  await opened.page.getByRole('button', { name: 'Clear' }).click();
  assert.deepEqual(await said(opened, 'pause'), [
    { type: 'pause', paused: true },
    { type: 'pause', paused: false },
  ]);
  assert.equal((await said(opened, 'clear')).length, 1);
  await post(opened, { type: 'all', rows: [] });
  await opened.page.getByText(/No messages yet/).waitFor();
  await opened.assertClean();
  await opened.close();
});

test('with 10,000 messages a second, the page stays responsive and the list bounded', async () => {
  const opened = await openTraffic({}, []);
  const free = await opened.page.evaluate(async (sample) => {
    let longest = 0;
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) longest = Math.max(longest, duration);
    }).observe({ type: 'longtask' });
    const row = { ...sample };
    for (let batch = 0; batch < 50; batch++) {
      const rows = Array.from({ length: 200 }, (_, index) => ({ ...row, key: batch * 200 + index + 1 }));
      await window.deliver({ type: 'more', rows, changes: [] });
      await new Promise((resolve) => requestAnimationFrame(resolve));
    }
    return { longest, drawn: document.querySelectorAll('.traffic-row').length };
  }, row(1));
  await opened.page.getByText('2000 messages').waitFor();
  assert.ok(free.drawn < 80, `${free.drawn} rows drawn`);
  // Rendering a row for each message would cost many times as much, even on a busy machine.
  assert.ok(free.longest < 1000, `a task of ${free.longest} ms`);
  await opened.assertClean();
  await opened.close();
});

for (const theme of ['dark', 'light', 'highContrast'] as const) {
  for (const width of [900, 250]) {
    test(`${theme} at ${width} px: nothing overflows, and there is no serious accessibility violation`, async () => {
      const opened = await openTraffic({ theme, width, height: 620 }, [...rows, row(20, { agent: 'demo' })]);
      await opened.page.getByRole('option', { name: /Request to agentao, id 0/ }).click();
      await post(opened, {
        type: 'detail',
        key: 2,
        text: JSON.stringify(
          {
            jsonrpc: '2.0',
            id: 0,
            method: 'initialize',
            params: { protocolVersion: 1, clientInfo: { name: 'acp-host', version: '0.1.0' } },
          },
          undefined,
          2,
        ),
        cut: false,
      });
      await opened.page.evaluate(() => document.fonts.ready);
      await opened.page.screenshot({ path: path.join(screenshotFolder, `traffic-${width}-${theme}.png`) });
      assert.deepEqual(await stickingOut(opened), []);
      await opened.assertClean();
      await opened.page.evaluate(axe);
      const violations = await opened.page.evaluate(
        async () => (await window.axe.run({ rules: { 'target-size': { enabled: true } } })).violations,
      );
      assert.deepEqual(
        violations
          .filter(({ impact }) => impact === 'serious' || impact === 'critical')
          .flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 160)} ${failureSummary}`)),
        [],
      );
      await opened.close();
    });
  }
}
