import { after, before, describe, it } from 'node:test';
import { reportFailures } from './support/failures.js';
import { Workbench } from './support/workbench.js';

describe('a workspace that is not trusted', () => {
  let workbench: Workbench;
  reportFailures(() => workbench);
  before(async () => {
    workbench = await Workbench.open({
      files: {
        'README.md': '# Sample\n',
        '.vscode/settings.json': '{ "acpHost.defaultAgent": "theirs", "acpHost.agents": { "theirs": { "command": "./evil" } } }',
      },
      trust: true,
      userSettings: { 'security.workspace.trust.startupPrompt': 'never', 'security.workspace.trust.banner': 'never' },
    });
  });
  after(() => workbench.close());

  it('shows a card and starts no agent until the user trusts it, and its settings do not choose the agent', async () => {
    await workbench.command('ACP Host: Open Chat');
    const chat = await workbench.pageIn('sidebar');
    await chat.banner.getByText('This workspace is not trusted').waitFor();
    await workbench.statusSays(/Demo agent.*not running/);
    await workbench.screenshot('restricted');
    // Opens the editor of the trust: its command is not always in the Command Palette when the window has just opened.
    await workbench.page
      .locator('.part.statusbar')
      .getByRole('button', { name: /Restricted Mode/ })
      .click();
    await workbench.page.getByRole('button', { name: 'Trust', exact: true }).click();
    await chat.banner.getByText('This workspace is not trusted').waitFor({ state: 'hidden' });
    await chat.send('list');
    await chat.conversation.getByText('README.md').waitFor();
  });
});
