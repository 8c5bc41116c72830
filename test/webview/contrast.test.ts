/** Every text is readable in each theme of the editor, including the editor's own styles for code and keys. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { ChatView } from '../../src/contract/view.js';
import { hardToRead } from './contrast.js';
import { type OpenPage } from './harness.js';
import { hostForTests } from './pageTests.js';
import { type ThemeName, themes } from './themes.js';
import { recoveryViews } from './recoveryViews.js';
import { agentItem, emptyView, longForm, noon, permissionPrompt, questionPrompt, richView, toolItem } from './views.js';

const host = hostForTests();
const allThemes = Object.keys(themes) as ThemeName[];

/** One of each kind of token. */
const code = [
  'Say `npm test`, then see [`parse`](src/parser.ts).',
  '```ts\n// a comment\n@sealed\nexport class Parser extends Base<string> {\n  limit = 12;\n  name = "text";\n  parse(text: string): number { return null ?? 1; }\n}\n```',
  '```diff\n-one\n+two\n```',
].join('\n\n');

const diff = { path: '/project/a.ts', oldText: 'one\ntwo\n', newText: 'one\n2\n', added: 1, removed: 1 };
const failed = emptyView({
  header: {
    agent: 'agentao',
    caveat: { label: 'unencrypted', title: 'Everybody can read it.' },
    state: 'failed',
    stateText: 'failed',
  },
  banner: {
    severity: 'error',
    title: 'agentao could not start',
    text: 'It was not found.',
    command: 'pip install agentao',
    detail: 'ENOENT',
    buttons: [
      { action: 'restartAgent', label: 'Check Again' },
      { action: 'showLog', label: 'Show Log' },
    ],
  },
  items: [
    agentItem('a', code),
    toolItem('t1', { verb: 'Edit', toolKind: 'edit', status: 'failed', statusText: 'failed', output: 'no', diffs: [diff] }),
    { kind: 'turn_end', id: 'e', severity: 'error', text: 'It failed.', durationMs: 1, files: [], buttons: [], at: noon },
  ],
});

const scenes: Readonly<Record<string, ChatView>> = {
  'a conversation': richView(),
  'a permission': richView({
    prompts: [
      permissionPrompt({
        toolKind: 'edit',
        parts: [
          { type: 'diff', diff },
          { type: 'text', label: 'Runs in', text: '/project', code: true },
        ],
      }),
      questionPrompt(),
    ],
  }),
  'a question': emptyView({ prompts: [longForm()] }),
  'a failure': failed,
  ...recoveryViews(),
  'nothing yet': emptyView(),
};

for (const [name, view] of Object.entries(scenes)) {
  describe(name, () => {
    let opened: OpenPage;
    before(async () => {
      opened = await host.open({ view, height: 2000 });
      await unfold(opened);
    });
    after(() => opened.close());

    for (const theme of allThemes) {
      test(`text has enough contrast, ${theme}`, async () => {
        await opened.showTheme(theme);
        assert.deepEqual(await hardToRead(opened.page), []);
      });
    }
  });
}

test('text has the color that belongs to its background, also if the user changed that of the editor', async () => {
  const opened = await host.open({ view: richView({ prompts: [permissionPrompt()] }), theme: 'light2026', height: 1200 });
  const [editor, card, input, page] = ['rgb(1, 1, 1)', 'rgb(2, 2, 2)', 'rgb(3, 3, 3)', 'rgb(4, 4, 4)'];
  const colors = { 'editor-foreground': editor, 'editorWidget-foreground': card, 'input-foreground': input, foreground: page };
  const colorsIn = (place: string) =>
    opened.page.evaluate(
      ([where, given]) => {
        document.body.dataset['place'] = where;
        for (const [name, color] of Object.entries(given)) document.documentElement.style.setProperty(`--vscode-${name}`, color);
        return ['.agent p', '.code-block', '.prompt', '.composer-box'].map(
          (one) => getComputedStyle(document.querySelector(one) ?? document.body).color,
        );
      },
      [place, colors] as const,
    );
  assert.deepEqual(await colorsIn('sideBar'), [page, editor, card, input]);
  assert.deepEqual(await colorsIn('editor'), [editor, editor, card, input]);
  await opened.close();
});

/** Links, also those with code, counts, failures and tokens keep the colors that the theme gives them. */
const ownColor = /link|text-button|count-|failed|codicon|^code\.|code-(?!comment|language)/;
for (const [theme, editor] of [
  ['light2026', 'dark2026'],
  ['dark2026', 'light2026'],
] as const)
  test(`quiet text and quotes are readable in ${theme} with the editor of ${editor}`, async () => {
    const items = [...richView().items, agentItem('quote', `> quoted\n\n${code}`)];
    const opened = await host.open({ view: richView({ prompts: [permissionPrompt()], items }), theme, height: 2000 });
    await unfold(opened);
    const { variables } = themes[editor];
    for (const place of ['view', 'editor']) {
      await opened.page.evaluate(
        ([where, back, front]) => {
          document.body.dataset['place'] = where;
          document.documentElement.style.setProperty('--vscode-editor-background', back);
          document.documentElement.style.setProperty('--vscode-editor-foreground', front);
        },
        [place, variables['editor-background'] ?? '', variables['editor-foreground'] ?? ''] as const,
      );
      const found = await hardToRead(opened.page);
      assert.deepEqual(
        found.filter((one) => !ownColor.test(one)),
        [],
      );
    }
    await opened.close();
  });

for (const theme of allThemes) {
  describe(theme, () => {
    test('a button has enough contrast under the pointer', async () => {
      const opened = await host.open({ view: richView({ prompts: [permissionPrompt()] }), theme, height: 1200 });
      for (const kind of ['.button:not(.secondary)', '.button.secondary']) {
        await opened.page.locator(`.prompt ${kind}`).first().hover();
        assert.deepEqual(await hardToRead(opened.page), []);
      }
      await opened.close();
    });

    test('a request has a stripe in the color of warnings', async () => {
      const opened = await host.open({ view: richView({ prompts: [permissionPrompt()] }), theme });
      const [width, stripe, other] = await opened.page.locator('.prompt').evaluate((node) => {
        const { borderLeftWidth, borderLeftColor, borderTopColor } = getComputedStyle(node);
        return [borderLeftWidth, borderLeftColor, borderTopColor];
      });
      assert.equal(width, '3px');
      assert.notEqual(stripe, other);
      await opened.close();
    });

    test('code and check boxes are set off from the page in the colors of the theme', async () => {
      const markdown = 'Say `npm test`.\n\n```ts\nconst a = 1;\n```\n\n- [ ] to do\n';
      const opened = await host.open({ view: emptyView({ items: [agentItem('a', markdown)] }), theme });
      const style = (selector: string) =>
        opened.page.locator(selector).evaluate((node) => {
          const { backgroundColor, borderTopColor, borderTopWidth, appearance } = getComputedStyle(node);
          return { backgroundColor, border: `${borderTopWidth} ${borderTopColor}`, appearance };
        });
      const page = await style('body');
      for (const selector of ['.code-block', '.agent p > code']) {
        const code = await style(selector);
        const isFilled = !/, 0\)$|transparent/.test(code.backgroundColor) && code.backgroundColor !== page.backgroundColor;
        assert.ok(isFilled || !code.border.startsWith('0px'), `${selector}: ${JSON.stringify(code)}`);
      }
      const box = await style('.agent input[type=checkbox]');
      assert.deepEqual([box.appearance, box.border.startsWith('1px')], ['none', true]);
      const painted = await opened.page.evaluate((color) => {
        const probe = document.createElement('span');
        probe.style.color = color;
        document.body.append(probe);
        return getComputedStyle(probe).color;
      }, themes[theme].variables['checkbox-background'] ?? assert.fail('no such color'));
      assert.equal(box.backgroundColor, painted);
      await opened.close();
    });

    test('selected text has enough contrast', async () => {
      const opened = await host.open({ view: emptyView({ items: [agentItem('a', code)] }), theme });
      await opened.page.evaluate(() => document.getSelection()?.selectAllChildren(document.body));
      assert.deepEqual(await hardToRead(opened.page), []);
      await opened.close();
    });

    test('search matches have enough contrast', async () => {
      const opened = await host.open({ view: emptyView({ items: [agentItem('a', 'to find a word, find it')] }), theme });
      await opened.page.keyboard.press('Control+f');
      await opened.page.keyboard.type('find');
      await opened.page.waitForFunction(() => CSS.highlights.get('found-current')?.size === 1);
      assert.deepEqual(await hardToRead(opened.page), []);
      await opened.close();
    });
  });
}

async function unfold({ page }: OpenPage): Promise<void> {
  await page.locator('details').evaluateAll((all) => all.forEach((one) => one.setAttribute('open', '')));
  for (const toggle of await page.locator('.tool-toggle[aria-expanded="false"]:enabled').all()) await toggle.click();
}
