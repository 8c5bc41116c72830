import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type MockModel, startMockModel } from '../model/mockModel.js';
import { reportFailures } from './support/failures.js';
import { Workbench } from './support/workbench.js';

const agentao = process.env['ACP_HOST_TEST_AGENTAO'];

describe('signing in to the real agentao', {
  skip: agentao === undefined ? 'set ACP_HOST_TEST_AGENTAO to the path of agentao' : false,
}, () => {
  let workbench: Workbench;
  reportFailures(() => workbench);
  let model: MockModel;
  before(async () => {
    model = await startMockModel();
    workbench = await Workbench.open({
      // Renders the terminal as text that the test can read.
      userSettings: { 'terminal.integrated.gpuAcceleration': 'off' },
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

  it('happens in a terminal of the editor, and then the message is sent', async () => {
    const chat = await workbench.openChat();
    await chat.send('SC:text hello');
    await chat.button('Sign In').click();
    const answers = [
      [/Choose provider/, '1'],
      [/OPENAI_API_KEY:/, 'login-key-0123456789'],
      [/OPENAI_BASE_URL/, model.baseUrl],
      [/OPENAI_MODEL/, 'mock'],
      [/OPENAI_API_FORMAT/, ''],
    ] as const;
    for (const [question, answer] of answers) {
      await workbench.terminal.getByText(question).last().waitFor();
      await workbench.page.keyboard.type(`${answer}\n`);
    }
    await chat.conversation.getByText('Hello there.').waitFor();
    assert.equal(model.requests.at(-1)?.authorization, 'Bearer login-key-0123456789');
  });
});
