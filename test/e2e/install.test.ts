import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type AgentMirror, publishAgent, startAgentMirror } from '../standIns/agentMirror.js';
import { reportFailures } from './support/failures.js';
import { root, Workbench } from './support/workbench.js';

const obedient = path.join(root, 'test/agents/obedient.mjs');

describe('an agent of the registry', () => {
  let home: string;
  let mirror: AgentMirror;
  let workbench: Workbench;
  reportFailures(() => workbench);
  before(async () => {
    home = await mkdtemp(path.join(tmpdir(), 'acp-host-e2e-mirror-'));
    mirror = await startAgentMirror(home);
    await publishAgent(mirror, 'small-agent', '1.0.0');
    await publishAgent(mirror, 'small-agent', '1.1.0', { scripts: { postinstall: 'node -e 0' } });
    list('1.0.0');
    const zed = { agent_servers: { 'Of Zed': { command: process.execPath, args: [obedient], env: { OF_ZED_TOKEN: 'k3Xw9vQ2pLr7TzB4' } } } };
    await mkdir(path.join(home, 'zed'));
    await writeFile(path.join(home, 'zed/settings.json'), `// Zed settings\n${JSON.stringify(zed)}`);
    workbench = await Workbench.open({
      env: { ...mirror.env, XDG_CONFIG_HOME: home },
      machineSettings: { 'acpHost.registryUrl': mirror.registryUrl, 'acpHost.defaultAgent': '' },
    });
  });
  after(async () => {
    await workbench.close();
    await mirror.close();
    await rm(home, { recursive: true, force: true, maxRetries: 5 });
  });

  function list(version: string): void {
    mirror.list({
      id: 'small',
      name: 'Small agent',
      version,
      description: 'Does what its prompt says',
      license: 'Apache-2.0',
      repository: 'https://example.com/small-agent',
      distribution: { npx: { package: `small-agent@${version}` } },
    });
  }
  const selectAgent = (): Promise<void> => workbench.command('ACP Host: Select Agent');
  const row = (name: RegExp) => workbench.quickInput.getByRole('option', { name });
  const dialog = () => workbench.page.locator('.monaco-dialog-box');
  const refresh = () => workbench.quickInput.getByRole('button', { name: 'Refresh List' }).click();

  it('is installed from the list, to which the first start leads, and answers', async () => {
    const chat = await workbench.openChat();
    await chat.frame.getByRole('heading', { name: 'No agent was found' }).waitFor();
    const choices = chat.frame.locator('.empty').getByRole('button');
    assert.deepEqual(await choices.allInnerTexts(), ['Select Agent', 'Try Built-in Agent', 'Check Again']);
    await workbench.screenshot('first-start');
    await choices.first().click();
    await row(/Cline, 3\.0\.65 · npm/)
      .first()
      .waitFor();
    await workbench.screenshot('select-agent');
    await refresh();
    await row(/Small agent/).click();
    await dialog().getByText('Install Small agent 1.0.0?').waitFor();
    await dialog().getByText('From: npm, the package small-agent@1.0.0').waitFor();
    await workbench.screenshot('install-agent');
    await dialog().getByRole('button', { name: 'Install', exact: true }).click();
    await chat.frame.getByText('What should Small agent do?').waitFor();
    await chat.send('say installed and running');
    await chat.frame.getByText('installed and running', { exact: true }).last().waitFor();
  });

  it('is updated when the user asks, with consent to its scripts', async () => {
    list('1.1.0');
    await selectAgent();
    await refresh();
    const installed = row(/Small agent, 1\.0\.0 · 1\.1\.0 is available/);
    await installed.hover();
    await workbench.screenshot('select-agent-update');
    await installed.getByRole('button', { name: 'Update…' }).click();
    await dialog().getByText('Update Small agent from 1.0.0 to 1.1.0?').waitFor();
    await dialog().getByRole('button', { name: 'Update', exact: true }).click();
    await dialog().getByText('Let 1 package of Small agent run install scripts?').waitFor();
    await workbench.screenshot('install-scripts');
    await dialog().getByRole('button', { name: 'Run Scripts' }).click();
    await workbench.statusSays(/Small agent is up to date/);
  });

  it('is removed again', async () => {
    await selectAgent();
    const installed = row(/Small agent, 1\.1\.0/);
    await installed.hover();
    await installed.getByRole('button', { name: 'Remove…' }).click();
    await dialog().getByRole('button', { name: 'Remove', exact: true }).click();
    await workbench.statusSays(/Small agent was removed/);
    await selectAgent();
    await row(/Small agent, 1\.1\.0 · npm · Apache-2\.0/).waitFor();
    await workbench.press('Escape');
  });

  it('that is in no list is added by its command, after it was tried', async () => {
    await selectAgent();
    await workbench.pick('Add Another…');
    await workbench.answer('Add Agent', `"${process.execPath}" "${obedient}"`);
    const chat = await workbench.pageIn('sidebar');
    await chat.frame.getByText('What should obedient do?').waitFor();
    await chat.send('say added');
    await chat.frame.getByText('added', { exact: true }).last().waitFor();
  });

  it('that another application has in its settings is offered until it is added', async () => {
    await selectAgent();
    await row(/Of Zed, From Zed · node/).click();
    await dialog().getByText('Add Of Zed from Zed?').waitFor();
    await dialog().getByText('Sets: OF_ZED_TOKEN=[redacted]').waitFor();
    await workbench.screenshot('add-from-zed');
    await dialog().getByRole('button', { name: 'Add', exact: true }).click();
    const chat = await workbench.pageIn('sidebar');
    await chat.frame.getByText('What should Of Zed do?').waitFor();
    await chat.send('say also added');
    await chat.frame.getByText('also added', { exact: true }).last().waitFor();
    await selectAgent();
    await row(/Of Zed, 1\.0\.0 · node/).waitFor();
    assert.equal(await row(/From Zed/).count(), 0);
    await workbench.press('Escape');
  });
});
