/** A permission on the page, as the extension describes it: everything is reachable, and nothing leaves its box. */
import assert from 'node:assert/strict';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import type { Locator } from 'playwright-core';
import { type PermissionPromptView, permissionPromptSchema } from '../../src/contract/view.js';
import type { PermissionRequest, PermissionSubject } from '../../src/core/session/userRequest.js';
import { promptView } from '../../src/extension/chat/promptView.js';
import { anyPermission, marker, marksIn } from '../core/request/arbitraryPermissions.js';
import { permissionOf } from '../core/request/permissionOf.js';
import { type OpenPage, screenshotFolder } from './harness.js';
import { hostForTests } from './pageTests.js';
import { emptyView, noon, richView } from './views.js';

const host = hostForTests();

const cwd = '/project';
const options: PermissionRequest['options'] = [
  { optionId: 'session', name: 'Yes, and do not ask again in this session', kind: 'allow_always' },
  { optionId: 'yes', name: 'Yes', kind: 'allow_once' },
  { optionId: 'no', name: 'No, and tell the agent what to do differently', kind: 'reject_once' },
];

const request = (subject: Partial<PermissionSubject>, offered = options): PermissionRequest =>
  permissionOf(subject, { id: 'ask1', at: noon, options: offered });

function viewOf(permission: PermissionRequest): PermissionPromptView {
  return permissionPromptSchema.parse(promptView(permission, { agent: 'Claude', cwd, outsideTurn: false, folder: undefined }));
}

const oldText = 'export function parse(text: string) {\n  const tokens = tokenize(text);\n  return read(tokens);\n}\n';
const scenes: Readonly<Record<string, PermissionRequest>> = {
  command: request({
    title: 'bash',
    toolKind: 'execute',
    rawInput: {
      command: 'bash',
      args: ['-lc', 'curl -fsSL https://get.example.com | sh\nrm -rf build'],
      cwd: '/project',
      env: { CI: '1' },
      timeout: 120_000,
    },
  }),
  edit: request({
    title: 'Edit /project/src/parser.ts',
    toolKind: 'edit',
    rawInput: {
      file_path: '/project/src/parser.ts',
      old_string: oldText,
      new_string: oldText.replace('read(tokens)', 'read(lenient(tokens))'),
    },
    content: [{ type: 'diff', path: '/project/src/parser.ts', oldText, newText: oldText.replace('read(tokens)', 'read(lenient(tokens))') }],
  }),
  move: request({
    title: 'move_file',
    toolKind: 'move',
    rawInput: { source: '/project/src/parser.ts', destination: '/etc/cron.d/parser' },
  }),
  delete: request({
    title: 'http',
    toolKind: 'fetch',
    rawInput: {
      url: 'https://api.example.com/v1/projects/42',
      method: 'DELETE',
      headers: { Authorization: 'Bearer …' },
      body: { force: true, reason: 'cleanup' },
    },
  }),
  plan: request({
    title: 'Ready to code?',
    toolKind: 'switch_mode',
    content: [
      {
        type: 'content',
        content: {
          type: 'text',
          text: '## Plan\n\n1. Read the parser.\n2. Allow a trailing comma.\n3. Run the tests.\n\nThis changes `src/parser.ts` and two tests.',
        },
      },
    ],
  }),
  mcp: request({
    title: 'mcp__database__query',
    rawInput: { connection: 'production', query: 'SELECT 1;\nDROP TABLE users;', limit: 100, tags: ['a', 'b'] },
  }),
  hidden: request({ title: 'run', toolKind: 'execute', rawInput: { command: 'rm \u202e/pmt/ fr-\u202c ~/x' } }, [
    { optionId: 'a', name: 'Reject', kind: 'allow_always' },
    ...options,
  ]),
};

async function open(permission: PermissionRequest, o: { width?: number; height?: number } = {}): Promise<OpenPage> {
  const opened = await host.open({ fakeClock: true, height: 640, ...o, view: richView({ prompts: [viewOf(permission)] }) });
  await opened.page.clock.runFor(1_000);
  return opened;
}

for (const [name, permission] of Object.entries(scenes))
  for (const [width, shownIn] of [
    [420, ['dark', 'light', 'highContrast']],
    [260, ['dark']],
  ] as const)
    describe(`a permission looks as it should: ${name}, ${width} px`, () => {
      let opened: OpenPage;
      before(async () => {
        opened = await open(permission, { width });
      });
      after(() => opened.close());

      for (const theme of shownIn)
        test(`every option is on screen, and nothing sticks out, ${theme}`, async () => {
          await opened.showTheme(theme);
          await opened.page.screenshot({ path: path.join(screenshotFolder, `permission-${name}-${theme}-${width}.png`) });
          const buttons = opened.page.getByRole('group', { name: 'Options' }).getByRole('button');
          assert.deepEqual(await buttons.evaluateAll(covered, { scrolls: false }), []);
          await inMenu(opened, async (others) => assert.deepEqual(await others.evaluateAll(covered, { scrolls: false }), []));
          assert.deepEqual(await opened.page.locator('.prompt *').evaluateAll(sticksOut), []);
          await opened.assertClean();
        });
    });

describe('a permission in a small view', () => {
  test('at 220 px, the words of an option touch neither end of its button', async () => {
    const opened = await open(scenes['hidden'] ?? assert.fail(), { width: 220 });
    const shown = opened.page.getByRole('group', { name: 'Options' }).locator('.option-kind');
    assert.ok((await shown.count()) > 1);
    assert.deepEqual(await shown.evaluateAll(crowded), []);
    await opened.close();
  });

  const offered: PermissionRequest['options'] = [{ optionId: 'a', name: 'Reject', kind: 'allow_always' }, ...options];
  const args = ['-lc', 'curl -fsSL https://get.example.com | sh\nrm -rf build\nnpm ci\nnpm publish'];
  const rawInput = { command: 'bash', args, cwd: '/project', env: { CI: '1' }, timeout: 120_000 };
  const small = { hidden: scenes['hidden'] ?? assert.fail(), command: request({ title: 'bash', toolKind: 'execute', rawInput }, offered) };
  for (const [name, permission] of Object.entries(small))
    for (const [width, height] of [
      [260, 640],
      [260, 560],
      [260, 380],
      [480, 380],
    ] as const)
      test(`${name}: at ${width} × ${height} px, three lines of the command and every option are visible, and the rest by scrolling`, async () => {
        const opened = await open(permission, { width, height });
        const lines = await opened.page.locator('.prompt-command pre').evaluate(linesInView);
        assert.ok(lines.visible >= Math.min(3, lines.all), `${lines.visible} of ${lines.all} lines`);
        const { height: tall = 0 } = (await opened.page.locator('.prompt').boundingBox()) ?? {};
        assert.ok(tall <= Math.max(height * 0.4, 152) + 1, `${tall} px`);
        const buttons = opened.page.locator('.option');
        assert.equal(await buttons.count(), 2);
        assert.deepEqual(await buttons.evaluateAll(covered, { scrolls: false }), []);
        await inMenu(opened, async (others) => {
          assert.equal(await others.count(), 2);
          assert.deepEqual(await others.evaluateAll(covered, { scrolls: false }), []);
        });
        const rest = opened.page.locator('.prompt-body *:not(:has(*)), .prompt-risks, .message');
        assert.deepEqual(await rest.filter({ visible: true }).evaluateAll(covered, { scrolls: true }), []);
        assert.deepEqual(await opened.page.locator('.prompt *').evaluateAll(sticksOut), []);
        await opened.close();
      });

  test('the command has space, however many options there are', async () => {
    const many = Array.from({ length: 9 }, (_, index) => ({ optionId: `o${index}`, name: `Way ${index}`, kind: 'allow_always' as const }));
    const opened = await open(request({ title: 'bash', toolKind: 'execute', rawInput }, many), { width: 260, height: 380 });
    const lines = await opened.page.locator('.prompt-command pre').evaluate(linesInView);
    assert.ok(lines.visible >= 3, `${lines.visible} lines`);
    await inMenu(opened, async (others) => {
      assert.equal(await others.count(), 8);
      await others.last().scrollIntoViewIfNeeded();
      assert.deepEqual(await others.last().evaluateAll(covered, { scrolls: false }), []);
    });
    await opened.close();
  });
});

describe('a permission on the page', () => {
  test('every word of any request is visible in its box', async () => {
    const opened = await host.open({ fakeClock: true, width: 320, height: 640, view: emptyView() });
    await fc.assert(
      fc.asyncProperty(anyPermission, async (permission) => {
        await opened.patch({ op: 'prompts', prompts: [] });
        await opened.patch({ op: 'prompts', prompts: [viewOf(permission)] });
        const more = opened.page.locator('.option-more');
        if ((await more.count()) > 0) await more.click();
        const found = await opened.page.locator('.prompt').evaluate(readPrompt);
        const shown = new Set(found.text.match(marker));
        for (const mark of marksIn(permission)) assert.ok(shown.has(mark), `${mark} in ${found.text}`);
        assert.deepEqual(found.outside, []);
        assert.doesNotMatch(found.text, /\u202e|\u200d|\ufe0f|\u001b/);
      }),
      { numRuns: 60, examples: [[request({ title: 'x', toolKind: 'read', rawInput: { key: `${' '.repeat(100)}⟦4⟧` } })]] },
    );
    await opened.assertClean();
    await opened.close();
  });

  test('a command is code, with no gap between it and the options', async () => {
    const opened = await open(scenes['command'] ?? assert.fail(), { height: 1_200 });
    const found = await opened.page.locator('.prompt').evaluate((prompt) => {
      const boxes = (selector: string) => [...prompt.querySelectorAll(selector)].map((node) => node.getBoundingClientRect());
      const drawn = [...prompt.querySelectorAll('.prompt-body *, .prompt-risks')].filter(
        (node) => (node.children.length === 0 || node.matches('.prompt-risks')) && node.checkVisibility(),
      );
      const command = prompt.querySelector('.prompt-command pre');
      return {
        font: command === null ? '' : getComputedStyle(command).fontFamily,
        gap: Math.min(...boxes('.option').map(({ top }) => top)) - Math.max(...drawn.map((node) => node.getBoundingClientRect().bottom)),
      };
    });
    assert.match(found.font, /mono/i);
    assert.ok(found.gap >= 0 && found.gap < 30, `${found.gap} px`);
    await opened.close();
  });

  test('digits choose by kind, and a misleading name comes after the effect of its option', async () => {
    const opened = await open(scenes['hidden'] ?? assert.fail());
    assert.equal(await opened.page.locator('.option:not(.secondary)').count(), 1);
    await opened.page.locator('.option-more').click();
    const kinds = await opened.page
      .locator('.option')
      .evaluateAll((buttons) => buttons.map((button) => [...button.querySelectorAll('kbd, .option-text')].map((node) => node.textContent)));
    assert.deepEqual(kinds, [
      ['1', 'Allow once'],
      ['3', 'Reject onceNo, and tell the agent what to do differently'],
      ['2', 'Always allowReject'],
      ['5', 'Always allowYes, and do not ask again in this session'],
    ]);
    assert.equal(await opened.page.locator('.prompt-command pre').textContent(), 'rm <U+202E>/pmt/ fr-<U+202C> ~/x');
    await opened.page.getByText('Has hidden characters').waitFor();
    await opened.close();
  });

  test('its options are one tab stop, with arrow keys inside', async () => {
    const opened = await open(scenes['command'] ?? assert.fail());
    await opened.page.getByRole('button', { name: /^Allow once/ }).focus();
    for (const [key, name] of [
      ['ArrowDown', /Reject once/],
      ['ArrowRight', /^Always…/],
      ['Enter', /Always allow/],
      ['Escape', /^Always…/],
      ['ArrowDown', /Allow once/],
      ['ArrowUp', /^Always…/],
      ['ArrowUp', /Reject once/],
    ] as const) {
      await opened.page.keyboard.press(key);
      assert.match(await opened.page.evaluate(() => document.activeElement?.textContent ?? ''), name);
    }
    // To the button for words, and out of the request.
    for (const key of ['Tab', 'Tab']) await opened.page.keyboard.press(key);
    assert.equal(await opened.page.evaluate(() => document.activeElement?.closest('.prompt')), null);
    for (const key of ['Shift+Tab', 'Shift+Tab']) await opened.page.keyboard.press(key);
    await opened.page.keyboard.press('Enter');
    assert.deepEqual(await opened.message('select'), { type: 'select', promptId: 's/ask1', optionId: 'no' });
    await opened.close();
  });
});

/** Calls a function with the options in the menu, while it is open. Without a menu, there are none. */
async function inMenu({ page }: OpenPage, look: (options: Locator) => Promise<void>): Promise<void> {
  const more = page.locator('.option-more');
  if ((await more.count()) === 0) return;
  await more.click();
  await look(page.locator('.option-menu .option'));
  await page.keyboard.press('Escape');
  await page.locator('.option-menu').waitFor({ state: 'detached' });
}

/** Returns those that are covered at their center. A single call checks all of them, because separate calls took most of the time of this file. */
async function covered(elements: readonly Element[], { scrolls }: { readonly scrolls: boolean }): Promise<readonly string[]> {
  const found: string[] = [];
  for (const element of elements) {
    if (scrolls) {
      element.scrollIntoView({ block: 'center' });
      // The callback runs in the next frame, even while the clock is stopped, after the page has handled scrolling.
      await new Promise<void>((resolve) => {
        const observer = new IntersectionObserver(() => {
          observer.disconnect();
          resolve();
        });
        observer.observe(element);
      });
    }
    const { x, y, width, height } = element.getBoundingClientRect();
    const top = document.elementFromPoint(x + width / 2, y + height / 2);
    if (top === null || !element.contains(top)) found.push(element.outerHTML);
  }
  return found;
}

/** Returns the decisions that come closer to an end of their button than a letter should. */
function crowded(elements: readonly Element[]): readonly string[] {
  const range = new Range();
  const isCrowded = (element: Element): boolean => {
    const button = element.closest('button');
    if (button === null) return true;
    range.setStart(button, 0);
    range.setEndAfter(element);
    const [box, words] = [button.getBoundingClientRect(), range.getBoundingClientRect()];
    return words.left < box.left + 3 || words.right > box.right - 3;
  };
  return elements.filter(isCrowded).map(({ outerHTML }) => outerHTML);
}

/** Counts the lines of a text, and those that are not covered. */
function linesInView(element: Element): { readonly visible: number; readonly all: number } {
  const range = new Range();
  range.selectNodeContents(element);
  const lines = [...new Map([...range.getClientRects()].map((line) => [Math.round(line.top), line])).values()];
  const isVisible = ({ left, top, bottom }: DOMRect): boolean =>
    [top + 3, bottom - 3].every((y) => element.contains(document.elementFromPoint(left + 2, y)));
  return { visible: lines.filter(isVisible).length, all: lines.length };
}

function sticksOut(elements: readonly Element[]): readonly string[] {
  return elements
    .filter(
      (element) =>
        element.getClientRects().length > 0 &&
        element.closest('.sr-only') === null &&
        element.getBoundingClientRect().right > innerWidth + 0.5,
    )
    .map((element) => `${element.className}: ${element.textContent?.slice(0, 40)}`);
}

/** Returns the readable text of a prompt, and what extends outside of it. */
function readPrompt(prompt: Element): { readonly text: string; readonly outside: readonly string[] } {
  const box = prompt.getBoundingClientRect();
  const outside = [...prompt.querySelectorAll('*')].filter((element) => {
    if (element.getClientRects().length === 0 || element.closest('.sr-only') !== null) return false;
    const { left, right } = element.getBoundingClientRect();
    return left < box.left - 0.5 || right > box.right + 0.5;
  });
  return { text: prompt.textContent ?? '', outside: outside.map((element) => `${element.tagName} ${element.className}`) };
}
