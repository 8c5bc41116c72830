/** The chat of `npm start`: it is there when the window opens, a failed start is explained, and an answer has links and images. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Locator } from 'playwright-core';
import { reportFailures } from './support/failures.js';
import { root, Workbench } from './support/workbench.js';

const dot = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');

function testAgent(label: string, file: string): object {
  return { label, command: process.execPath, args: [path.join(root, `test/agents/${file}.mjs`)] };
}

describe('a window that opens with the chat', () => {
  let workbench: Workbench;
  reportFailures(() => workbench);
  before(async () => {
    workbench = await Workbench.open({
      files: { 'README.md': '# Sample\n', 'src/deep/parser.ts': 'export {};\n', 'a/same.ts': '', 'b/same.ts': '' },
      prepare: (folder) => writeFile(path.join(folder, 'dot.gif'), dot),
      machineSettings: {
        'acpHost.agents': {
          lost: { command: 'no-such-agent' },
          obedient: testAgent('Obedient', 'obedient'),
          late: testAgent('Late', 'goesOnAfterItsTurn'),
          planner: testAgent('Planner', 'plansInMarkdown'),
          steered: testAgent('Steered', 'steersByMethod'),
          asker: testAgent('Asker', 'elicits'),
          guarded: testAgent('Guarded', 'signsInByTerminal'),
        },
        'acpHost.defaultAgent': 'lost',
      },
      env: { ACP_HOST_OPEN_CHAT: '1' },
    });
  });
  after(() => workbench.close());

  it('shows the chat at once', async () => {
    const chat = await workbench.pageIn('sidebar');
    await chat.message.waitFor();
    await workbench.screenshot('start');
  });

  it('summarizes diagnostics after a failed start, and shows them in full with Run Diagnostics', async () => {
    const chat = await workbench.pageIn('sidebar');
    await chat.send('hello');
    await chat.frame.getByText('Details', { exact: true }).click();
    await chat.frame.getByText('✗ lost: `no-such-agent` was not found').waitFor();
    await chat.button('Run Diagnostics').click();
    await workbench.page.getByRole('tab', { name: /ACP Host Diagnostics\.md/ }).waitFor();
    const document = workbench.page.locator('.part.editor .view-lines');
    await document.getByText('1 problem found.').waitFor();
    await document.getByText('✓ Conversations can be saved').waitFor();
  });

  it('links only unambiguous names of files, and shows only images in the folder', async () => {
    const chat = await workbench.withAgent('Obedient');
    await chat.send('say See `README.md`, `parser.ts`, `same.ts` and `none.ts`: ![a dot](dot.gif) ![passwords](/etc/passwd)');
    const answer = chat.conversation.getByRole('article', { name: 'Obedient' });
    await answer.getByRole('img', { name: 'Image: a dot' }).waitFor();
    await answer.getByRole('link', { name: 'README.md' }).waitFor();
    await answer.getByRole('link', { name: 'parser.ts' }).waitFor();
    assert.deepEqual(await answer.getByRole('link', { name: /same|none/ }).allTextContents(), []);
    assert.equal(await answer.locator('img').count(), 1);
    await answer.getByRole('link', { name: 'parser.ts' }).click();
    await workbench.page.getByRole('tab', { name: /parser\.ts/ }).waitFor();
  });

  it('shows what an agent does after its turn, and stops it', async () => {
    // What is open would be sent, too.
    await workbench.command('View: Close All Editors');
    const chat = await workbench.withAgent('Late');
    const works = chat.frame.getByText('Sub-agent · Explore still works');
    await chat.send('child');
    await works.waitFor();
    await workbench.screenshot('late-work');
    await chat.button('Stop').click();
    await works.waitFor({ state: 'hidden' });
  });

  it('marks a conversation in which an agent went on out of sight', async () => {
    let chat = await workbench.pageIn('sidebar');
    await chat.send('childUntilFile');
    await chat.frame.getByText('Sub-agent · Explore still works').waitFor();
    await workbench.withAgent('Obedient');
    await writeFile(path.join(workbench.folder, 'childUntilFile'), '');
    const row = workbench.row(/^child, done, Late/);
    await row.waitFor();
    await workbench.screenshot('late-mark');
    await row.click();
    chat = await workbench.pageIn('sidebar');
    await chat.frame.getByText('After the turn', { exact: true }).waitFor();
    await chat.conversation.getByText('One more thing.').waitFor();
    await workbench.screenshot('late-news');
  });

  it('opens a plan in Markdown as a document', async () => {
    const chat = await workbench.withAgent('Planner');
    await chat.send('plan');
    await chat.conversation.getByRole('article', { name: 'Plan', exact: true }).getByRole('button', { name: 'Open' }).click();
    await workbench.page.locator('.part.editor .view-lines').getByText('One **parser**.').waitFor();
    await workbench.screenshot('plan-open');
  });

  it('steers a turn with a message', async () => {
    const chat = await workbench.withAgent('Steered');
    await chat.send('work');
    await chat.conversation.getByText('begins work').waitFor();
    await chat.message.fill('look at the parser first');
    await workbench.screenshot('steer');
    await chat.button('Steer').click();
    await chat.conversation.getByText('heard look at the parser first').waitFor();
    await chat.stop.waitFor({ state: 'hidden' });
  });

  it('signs in to an agent, again in a terminal when that expires in a turn, and out', async () => {
    const chat = await workbench.withAgent('Guarded');
    await chat.send('begin');
    await chat.button('Sign In with Browser').click();
    await chat.conversation.getByText('heard begin').waitFor();
    await chat.send('expire');
    await chat.banner.getByText('Guarded needs you to sign in').waitFor();
    await workbench.screenshot('sign-in-expired');
    await chat.button('Sign In with Wizard').click();
    await chat.conversation.getByText('heard expire').waitFor();
    await workbench.command('ACP Host: Sign Out');
    await chat.button('Sign In with Wizard').waitFor();
    assert.ok(!existsSync(path.join(workbench.folder, 'signed-in')));
    await chat.send('again');
    await chat.button('Sign In with Browser').click();
    await chat.conversation.getByText('heard again').waitFor();
  });

  it('opens the page that an agent asks for, and waits until the agent says that it is done', async () => {
    const chat = await workbench.withAgent('Asker');
    const context = workbench.page.context();
    await context.route('**/sign-in', (route) => route.fulfill({ body: 'signed in', contentType: 'text/plain' }));
    const url = 'http://127.0.0.1:1/sign-in';
    const page = { mode: 'url', elicitationId: 'e1', message: 'Sign in to continue.', url };
    await chat.send(JSON.stringify(['elicitation/create', { ...page, completes: ['e1'] }]));
    await chat.dialog.getByText(url, { exact: true }).waitFor();
    await workbench.screenshot('open-page');
    const opening = context.waitForEvent('page');
    await chat.dialog.getByRole('button', { name: 'Open', exact: true }).click();
    const opened = await opening;
    await opened.waitForURL(/sign-in/);
    await opened.getByText('signed in').waitFor();
    await opened.close();
    await chat.dialog.waitFor({ state: 'hidden' });
    await chat.stop.click();
    await chat.stop.waitFor({ state: 'hidden' });
  });

  it('fills in a form with every kind of field from the keyboard, and says beside a field what is wrong with it', async () => {
    const chat = await workbench.withAgent('Asker');
    const keys = workbench.page.keyboard;
    const properties = {
      name: { type: 'string', title: 'Name', description: 'Of the new project', minLength: 3, maxLength: 8 },
      mail: { type: 'string', title: 'Email', format: 'email' },
      site: { type: 'string', title: 'Site', format: 'uri' },
      day: { type: 'string', title: 'Day', format: 'date' },
      at: { type: 'string', title: 'Time', format: 'date-time' },
      count: { type: 'integer', title: 'Count', minimum: 1, maximum: 5, default: 2 },
      ratio: { type: 'number', title: 'Ratio' },
      sure: { type: 'boolean', title: 'Sure', default: true },
      color: { type: 'string', title: 'Color', enum: ['red', 'green', 'blue'] },
      size: {
        type: 'string',
        title: 'Size',
        oneOf: [
          { const: 's', title: 'Small' },
          { const: 'l', title: 'Large' },
        ],
        default: 's',
      },
      parts: { type: 'array', title: 'Parts', items: { type: 'string', enum: ['wheel', 'door', 'roof'] }, minItems: 2 },
    };
    const requestedSchema = { type: 'object', properties, required: ['name', 'color', 'parts'] };
    await chat.send(JSON.stringify(['elicitation/create', { mode: 'form', message: 'What is it like?', requestedSchema }]));
    // Until then, what somebody types may be meant for the message box.
    await chat.dialog.getByRole('button', { name: 'Cancel', disabled: false }).waitFor();
    await workbench.screenshot('form');
    const box = (name: string): Locator => chat.dialog.getByRole('textbox', { name: new RegExp(`^${name}`) });
    const submit = chat.dialog.getByRole('button', { name: 'Submit' });
    /** Not with Ctrl+A, which takes its way through the workbench, and may arrive when the next text is half written. */
    const selectAll = async (): Promise<void> => {
      await keys.press('End');
      await keys.press('Shift+Home');
    };
    /** Writes into the field that has the focus: first a wrong text, whose fault the field then has. */
    const write = async (name: string, wrong: string, fault: string, right: string): Promise<void> => {
      await chat.frame.locator(':focus').and(box(name)).waitFor();
      await selectAll();
      await keys.type(wrong);
      const beside = box(name).locator('..').locator('.answer-missing');
      await beside.getByText(fault, { exact: true }).waitFor();
      assert.match((await box(name).getAttribute('aria-describedby')) ?? '', new RegExp(`${await beside.getAttribute('id')}$`));
      assert.ok(await submit.isDisabled());
      await selectAll();
      await keys.type(right);
      await beside.waitFor({ state: 'detached' });
      await keys.press('Tab');
    };
    await box('Name').focus();
    await write('Name', 'ab', 'At least 3 characters', 'wagon');
    await write('Email', 'me', 'Not an email address', 'me@example.org');
    await write('Site', 'example', 'Not a URL', 'https://example.org/');
    await write('Day', '2026-31-01', 'Not a date such as 2026-01-31', '2026-01-31');
    await write('Time', 'noon', 'Not a date and time such as 2026-01-31T18:05:00Z', '2026-01-31T12:00:00Z');
    await write('Count', '9', 'At most 5', '4');
    await write('Ratio', 'half', 'Not a number', '0.5');
    await workbench.screenshot('form-half');
    await keys.press('Space');
    await keys.press('Tab');
    await keys.press('Space');
    await keys.press('ArrowDown');
    await keys.press('Tab');
    await keys.press('ArrowDown');
    await keys.press('Tab');
    await keys.press('Space');
    await chat.dialog.locator('.field').getByText('Choose at least 2', { exact: true }).waitFor();
    await keys.press('Tab');
    await keys.press('Tab');
    await keys.press('Space');
    await workbench.screenshot('form-full');
    await keys.press('Tab');
    await chat.frame.locator(':focus').and(submit).waitFor();
    await keys.press('Enter');
    const answer = chat.conversation.getByText('"action":"accept"');
    await answer.waitFor();
    const content = {
      name: 'wagon',
      mail: 'me@example.org',
      site: 'https://example.org/',
      day: '2026-01-31',
      at: '2026-01-31T12:00:00Z',
      count: 4,
      ratio: 0.5,
      sure: false,
      color: 'green',
      size: 'l',
      parts: ['wheel', 'roof'],
    };
    assert.deepEqual(JSON.parse(await answer.innerText()), { action: 'accept', content });
    await chat.stop.waitFor({ state: 'hidden' });
  });
});
