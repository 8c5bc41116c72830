/** Sub-agents in a real workbench: what they do is seen, answered and stopped. */
import { after, before, describe, it } from 'node:test';
import { reportFailures } from './support/failures.js';
import { Workbench } from './support/workbench.js';

describe('sub-agents', () => {
  let workbench: Workbench;
  reportFailures(() => workbench);
  before(async () => {
    workbench = await Workbench.open({
      files: { 'README.md': '# Sample\n' },
      machineSettings: { 'acpHost.defaultAgent': 'demo', 'acpHost.requestsOutOfSight': 'reveal' },
    });
  });
  after(() => workbench.close());

  it('one that works longer than the turn is seen, and stopped by itself', async () => {
    const chat = await workbench.newSession();
    await chat.send('delegate background long 2000');
    await chat.conversation.getByText('A sub-agent works on it. You can go on.').waitFor();
    await chat.stop.waitFor({ state: 'hidden' });
    const card = chat.conversation.getByRole('group', { name: 'Sub-agent: long (running)' });
    await card.locator('summary').first().click();
    await card.getByText('long 2000').waitFor();
    await card.getByRole('article', { name: 'Demo agent' }).first().waitFor();
    await card.getByRole('button', { name: 'Stop Sub-agent' }).click();
    await chat.conversation.getByRole('group', { name: 'Sub-agent: long (stopped)' }).waitFor();
    await chat.send('title Still here');
    await chat.stop.waitFor({ state: 'hidden' });
  });

  it('its request says who asks, and its answer reaches it', async () => {
    const chat = await workbench.newSession();
    await chat.send('delegate run echo from-the-sub-agent');
    await chat.dialog.getByText('Asked by Sub-agent · run.').waitFor();
    await chat.dialog.getByRole('button', { name: /Allow once/ }).click();
    await chat.conversation.getByText('The sub-agent is done.').waitFor();
    const card = chat.conversation.getByRole('group', { name: 'Sub-agent: run', exact: true });
    await card.locator('summary').first().click();
    await card.getByText('exited with code 0').waitFor();
  });
});
