/**
 * How the page looks and reads: every theme and every width, with and without a screen reader. Screenshots are saved in out/screenshots for
 * review.
 */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { before, describe, test } from 'node:test';
import { screenshotFolder, type OpenOptions, type OpenPage } from './harness.js';
import { assertReachable, widths } from './onScreen.js';
import { hostForTests } from './pageTests.js';
import { loadFailedView, recoveryViews } from './recoveryViews.js';
import { agentItem, emptyView, everyField, noon, permissionPrompt, questionPrompt, richView, toolItem, userItem } from './views.js';

const host = hostForTests();
let axe: string;
before(async () => {
  axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
});

interface Violation {
  readonly id: string;
  readonly impact: string | null;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}
declare global {
  interface Window {
    axe: { run(options?: object): Promise<{ violations: Violation[] }> };
  }
}

async function seriousViolations({ page }: OpenPage): Promise<string[]> {
  await page.clock.resume();
  await page.evaluate(axe);
  const violations = await page.evaluate(async () => (await window.axe.run({ rules: { 'target-size': { enabled: true } } })).violations);
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)} ${failureSummary}`));
}

async function shoot(name: string, options: OpenOptions): Promise<OpenPage> {
  const { view = emptyView(), ...rest } = options;
  const opened = await host.open({ ...rest, fakeClock: true });
  await opened.snapshot(view);
  await opened.page.clock.runFor(1000);
  await opened.page.evaluate(() => document.fonts.ready);
  await opened.page.screenshot({ path: path.join(screenshotFolder, `page-${name}.png`) });
  return opened;
}

/** But what scrolls by itself or is cut with an ellipsis. */
async function widestOverflow({ page }: OpenPage): Promise<string[]> {
  return page
    .locator('body, body *')
    .evaluateAll((nodes) =>
      nodes
        .filter(
          (node) =>
            node.getClientRects().length > 0 &&
            node.getBoundingClientRect().right > innerWidth + 0.5 &&
            node.closest('.table, .sr-only, .tool-target > *') === null,
        )
        .map((node) => `${node.className}: ${Math.round(node.getBoundingClientRect().right)}`),
    );
}

const diffs = [{ path: '/project/src/parser.ts', oldText: 'one\ntwo\nthree\n', newText: 'one\n2\nthree\nfour\n', added: 2, removed: 1 }];
const [diff] = diffs;
const edit = permissionPrompt({
  title: 'Edit src/parser.ts?',
  toolKind: 'edit',
  parts: diff === undefined ? [] : [{ type: 'diff', diff }],
});

const form = questionPrompt({ title: 'New service', message: 'How should it run?', fields: [...everyField], canDecline: true });

for (const theme of ['dark', 'light', 'highContrast', 'highContrastLight'] as const) {
  describe(theme, () => {
    const scenes: Readonly<Record<string, OpenOptions>> = {
      chat: { view: richView(), height: 1500 },
      'chat-permission': { view: richView({ prompts: [permissionPrompt(), questionPrompt()] }), height: 900 },
      'chat-question': { view: richView({ prompts: [questionPrompt()] }), height: 900 },
      'chat-form': { view: richView({ prompts: [form] }), height: 1200 },
      empty: { view: emptyView() },
      ...Object.fromEntries(Object.entries(recoveryViews()).map(([name, view]) => [name, { view }])),
      'prompt-late': {
        view: richView({
          prompts: [permissionPrompt({ note: 'agentao asked after its last turn ended.', until: noon + 100_000 })],
        }),
      },
      'prompts-page': { view: emptyView({ prompts: [edit] }), surface: 'prompts', width: 720, height: 480 },
      'sign-in': {
        view: emptyView({
          header: { agent: 'agentao', state: 'failed', stateText: 'needs a key' },
          banner: {
            severity: 'warning',
            title: 'agentao needs a provider',
            text: 'It has no API key yet. Sign in, or store a key.',
            detail: 'session/new answered -32000',
            buttons: [
              { action: 'signIn', label: 'Sign in' },
              { action: 'setApiKey', label: 'Set API key' },
            ],
          },
          composer: { ...emptyView().composer, disabledReason: 'Sign in first.' },
        }),
      },
    };
    for (const [name, options] of Object.entries(scenes)) {
      test(`${name} has no serious violation`, async () => {
        const opened = await shoot(`${name}-${theme}`, { ...options, theme });
        assert.deepEqual(await seriousViolations(opened), []);
        await opened.assertClean();
        await opened.close();
      });
    }
  });
}

describe('any width', () => {
  for (const width of widths) {
    for (const [name, view] of Object.entries({
      chat: richView(),
      'chat with a request': richView({ prompts: [permissionPrompt(), questionPrompt()] }),
      empty: emptyView(),
      ...recoveryViews(),
    })) {
      test(`every control can be reached and seen at ${width} px: ${name}`, async () => {
        const opened = await host.open({ view, width });
        await assertReachable(opened);
        await opened.close();
      });
    }
  }

  for (const width of [220, 320, 1200]) {
    for (const prompts of [[], [permissionPrompt()], [questionPrompt()], [form, permissionPrompt()]]) {
      test(`nothing sticks out at ${width} px with ${prompts[0]?.title ?? 'no prompt'}`, async () => {
        const opened = await shoot(`${width}-${prompts[0] === form ? 'fields' : (prompts[0]?.kind ?? 'chat')}`, {
          view: richView({ prompts }),
          width,
          height: 900,
        });
        assert.deepEqual(await widestOverflow(opened), []);
        await opened.close();
      });
    }
  }

  for (const [name, view] of Object.entries({
    ...recoveryViews(),
  })) {
    test(`nothing sticks out at 250 px: ${name}`, async () => {
      const opened = await shoot(`250-${name}`, { view, width: 250, height: 900 });
      assert.deepEqual(await widestOverflow(opened), []);
      await opened.close();
    });
  }

  test('the title of one of several prompts has room for words, and their tools are at the end of the line', async () => {
    const opened = await host.open({ view: richView({ prompts: [form, permissionPrompt()] }), width: 220, height: 900 });
    const boxOf = async (selector: string) => (await opened.page.locator(selector).boundingBox()) ?? assert.fail(selector);
    const [head, title, tools] = [await boxOf('.prompt-head'), await boxOf('#prompt-title'), await boxOf('.prompt-tools')];
    assert.ok(title.width > 100, `${title.width} px`);
    assert.ok(head.x + head.width - (tools.x + tools.width) < 10);
    await opened.close();
  });

  test('what explains a box to check stands below it', async () => {
    const opened = await host.open({ view: emptyView({ prompts: [form] }), height: 1200 });
    const box = await opened.page.getByRole('checkbox', { name: 'Reachable' }).boundingBox();
    const description = await opened.page.getByText('Needs a certificate.').boundingBox();
    assert.ok(box !== null && description !== null && description.y >= box.y + box.height - 1);
    await opened.close();
  });

  test('the name of the agent gives way last', async () => {
    const opened = await host.open({ view: loadFailedView(), width: 220 });
    const cut = await opened.page.locator('.agent-name').evaluate((node) => node.scrollWidth > node.clientWidth);
    assert.equal(cut, false);
    await opened.close();
  });

  test('at 200 % zoom a prompt can still be read and decided', async () => {
    const opened = await shoot('zoom-200', {
      view: richView({ prompts: [permissionPrompt()] }),
      width: 210,
      height: 360,
      deviceScaleFactor: 2,
    });
    const allow = opened.page.getByRole('button', { name: 'Allow once' });
    await allow.scrollIntoViewIfNeeded();
    await allow.click();
    assert.deepEqual(await opened.message('select'), { type: 'select', promptId: 'ask-1', optionId: 'yes' });
    assert.deepEqual(await widestOverflow(opened), []);
    await opened.close();
  });
});

describe('other eyes', () => {
  test('text from right to left reads from the right, code from the left', async () => {
    const opened = await shoot('rtl', {
      view: richView({
        items: [
          userItem('u', 'اجعل المحلل متسامحا'),
          agentItem('a', 'وجدت **مكانين** في `src/parser.ts:41`\n\n- أول\n- ثان\n\n```ts\nconst a = 1;\n```\n'),
          toolItem('x'),
        ],
      }),
    });
    assert.equal(
      await opened.page
        .locator('.agent p')
        .first()
        .evaluate((node) => getComputedStyle(node).direction),
      'rtl',
    );
    assert.equal(await opened.page.locator('.agent pre code').evaluate((node) => getComputedStyle(node).direction), 'ltr');
    await opened.close();
  });

  test('nothing moves for those who asked for it', async () => {
    const opened = await shoot('still', { view: richView(), reducedMotion: true });
    assert.deepEqual(await opened.page.evaluate(() => document.getAnimations().length), 0);
    await opened.close();
  });

  test('forced colours keep borders and the focus', async () => {
    const opened = await host.open({ view: richView({ prompts: [permissionPrompt()] }) });
    await opened.page.emulateMedia({ forcedColors: 'active' });
    await opened.page.screenshot({ path: path.join(screenshotFolder, 'page-forced-colors.png') });
    assert.notEqual(await opened.page.getByRole('dialog').evaluate((node) => getComputedStyle(node).borderTopStyle), 'none');
    await opened.close();
  });

  test('every control has a name and is reached with Tab', async () => {
    const opened = await host.open({ view: richView(), height: 1500 });
    const total = await opened.page
      .locator('button:enabled:visible, select:visible, textarea:visible, a.link:visible, summary:visible, input:enabled:visible')
      .count();
    const reached = new Set<string>();
    for (let step = 0; step < total + 20; step++) {
      await opened.page.keyboard.press('Tab');
      reached.add(
        await opened.page.evaluate(() => {
          const all = [...document.querySelectorAll('button, select, textarea, a.link, summary, input')];
          return String(document.activeElement === null ? -1 : all.indexOf(document.activeElement));
        }),
      );
    }
    reached.delete('-1');
    assert.equal(reached.size, total);
    await opened.close();
  });
});
