/** What an agent does after its turn, as the extension draws it. */
import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import type { SessionEvent } from '../../src/core/index.js';
import { draw, sessionOf, start, turn } from '../extension/drawnChat.js';
import { screenshotFolder } from './harness.js';
import { assertOnScreen } from './onScreen.js';
import { hostForTests } from './pageTests.js';

const host = hostForTests();
const outcome = { type: 'ended', stopReason: 'end_turn', silent: false } as const;
const says = (text: string): SessionEvent => ({ type: 'message', at: start, role: 'agent', content: { type: 'text', text } });
/** Beside the clock of the page. */
const began = Date.now() - 12_000;
const patch = { title: 'Explore', description: 'Finds callers', status: 'running', canStop: true } as const;
const events: readonly SessionEvent[] = [
  turn,
  { type: 'subagent', at: began, agentId: 'k', patch },
  says('A sub-agent looks for callers. I tell you when it is done.'),
  { type: 'turn_ended', at: start + 4_000, turnId: 't1', outcome },
  says('It has found two so far.'),
];

for (const theme of ['light', 'dark'] as const)
  for (const width of [250, 300, 700])
    test(`the heading, and what still works with its age and Stop, at ${width} px, ${theme}`, async () => {
      const { view } = draw({ session: sessionOf(...events) });
      const opened = await host.open({ view, width, height: 640, theme });
      const { page } = opened;
      await assertOnScreen(page.getByText('After the turn', { exact: true }));
      await assertOnScreen(page.getByText(/Sub-agent · Explore still works/));
      const rows = await page.locator('.wait > *').evaluateAll((nodes) => nodes.map((node) => node.getBoundingClientRect()));
      assert.ok(rows.every(({ top, bottom }) => top < (rows[0]?.bottom ?? 0) && bottom > (rows[0]?.top ?? 0)));
      await page.screenshot({ path: path.join(screenshotFolder, `lateWork-${width}-${theme}.png`) });
      await page.getByRole('button', { name: 'Stop', exact: true }).click();
      const { action } = (await opened.message('action')) as { readonly action: string };
      assert.equal(action, 'stop');
    });
