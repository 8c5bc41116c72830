/** How the page looks and reads: every theme, with and without a screen reader. Screenshots are saved in out/screenshots for review. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { screenshotFolder, type OpenOptions, type OpenPage } from './harness.js';
import { hostForTests, shoot, shootAgain } from './pageTests.js';
import { recoveryViews } from './recoveryViews.js';
import { agentItem, emptyView, longForm, noon, permissionPrompt, questionPrompt, richView, toolItem, userItem } from './views.js';

const host = hostForTests();
const otherThemes = ['light2026', 'dark2026', 'light', 'highContrast', 'highContrastLight'] as const;
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
  const violations = await page.evaluate(async () => (await window.axe.run({ rules: { 'target-size': { enabled: true } } })).violations);
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)} ${failureSummary}`));
}

const diffs = [{ path: '/project/src/parser.ts', oldText: 'one\ntwo\nthree\n', newText: 'one\n2\nthree\nfour\n', added: 2, removed: 1 }];
const [diff] = diffs;
const edit = permissionPrompt({
  title: 'Edit src/parser.ts?',
  toolKind: 'edit',
  parts: diff === undefined ? [] : [{ type: 'diff', diff }],
});

const scenes: Readonly<Record<string, OpenOptions>> = {
  chat: { view: richView(), height: 1500 },
  'chat-permission': { view: richView({ prompts: [permissionPrompt(), questionPrompt()] }), height: 900 },
  'chat-question': { view: richView({ prompts: [questionPrompt()] }), height: 900 },
  'chat-form': { view: richView({ prompts: [longForm()] }), height: 1200 },
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
  describe(name, () => {
    let opened: OpenPage;
    before(async () => {
      opened = await shoot(host, `${name}-dark`, options);
      for (const theme of otherThemes) {
        await opened.showTheme(theme);
        await shootAgain(opened, `${name}-${theme}`);
      }
      await opened.page.clock.resume();
      await opened.page.evaluate(axe);
    });
    after(() => opened.close());

    for (const theme of ['dark', ...otherThemes] as const) {
      test(`has no serious violation, ${theme}`, async () => {
        await opened.showTheme(theme);
        assert.deepEqual(await seriousViolations(opened), []);
        await opened.assertClean();
      });
    }
  });
}

describe('accessibility settings', () => {
  test('right-to-left text is aligned right, code left', async () => {
    const opened = await shoot(host, 'rtl', {
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

  test('with reduced motion nothing is animated', async () => {
    const opened = await shoot(host, 'still', { view: richView(), reducedMotion: true });
    assert.deepEqual(await opened.page.evaluate(() => document.getAnimations().length), 0);
    await opened.close();
  });

  test('with the setting of the editor for reduced motion nothing is animated', async () => {
    const opened = await host.open({ view: richView() });
    assert.notEqual(await opened.page.evaluate(() => document.getAnimations().length), 0);
    await opened.page.evaluate(() => document.body.classList.add('vscode-reduce-motion'));
    assert.equal(await opened.page.evaluate(() => document.getAnimations().length), 0);
    await opened.close();
  });

  test('with forced colors, borders and the focus stay visible', async () => {
    const opened = await host.open({ view: richView({ prompts: [permissionPrompt()] }), ownPage: true });
    await opened.page.emulateMedia({ forcedColors: 'active' });
    await opened.page.screenshot({ path: path.join(screenshotFolder, 'page-forced-colors.png') });
    assert.notEqual(await opened.page.getByRole('dialog').evaluate((node) => getComputedStyle(node).borderTopStyle), 'none');
    await opened.close();
  });

  test('every control has a name and can be reached with Tab', async () => {
    const opened = await host.open({ view: richView(), height: 1500 });
    // Controls that appear on the way, such as the button to the end of the conversation, don't count.
    const controls = await opened.page
      .locator('button:enabled:visible, select:visible, textarea:visible, a.link:visible, summary:visible, input:enabled:visible')
      .elementHandles();
    assert.ok(controls.length > 20, `${controls.length} controls`);
    await opened.page.evaluate(() => addEventListener('focusin', ({ target }) => (target as Element).setAttribute('data-reached', '')));
    for (let step = 0; step < controls.length + 20; step++) await opened.page.keyboard.press('Tab');
    const missed = await Promise.all(
      controls.map((control) =>
        control.evaluate((node) => (node instanceof Element && !node.hasAttribute('data-reached') ? node.outerHTML.slice(0, 160) : '')),
      ),
    );
    assert.deepEqual(
      missed.filter((html) => html !== ''),
      [],
    );
    await opened.close();
  });
});
