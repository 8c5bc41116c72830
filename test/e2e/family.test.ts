import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { untilDone } from './support/browser.js';
import type { Chat } from './support/chat.js';
import { reportFailures } from './support/failures.js';
import { code, type Family, openFamily, rightKey } from './support/family.js';
import { stepMs } from './support/serve.js';

const piStandIn = /piStandIn\.mjs.*--mortal/;
const submit = (chat: Chat): Promise<void> => chat.dialog.getByRole('button', { name: 'Submit' }).click();

describe('agents with protocols other than ACP, in a workbench', () => {
  let family: Family;
  before(async () => {
    family = await openFamily();
  });
  after(() => family.close());
  reportFailures(() => family.workbench);

  it('Pi: tool calls and every kind of dialog are shown', async () => {
    const chat = await family.chatWith('Pi');
    await chat.send('tool');
    await chat.conversation.getByText('looked', { exact: true }).waitFor();
    await chat.conversation.getByRole('group', { name: /read a\.txt \(done\)/ }).waitFor();
    await chat.send('ask');
    await chat.dialog.getByRole('button', { name: /Yes/ }).click();
    await chat.conversation.getByText('Yes!').waitFor();
    await chat.send('dialogs');
    await chat.dialog.getByRole('radio', { name: 'Block' }).check();
    await submit(chat);
    await chat.dialog.getByText('Name?').waitFor();
    await chat.dialog.getByRole('textbox').fill('Ada');
    await submit(chat);
    await chat.dialog.getByText('Edit', { exact: true }).waitFor();
    assert.equal(await chat.dialog.getByRole('textbox').inputValue(), 'Line 1\nLine 2');
    await chat.dialog.getByRole('textbox').fill('Line 3');
    await family.workbench.screenshot('family-pi-editor');
    await submit(chat);
    await chat.conversation.getByText('Block|Ada|Line 3').waitFor();
    await family.workbench.statusSays(/ready/);
  });

  it('Pi: Open Session opens the fork that an answer names', async () => {
    const chat = await family.chatWith('Pi');
    for (const words of ['one', 'two']) {
      await chat.send(words);
      await chat.conversation.getByText(words, { exact: true }).nth(1).waitFor();
    }
    await chat.send('/fork 2');
    await chat.button('Open Session').click();
    // The answer quotes the prompt from which the fork was made. The fork does not contain it.
    await chat.button('Open Session').waitFor({ state: 'hidden' });
    await chat.conversation.getByText('one', { exact: true }).nth(1).waitFor();
    assert.equal(await chat.conversation.getByText('two').count(), 0);
    await chat.send('three');
    await chat.conversation.getByText('three', { exact: true }).nth(1).waitFor();
  });

  it('Pi: the model and the thinking level can be chosen, and messages steer the turn or wait for the next one', async () => {
    const chat = await family.chatWith('Pi');
    await chat.send('hello');
    await family.workbench.statusSays(/ready/);
    await chat.button('More options').click();
    await chat.frame.getByRole('combobox', { name: 'Thinking Level' }).selectOption('high');
    await chat.frame
      .getByRole('button', { name: 'More options' })
      .and(chat.frame.getByTitle(/Thinking Level: high/))
      .waitFor();
    await family.workbench.page.keyboard.press('Escape');
    await chat.frame.getByRole('combobox', { name: 'Model' }).selectOption({ label: 'Model Two' });
    await chat.frame.getByTitle('Model: Model Two').waitFor();
    await chat.send('hang');
    await chat.frame.getByPlaceholder(/Alt\+Enter to steer/).waitFor();
    const queue = chat.frame.getByRole('region', { name: 'Queued messages' });
    await chat.message.fill('by the key');
    await chat.message.press('Alt+Enter');
    await queue.getByRole('listitem').filter({ hasText: 'by the key' }).getByText('this turn').waitFor();
    await chat.message.fill('by the button');
    await chat.button('Steer').click();
    await queue.getByText('by the button').waitFor();
    await chat.send('later');
    await queue.getByRole('listitem').filter({ hasText: 'later' }).getByText('next turn').waitFor();
    await chat.button('Remove queued message: later').click();
    await queue.getByText('later').waitFor({ state: 'hidden' });
    await family.workbench.screenshot('family-pi-queue');
    await chat.stop.click();
    await chat.conversation.getByText(/^Stopped( ·|$)/).waitFor();
    await queue.getByText('next message').nth(1).waitFor();
    await chat.send('next');
    for (const said of ['next', 'by the key', 'by the button']) await chat.conversation.getByText(said, { exact: true }).nth(1).waitFor();
    await queue.waitFor({ state: 'hidden' });
  });

  it('Pi 0.87: messages in its own queue can be removed', async () => {
    const chat = await family.chatWith('New Pi');
    await chat.send('hang');
    // It says so as soon as the turn accepts messages.
    await chat.frame.getByPlaceholder(/Alt\+Enter to steer/).waitFor();
    for (const text of ['first', 'second']) {
      await chat.message.fill(text);
      await chat.message.press('Alt+Enter');
      await chat.button(`Remove queued message: ${text}`).waitFor();
    }
    await chat.button('Remove queued message: first').click();
    await chat.button('Remove queued message: first').waitFor({ state: 'hidden' });
    await chat.button('Remove queued message: second').waitFor();
    await chat.stop.click();
    await chat.conversation.getByText(/^Stopped( ·|$)/).waitFor();
  });

  it('Pi: it restarts after it was killed during a turn', async () => {
    const { workbench } = family;
    const chat = await family.chatWith('Mortal Pi');
    await chat.send('tool');
    await chat.conversation.getByText('looked', { exact: true }).waitFor();
    await workbench.statusSays(/ready/);
    await chat.send('hang');
    await chat.stop.waitFor();
    await workbench.kill(piStandIn);
    await chat.conversation.getByText(/Interrupted: Mortal Pi was killed/).waitFor();
    await workbench.statusSays(/ready/);
    await chat.send('on we go');
    await chat.conversation.getByText('on we go', { exact: true }).nth(1).waitFor();
  });

  it('Agent-CLI: tools and more turns need confirmation, Stop works, and the user chooses how to continue after a lost connection', async () => {
    const { workbench } = family;
    const chat = await family.chatWith('Remote CLI');
    await chat.frame.getByText('unauthenticated').first().waitFor();
    await chat.frame.getByText('Remote CLI is a server').waitFor();
    await chat.send('ask');
    await chat.dialog.getByText('make', { exact: true }).first().waitFor();
    await chat.dialog.getByText('on the server').waitFor();
    await chat.dialog.getByRole('button', { name: /Allow once/ }).click();
    await chat.conversation.getByText('it was made').waitFor();
    await chat.button('More options').click();
    await chat.frame.getByRole('combobox', { name: 'Prompt' }).selectOption({ label: 'Other…' });
    await workbench.answer('Prompt', 'Be brief.');
    await chat
      .button('More options')
      .and(chat.frame.getByTitle(/Prompt: Be brief\./))
      .waitFor();
    await chat.send('ask');
    await chat.dialog.getByRole('button', { name: /Reject once/ }).click();
    await chat.conversation.getByText('not run').waitFor();
    assert.match(JSON.stringify(family.cli.frames()), /"prompt":"Be brief\."/);
    await chat.send('turns');
    await chat.dialog.getByText('Reset the turns?').waitFor();
    await chat.dialog.getByRole('button', { name: /Yes/ }).click();
    await chat.conversation.getByText('on we go').waitFor();
    await chat.send('hang');
    await chat.conversation.getByText('hanging', { exact: true }).waitFor();
    await chat.stop.click();
    await chat.conversation.getByText(/^Stopped( ·|$)/).waitFor();
    await chat.send('die');
    await chat.conversation.getByText('Interrupted: the connection to Remote CLI was lost.').waitFor();
    await chat.banner.getByText("Remote CLI can't resume this conversation").waitFor();
    await workbench.screenshot('family-cli-lost');
    await chat.button('Continue with Context').click();
    await chat.conversation.getByText('Remote CLI continued here').waitFor();
    await chat.send('whole');
    await chat.conversation.getByText('Earlier conversation', { exact: true }).waitFor();
    await workbench.statusSays(/ready/);
  });

  it('the service: it requires the right key, and the chat says that it does not remember earlier messages', async () => {
    const { workbench } = family;
    const chat = await family.chatWith('Code service');
    await chat.send('hello');
    await chat.banner.getByText('Code service requires a key').waitFor();
    await family.giveKey(chat, 'a-wrong-key-5678');
    await chat.banner.getByText('Code service refused the key').waitFor();
    await workbench.screenshot('family-key-refused');
    await family.giveKey(chat, rightKey);
    await chat.conversation.getByText('hello', { exact: true }).nth(1).waitFor();
    await chat.conversation.getByText("Code service doesn't remember earlier messages").waitFor();
    await workbench.statusSays(/ready/);
  });

  it('after the engine was lost, Pi remembers, Agent-CLI cannot resume, and the service continues', async () => {
    const { workbench } = family;
    await workbench.kill(/engine\.mjs/);
    const chat = await workbench.openChat();
    await chat.conversation.getByText('hello', { exact: true }).nth(1).waitFor();
    await chat.send('again');
    await chat.conversation.getByText('again', { exact: true }).nth(1).waitFor();
    await workbench.row(/Mortal Pi/).click();
    await chat.conversation.getByText('looked', { exact: true }).waitFor();
    await chat.send('after the loss');
    await chat.conversation.getByText('after the loss', { exact: true }).nth(1).waitFor();
    await chat.conversation.getByText('looked', { exact: true }).waitFor();
    await workbench.row(/^ask, Remote CLI/).click();
    await chat.conversation.getByText('Interrupted: the connection to Remote CLI was lost.').waitFor();
    await chat.send('more');
    await chat.banner.getByText("Remote CLI can't resume this conversation").waitFor();
    await workbench.statusSays(/needs input/);
  });

  it('the service: tasks send code with its symbols from TypeScript, and code in an answer can be compared and inserted', async () => {
    const { workbench, service } = family;
    const { page } = workbench;
    const chat = await family.chatWith('Code service');
    await workbench.openFile('parser.ts');
    const lines = page.locator('.editor-instance .view-line');
    const line = lines.filter({ hasText: 'return Number' });
    await line.click();
    await page.locator('.monaco-breadcrumbs').getByText('parse', { exact: true }).waitFor();
    await workbench.command('ACP Host: Write Unit Tests');
    await chat.conversation.getByText(/^code of parse in parser\.ts: recommend parse/).waitFor();
    await chat.conversation.getByText('parser.ts:3–5').waitFor();
    const recommend = service.frames().findLast(({ cmd }) => cmd === 'exec_unittest_recommend');
    const range = { start: { line: 2, character: 0 }, end: { line: 4, character: 1 } };
    assert.deepEqual(
      [recommend?.['func_name'], recommend?.['func_symbols']],
      ['parse', [{ name: 'parse', kind: 'Function', range, children: [] }]],
    );
    // TypeScript may answer late, and the widget then has only what was there before.
    await untilDone(stepMs, async () => {
      await page.keyboard.press('Escape');
      await workbench.selectLine(line);
      await page.keyboard.press('Control+.');
      await page.locator('.action-widget').getByText('Explain with ACP Host').click({ timeout: 5_000 });
    });
    await chat.conversation.getByText(/^explain en parser\.ts 3:2-3:22/).waitFor();
    await chat.send('```ts\nreturn parseInt(text, 10);\n```');
    const answer = chat.conversation.locator('.code-block').filter({ hasText: 'parseInt' });
    await answer.hover();
    await answer.getByRole('button', { name: 'Compare with Editor' }).click();
    await page.getByRole('tab', { name: /parser\.ts \(proposed\)/ }).waitFor();
    await workbench.screenshot('family-compare');
    await workbench.closeTab(/parser\.ts \(proposed\)/);
    await answer.hover();
    await answer.getByRole('button', { name: 'Insert into Editor' }).click();
    // The keyboard focus may not have reached the editor yet.
    await lines.getByText('parseInt').first().click();
    assert.ok(code.includes('Number(text)'));
    await page.keyboard.press('Control+z');
    await line.waitFor();
    await workbench.closeTab(/parser\.ts/);
  });

  it('the service: it can query the code in the folder only if the settings allow it', async () => {
    const question = (folder: string): string => `ide cmd get_document_symbols {"abspath":"${folder}/parser.ts"}`;
    const chat = await family.chatWith('Code service');
    await chat.send(question(family.workbench.folder));
    await chat.conversation.getByText(/"result":\[.*"name":"parse","kind":"Function"/).waitFor();
    await chat.send(`ide cmd find_def_locations {"abspath":"${family.workbench.folder}/parser.ts","line":3,"character":17}`);
    await chat.conversation.getByText(/"result":\[\{"abspath":"[^"]*parser\.ts","range":\{"start":\{"line":2/).waitFor();
    const closed = await family.chatWith('Closed service');
    await closed.send(question(family.workbench.folder));
    await closed.conversation.getByText(/"error":"Function not found"/).waitFor();
  });

  it('a certificate is trusted only when the user accepts it, and nothing is sent to a server with a changed one', async () => {
    const { workbench, secure } = family;
    const chat = await family.chatWith('Secure service');
    await chat.send('hello');
    await chat.button('Trust Server…').click();
    await (await family.modal()).getByRole('button', { name: 'Cancel' }).click();
    await chat.button('Trust Server…').click();
    const dialog = await family.modal();
    await dialog.getByText('Trust the certificate of Secure service?').waitFor();
    await dialog.getByText(/SHA-256 fingerprint/).waitFor();
    await workbench.screenshot('family-trust');
    await dialog.getByRole('button', { name: 'Trust Certificate' }).click();
    await chat.banner.getByText('Secure service requires a key').waitFor();
    await family.giveKey(chat, rightKey);
    await chat.conversation.getByText('hello', { exact: true }).nth(1).waitFor();
    await secure.kill();
    await chat.send('again');
    const impostor = await family.restart(secure, ['--key', rightKey, '--tls', 'self']);
    await chat.button('Check Again').click();
    await chat.banner.getByText('Its certificate is not the one that you trusted.').waitFor();
    await workbench.screenshot('family-changed');
    await chat.button('Trust Server…').click();
    const changed = await family.modal();
    await changed.getByText('Trust the changed certificate of Secure service?').waitFor();
    await changed.getByRole('button', { name: 'Cancel' }).click();
    await chat.button('Trust Server…').waitFor();
    assert.deepEqual(
      impostor.notes.all.filter(({ event }) => event === 'upgrade'),
      [],
    );
  });

  it('an unencrypted connection to another machine needs the consent of the user, and is marked in the header', async () => {
    const chat = await family.chatWith('Far service');
    await chat.frame.getByText('unencrypted').first().waitFor();
    await chat.send('hello');
    await chat.frame.getByText('The connection is not encrypted (ws://)').first().waitFor();
    await chat.button('Trust Server…').click();
    const dialog = await family.modal();
    await dialog.getByText('Connect to Far service without encryption?').waitFor();
    await dialog.getByRole('button', { name: 'Connect Unencrypted' }).click();
    await chat.banner.getByText(/far\.invalid:8080\/ws can't be reached/).waitFor();
  });
});
