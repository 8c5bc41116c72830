import { after, before, describe, it } from 'node:test';
import { reportFailures } from './support/failures.js';
import { Workbench } from './support/workbench.js';

describe('diagnostics', () => {
  let workbench: Workbench;
  reportFailures(() => workbench);
  before(async () => {
    workbench = await Workbench.open({
      machineSettings: { 'acpHost.agents': { lost: { command: 'no-such-agent' } }, 'acpHost.defaultAgent': 'lost' },
    });
  });
  after(() => workbench.close());

  it('are summarized after a failed start, and shown in full with Run Diagnostics', async () => {
    const chat = await workbench.openChat();
    await chat.send('hello');
    await chat.frame.getByText('Details', { exact: true }).click();
    await chat.frame.getByText('✗ lost: `no-such-agent` was not found').waitFor();
    await chat.button('Run Diagnostics').click();
    await workbench.page.getByRole('tab', { name: /ACP Host Diagnostics\.md/ }).waitFor();
    const document = workbench.page.locator('.part.editor .view-lines');
    await document.getByText('1 problem found.').waitFor();
    await document.getByText('✓ Conversations can be saved').waitFor();
  });
});
