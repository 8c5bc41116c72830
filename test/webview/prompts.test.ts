/** Requests of the agent. Only the user makes a decision. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { PromptView } from '../../src/contract/view.js';
import type { PageMessage } from '../../src/contract/pageMessages.js';
import { type OpenOptions, type OpenPage } from './harness.js';
import { assertOnScreen } from './onScreen.js';
import { hostForTests } from './pageTests.js';
import { anyOf, commandPart, emptyView, freeText, permissionPrompt, questionPrompt } from './views.js';

const host = hostForTests();

/** The clock is stopped, so that the pause before a decision is possible lasts as long as the test wants. */
async function openWith(prompts: readonly PromptView[], options: OpenOptions = {}): Promise<OpenPage> {
  const opened = await host.open({ fakeClock: true, ...options, view: emptyView({ prompts: [...prompts] }) });
  await opened.page.getByRole('dialog').waitFor();
  return opened;
}
const pass = (opened: OpenPage, milliseconds = 400): Promise<void> => opened.page.clock.runFor(milliseconds);
const dialog = ({ page }: OpenPage, name = 'Run a command?') => page.getByRole('dialog', { name });
const option = (opened: OpenPage, name: string) => opened.page.getByRole('button', { name, exact: true });
/** Returns what was decided, after the time that a digit waits for another key. */
async function decisions(opened: OpenPage): Promise<PageMessage[]> {
  await pass(opened, 300);
  return (await opened.messages()).filter(
    ({ type }) => type === 'select' || type === 'answer' || type === 'decline' || type === 'openUrl' || type === 'dismiss',
  );
}

describe('a permission', () => {
  test('it shows the command or change, the options by kind, and the scope of "always"', async () => {
    const opened = await openWith([permissionPrompt()]);
    await dialog(opened).getByText('rm -rf build && npm run build', { exact: true }).waitFor();
    const kinds = (name: string) => dialog(opened).getByRole('group', { name, exact: true }).locator('.option-kind').allTextContents();
    assert.deepEqual(await kinds('Options'), ['Allow once', 'Reject once']);
    await dialog(opened).getByRole('button', { name: 'More options' }).click();
    assert.deepEqual(await kinds('More options'), ['Always allow', 'Always reject']);
    await dialog(opened).getByText('any run_shell_command, this session').waitFor();
    await opened.page.keyboard.press('Escape');
    await dialog(opened).getByText('Details').click();
    await dialog(opened).getByLabel('Input as sent').waitFor();
    await dialog(opened).getByRole('button', { name: 'Open in editor' }).click();
    assert.deepEqual(await opened.message('openRaw'), { type: 'openRaw', id: 'ask-1', part: 'input' });
    await opened.assertClean();
    await opened.close();
  });

  test('it shows a long change and a long command completely', async () => {
    const newText = Array.from({ length: 500 }, (_, line) => `new line ${line}`).join('\n');
    const command = `echo ${'x'.repeat(3000)} end`;
    const diff = { path: '/p/a.ts', newText, added: 500, removed: 0 };
    const opened = await openWith([permissionPrompt({ parts: [commandPart(command), { type: 'diff', diff }] })]);
    const drawn = (await dialog(opened).locator('.diff-lines').textContent()) ?? '';
    assert.deepEqual(
      newText.split('\n').filter((line) => !drawn.includes(line)),
      [],
    );
    assert.equal(await dialog(opened).locator('.prompt-command pre').textContent(), command);
    assert.equal(
      await dialog(opened)
        .locator('.prompt-body')
        .evaluate((body) => body.scrollWidth <= body.clientWidth),
      true,
    );
    await opened.close();
  });

  test('each change can be reviewed in the editor before the decision', async () => {
    const diff = (path: string) => ({ type: 'diff', diff: { path, newText: 'x\n', added: 1, removed: 0 } }) as const;
    const opened = await openWith([permissionPrompt({ parts: [diff('/p/a.ts'), commandPart('make'), diff('/p/b.ts')] })]);
    await opened.page.getByRole('button', { name: 'Review' }).last().click();
    assert.deepEqual(await opened.message('openDiff'), { type: 'openDiff', itemId: 'ask-1', index: 1 });
    assert.deepEqual(await decisions(opened), []);
    await opened.close();
  });

  test('in its first 400 ms, no key and no click decides it', async () => {
    const opened = await openWith([permissionPrompt()]);
    await dialog(opened).focus();
    await pass(opened, 390);
    await opened.page.keyboard.press('1');
    await opened.page.keyboard.press('Escape');
    await option(opened, 'Allow once').click({ force: true });
    assert.deepEqual(await decisions(opened), []);
    await pass(opened, 20);
    await option(opened, 'Allow once').click();
    assert.deepEqual(await decisions(opened), [{ type: 'select', promptId: 'ask-1', optionId: 'yes' }]);
    await opened.close();
  });

  test('several clicks decide it once', async () => {
    const opened = await openWith([permissionPrompt()]);
    await pass(opened);
    await option(opened, 'Reject once').dblclick({ force: true });
    await opened.page.keyboard.press('1');
    assert.deepEqual(await decisions(opened), [{ type: 'select', promptId: 'ask-1', optionId: 'no' }]);
    await opened.close();
  });

  test('Enter approves only if the button has the focus', async () => {
    const opened = await openWith([permissionPrompt()]);
    await pass(opened);
    assert.equal(await opened.page.evaluate(() => document.activeElement?.getAttribute('role')), 'dialog');
    await opened.page.keyboard.press('Enter');
    await opened.page.keyboard.press('Space');
    assert.deepEqual(await decisions(opened), []);
    await option(opened, 'Allow once').focus();
    await opened.page.keyboard.press('Enter');
    assert.deepEqual(await decisions(opened), [{ type: 'select', promptId: 'ask-1', optionId: 'yes' }]);
    await opened.close();
  });

  test('digits choose, Escape dismisses, and the link says what the agent learns', async () => {
    for (const [key, expected] of [
      ['3', { type: 'select', promptId: 'ask-1', optionId: 'no' }],
      ['Escape', { type: 'dismiss', promptId: 'ask-1' }],
    ] as const) {
      const opened = await openWith([permissionPrompt()]);
      await pass(opened);
      await opened.page.keyboard.press('7');
      await pass(opened, 300);
      await opened.page.keyboard.press(key);
      assert.deepEqual(await decisions(opened), [expected]);
      await opened.close();
    }
  });
});

describe('several requests', () => {
  test('they are shown oldest first, one by one, each with the pause', async () => {
    const second = permissionPrompt({ id: 'ask-3', title: 'Fetch a page?' });
    const opened = await openWith([permissionPrompt(), second]);
    await pass(opened);
    await dialog(opened).getByText('1 of 2').waitFor();
    await opened.page.keyboard.press('ArrowRight');
    await dialog(opened, 'Fetch a page?').waitFor();
    await opened.page.keyboard.press('1');
    assert.deepEqual(await decisions(opened), []);
    await opened.page.keyboard.press('ArrowLeft');
    await dialog(opened).waitFor();
    await opened.patch({ op: 'prompts', prompts: [second] });
    await dialog(opened, 'Fetch a page?').waitFor();
    assert.equal(await opened.page.evaluate(() => document.activeElement?.getAttribute('role')), 'dialog');
    await pass(opened);
    await opened.page.keyboard.press('1');
    assert.deepEqual(await decisions(opened), [{ type: 'select', promptId: 'ask-3', optionId: 'yes' }]);
    await opened.close();
  });
});

describe('a question', () => {
  test('free text: Submit says what is missing, Escape does not discard text', async () => {
    const opened = await openWith([questionPrompt({ title: 'Your name?', message: 'What should I call you?' }, freeText)]);
    await pass(opened);
    const answer = opened.page.getByRole('textbox', { name: 'Answer' });
    assert.equal(await opened.page.getByRole('button', { name: 'Submit' }).isDisabled(), true);
    await opened.page.getByText('Write an answer first').waitFor();
    await answer.fill('Ada');
    await answer.press('Escape');
    assert.deepEqual(await decisions(opened), []);
    assert.equal(await answer.inputValue(), 'Ada');
    await opened.page.getByRole('button', { name: 'Submit' }).click();
    assert.deepEqual(await decisions(opened), [{ type: 'answer', promptId: 'ask-2', values: { answer: 'Ada' } }]);
    await opened.close();
  });

  test('one of several choices by digit, or another answer', async () => {
    const opened = await openWith([questionPrompt()]);
    await pass(opened);
    await opened.page.keyboard.press('2');
    assert.equal(await opened.page.getByRole('radio', { name: 'PostgreSQL' }).isChecked(), true);
    assert.deepEqual(await decisions(opened), []);
    await opened.page.getByRole('radio', { name: 'Other…' }).check();
    assert.equal(await opened.page.getByRole('button', { name: 'Submit' }).isDisabled(), true);
    await opened.page.getByRole('textbox', { name: 'Answer' }).fill('DuckDB');
    await opened.page.getByRole('textbox', { name: 'Answer' }).press('Control+Enter');
    assert.deepEqual(await decisions(opened), [{ type: 'answer', promptId: 'ask-2', values: { answer: 'DuckDB' } }]);
    await opened.close();
  });

  test('several choices are sent in the order in which they were offered', async () => {
    const opened = await openWith([questionPrompt({}, anyOf('A', 'B', 'C'))]);
    await pass(opened);
    await opened.page.getByRole('checkbox', { name: 'C' }).check();
    await opened.page.getByRole('checkbox', { name: 'A' }).check();
    assert.equal(await opened.page.getByText('Other…').count(), 0);
    await opened.page.getByRole('button', { name: 'Submit' }).click();
    assert.deepEqual(await decisions(opened), [{ type: 'answer', promptId: 'ask-2', values: { answer: ['A', 'C'] } }]);
    await opened.close();
  });

  test('Cancel cancels, and an unfinished answer survives a reload', async () => {
    const opened = await openWith([questionPrompt({}, freeText)]);
    await opened.page.getByRole('textbox', { name: 'Answer' }).fill('half an ans');
    await opened.page.reload();
    await opened.message('ready');
    await opened.post({ type: 'snapshot', revision: 1, view: emptyView({ prompts: [questionPrompt({}, freeText)] }), draft: '' });
    assert.equal(await opened.page.getByRole('textbox', { name: 'Answer' }).inputValue(), 'half an ans');
    await pass(opened);
    await opened.page.getByRole('button', { name: 'Cancel' }).click();
    assert.deepEqual(await decisions(opened), [{ type: 'dismiss', promptId: 'ask-2' }]);
    await opened.close();
  });
});

describe('a confirmation', () => {
  const confirm: PromptView = { kind: 'confirm', id: 'c', agent: 'agentao', at: 0, title: 'Delete the branch?', message: 'It is merged.' };

  test('it accepts yes, no, or neither', async () => {
    for (const [act, expected] of [
      ['Yes', { type: 'answer', promptId: 'c', values: {} }],
      ['No', { type: 'decline', promptId: 'c' }],
      ['Dismiss', { type: 'dismiss', promptId: 'c' }],
    ] as const) {
      const opened = await openWith([confirm]);
      await dialog(opened, 'Delete the branch?').getByText('It is merged.').waitFor();
      assert.equal(await option(opened, act).isDisabled(), true);
      await pass(opened);
      await opened.page.keyboard.press('Enter');
      await option(opened, act).click();
      assert.deepEqual(await decisions(opened), [expected]);
      await opened.close();
    }
  });
});

test('a confirmation shows a command or a change as code, and a sentence as text', async () => {
  const fontOf = async (message: string): Promise<string> => {
    const opened = await openWith([{ kind: 'confirm', id: 'c', agent: 'Pi', at: 0, title: 'Go on?', message }]);
    const text = opened.page.getByText(message);
    await assertOnScreen(text);
    const font = await text.evaluate((node) => getComputedStyle(node).fontFamily);
    await opened.close();
    return font;
  };
  const prose = await fontOf('It is merged.');
  for (const message of ['rm -rf build', '- alpha\n+ ALPHA']) {
    const code = await fontOf(message);
    assert.ok(code !== prose && /mono/i.test(code), code);
  }
});

describe('a request to open a page', () => {
  const url = `https://example.com/sign-in?${'x'.repeat(400)}`;
  const prompt: PromptView = { kind: 'url', id: 'u', agent: 'agentao', at: 0, title: 'Open a page?', message: 'Sign in there.', url };

  test('the whole URL is shown, the host opens it, and it can be opened again', async () => {
    const opened = await openWith([prompt]);
    assert.equal(await dialog(opened, 'Open a page?').locator('pre').textContent(), url);
    await pass(opened);
    await option(opened, 'Copy address').click();
    assert.deepEqual(await opened.message('copy'), { type: 'copy', text: url });
    await option(opened, 'Open').click();
    await option(opened, 'Open').click();
    await option(opened, 'Decline').click();
    assert.deepEqual(await decisions(opened), [
      { type: 'openUrl', promptId: 'u' },
      { type: 'openUrl', promptId: 'u' },
      { type: 'decline', promptId: 'u' },
    ]);
    await opened.assertClean();
    await opened.close();
  });

  test('a page that is open is waited for until the user is done, and can be opened again', async () => {
    const opened = await openWith([{ ...prompt, title: 'Waiting for the browser', isOpened: true }]);
    assert.equal(await dialog(opened, 'Waiting for the browser').locator('pre').textContent(), url);
    await pass(opened);
    await option(opened, 'Open Again').click();
    await option(opened, 'Done').click();
    assert.deepEqual(await decisions(opened), [
      { type: 'openUrl', promptId: 'u' },
      { type: 'answer', promptId: 'u', values: {} },
    ]);
    await opened.assertClean();
    await opened.close();
  });
});

describe('a request to edit a text', () => {
  const prompt: PromptView = { kind: 'editor', id: 'e', agent: 'agentao', at: 0, title: 'Commit message', prefill: 'one\ntwo' };

  test("it begins with the agent's text, and is sent exactly as edited", async () => {
    const opened = await openWith([prompt]);
    const box = opened.page.getByRole('textbox', { name: 'Commit message' });
    assert.equal(await box.inputValue(), 'one\ntwo');
    await pass(opened);
    await box.fill('one\n\nthree ');
    await box.press('Escape');
    assert.deepEqual(await decisions(opened), []);
    await opened.page.getByRole('button', { name: 'Submit' }).click();
    assert.deepEqual(await decisions(opened), [{ type: 'answer', promptId: 'e', values: { text: 'one\n\nthree ' } }]);
    await opened.assertClean();
    await opened.close();
  });
});

describe('a page with requests only', () => {
  test('the requests fill the page as a modal dialog, without a composer', async () => {
    const opened = await openWith([permissionPrompt()], { surface: 'prompts' });
    assert.equal(await dialog(opened).getAttribute('aria-modal'), 'true');
    assert.equal(await opened.page.getByRole('textbox').count(), 0);
    assert.equal(await opened.page.getByRole('button', { name: 'Minimize' }).count(), 0);
    await pass(opened);
    await opened.page.keyboard.press('1');
    assert.deepEqual(await decisions(opened), [{ type: 'select', promptId: 'ask-1', optionId: 'yes' }]);
    await opened.patch({ op: 'prompts', prompts: [] });
    await opened.page.getByText('No pending requests').waitFor();
    await opened.assertClean();
    await opened.close();
  });

  test('without a request, it says so in its middle', async () => {
    const opened = await host.open({ surface: 'prompts', view: emptyView(), width: 400, height: 500 });
    const title = opened.page.getByRole('heading', { name: 'No pending requests' });
    const button = opened.page.getByRole('button', { name: 'Open chat' });
    await assertOnScreen(title);
    const [above, below] = [await title.boundingBox(), await button.boundingBox()];
    assert.ok(above !== null && below !== null);
    for (const { x, width } of [above, below]) assert.ok(Math.abs(x + width / 2 - 200) <= 1, JSON.stringify({ x, width }));
    assert.ok(above.y > 150 && below.y + below.height < 350, JSON.stringify({ above, below }));
    await opened.close();
  });
});
