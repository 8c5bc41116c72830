import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type MockModel, startMockModel } from '../model/mockModel.js';
import { reportFailures } from './support/failures.js';
import { Workbench } from './support/workbench.js';

const agentao = process.env['ACP_HOST_TEST_AGENTAO'];
const key = 'test-key-0123456789abcdef';

describe('the real agentao in a workbench', {
  skip: agentao === undefined ? 'set ACP_HOST_TEST_AGENTAO to the path of agentao' : false,
}, () => {
  let workbench: Workbench;
  reportFailures(() => workbench);
  let model: MockModel;
  before(async () => {
    model = await startMockModel();
    workbench = await Workbench.open({
      files: { 'a.txt': 'alpha\nbeta\n' },
      machineSettings: { 'acpHost.defaultAgent': 'agentao', 'acpHost.agentao.path': agentao },
      env: {
        NO_PROXY: '127.0.0.1',
        OPENAI_API_KEY: undefined,
        OPENAI_BASE_URL: undefined,
        OPENAI_MODEL: undefined,
        LLM_PROVIDER: undefined,
      },
    });
  });
  after(async () => {
    await workbench.close();
    await model.close();
  });

  it('without a key a card asks the user to sign in, and the message is sent once there is a key', async () => {
    const chat = await workbench.openChat();
    await chat.send('SC:text hello');
    await chat.banner.getByText('agentao needs you to sign in').waitFor();
    await chat.frame.getByRole('region', { name: '1 message on hold' }).getByText('SC:text hello').waitFor();
    await workbench.screenshot('agentao-sign-in');
    await chat.button('Set API Key').click();
    await workbench.pick('OpenAI');
    await workbench.answer('API Key for OPENAI', key);
    await workbench.answer('Base URL for OPENAI', model.baseUrl);
    await workbench.answer('Model of OPENAI', 'mock');
    await chat.conversation.getByText('Hello there.').waitFor();
    assert.equal(model.requests.at(-1)?.authorization, `Bearer ${key}`);
    await workbench.statusSays(/agentao.*mock.*ready/);
  });

  it('the mode in the composer says that the default mode writes without asking', async () => {
    const chat = await workbench.newSession();
    await chat.frame.getByTitle(/^Mode: .*Writes files in the folder without asking/).waitFor();
  });

  it('a command asks for permission, runs, and reports its output', async () => {
    const chat = await workbench.newSession();
    await chat.send('SC:shell');
    await chat.dialog
      .getByText(/printf/)
      .first()
      .waitFor();
    await chat.dialog.getByRole('button', { name: 'More options' }).click();
    await chat.dialog
      .getByText(/for this session: any/)
      .first()
      .waitFor();
    await workbench.screenshot('agentao-permission');
    await chat.dialog.getByRole('button', { name: /Allow once/ }).click();
    await chat.conversation.getByText(/The tool said/).waitFor();
    await chat.conversation.getByRole('group', { name: /run_shell_command \(done\)/ }).waitFor();
  });

  it('the card of an edit says that agentao does not report whether the file was changed', async () => {
    const chat = await workbench.newSession();
    await chat.send('SC:replace');
    await chat.conversation.getByText(/The tool said/).waitFor();
    await chat.conversation
      .getByRole('group', { name: /replace \(done\)/ })
      .getByRole('button')
      .first()
      .click();
    await chat.conversation.getByText(/doesn't report whether the file was changed/).waitFor();
    assert.equal(await readFile(path.join(workbench.folder, 'a.txt'), 'utf8'), 'ALPHA\nbeta\n');
  });

  it('an answer with several choices reaches the agent', async () => {
    const chat = await workbench.newSession();
    await chat.send('SC:ask-multiple');
    await chat.dialog.getByRole('checkbox', { name: 'A' }).check();
    await chat.dialog.getByRole('checkbox', { name: 'C' }).check();
    await chat.dialog.getByRole('button', { name: 'Submit' }).click();
    await chat.conversation.getByText(/The tool said: .*A, C/).waitFor();
  });

  it('an unfinished plan stays visible', async () => {
    const chat = await workbench.newSession();
    await chat.send('SC:plan');
    await chat.conversation.getByText('Done.').waitFor();
    await chat.frame.getByRole('list', { name: 'Plan' }).getByText('step 2').waitFor();
  });

  it('a text that can freeze agentao is only sent if the user insists, and the keyboard focus stays in the chat', async () => {
    await workbench.openFile('a.txt');
    const chat = await workbench.newSession();
    const message = `SC:text ${'x'.repeat(9_000)}`;
    const warning = workbench.page.locator('.monaco-dialog-box');
    await chat.send(message);
    await warning.getByText('9,000 characters in a row').waitFor();
    await workbench.screenshot('agentao-freezes');
    await workbench.page.keyboard.press('Escape');
    await warning.waitFor({ state: 'hidden' });
    await chat.messageIs(message);
    await chat.frame.locator('textarea:focus').waitFor();
    await chat.message.press('Enter');
    await warning.getByRole('button', { name: 'Send Anyway' }).click();
    await chat.conversation.getByText('Hello there.').waitFor();
    await chat.frame.locator('textarea:focus').waitFor();
    await chat.messageIs('');
    await workbench.closeTab(/a\.txt/);
  });

  it('Stop ends a streaming turn', async () => {
    const chat = await workbench.newSession();
    await chat.send('SC:long');
    await chat.conversation.getByText('It begins.').waitFor();
    const held = await model.held('long');
    await chat.stop.click();
    await chat.frame.getByText('Stopping', { exact: true }).waitFor();
    // agentao notices the cancel at the provider's next byte.
    held.release();
    await chat.conversation.getByText(/^Stopped( ·|$)/).waitFor();
  });

  it('Force Stop interrupts a turn that does not stop, and its output stays', async () => {
    const chat = await workbench.newSession();
    await chat.send('SC:long');
    await chat.conversation.getByText('It begins.').waitFor();
    await chat.stop.click();
    await chat.button('Force Stop').click();
    await chat.conversation.getByText(/^Interrupted/).waitFor();
    await chat.conversation.getByText('It begins.').waitFor();
  });

  it('an error of the provider is shown without the key, and Retry sends the message again', async () => {
    const chat = await workbench.newSession();
    await chat.send('SC:http-401-quotes-key');
    await chat.conversation
      .getByText(/Incorrect API key provided: \[redacted\]/)
      .first()
      .waitFor();
    assert.ok(!(await chat.conversation.innerText()).includes(key));
    const before = model.requests.length;
    await chat.conversation.getByRole('button', { name: 'Retry' }).click();
    await chat.conversation
      .getByText(/Incorrect API key provided/)
      .nth(1)
      .waitFor();
    assert.ok(model.requests.length > before);
  });

  it('an empty answer shows a warning', async () => {
    const chat = await workbench.newSession();
    await chat.send('SC:empty');
    await chat.conversation.getByText(/without a reply/).waitFor();
  });

  it('agentao resumes the conversation after the window is reloaded', async () => {
    const chat = await workbench.newSession();
    await chat.send('SC:text before');
    await chat.conversation.getByText('Hello there.').waitFor();
    await workbench.reload();
    const again = await workbench.openChat();
    await again.conversation.getByText('SC:text before').waitFor();
    await again.send('SC:echo-model');
    await again.conversation.getByText('I am mock.').waitFor();
    assert.ok(model.requests.at(-1)?.request.messages.some((message) => JSON.stringify(message).includes('SC:text before')));
  });
});
