/** What an agent gets for a session besides its folder: MCP servers of the folder's files, and the other folders of the window. */
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Chat } from './support/chat.js';
import { reportFailures } from './support/failures.js';
import { root, Workbench } from './support/workbench.js';

const server = (answer: string) => ({
  command: process.execPath,
  args: [path.join(root, 'test/agents/mcpServer.mjs'), answer],
  env: { KEY: '${input:key}' },
});
const inputs = [{ type: 'promptString', id: 'key', description: 'The key of the answers', password: true }];

describe('the context of a session', () => {
  let workbench: Workbench;
  let chat: Chat;
  reportFailures(() => workbench);
  before(async () => {
    workbench = await Workbench.open({
      folderName: 'project',
      otherFolders: ['library'],
      files: {
        '.vscode/mcp.json': `// The servers of this project.\n${JSON.stringify({ inputs, servers: { answers: server('42') } })}`,
        '.mcp.json': JSON.stringify({ mcpServers: { issues: { type: 'http', url: 'https://issues.example/mcp?of=${env:USER}' } } }),
      },
      machineSettings: {
        'acpHost.agents': {
          uses: {
            label: 'Context',
            command: process.execPath,
            args: [path.join(root, 'test/agents/usesItsContext.mjs')],
            env: { ROOTS: '1' },
          },
        },
        'acpHost.defaultAgent': 'uses',
      },
    });
    await workbench.openChat();
    chat = await workbench.pageIn('sidebar');
  });
  after(() => workbench.close());

  const question = () => workbench.page.getByRole('dialog').filter({ hasText: 'Which MCP servers of the folder project may agents use?' });
  const answered = (text: string): Promise<void> => chat.conversation.getByText(text).last().waitFor();
  async function choose(picture: string, ...names: readonly string[]): Promise<void> {
    await question().waitFor();
    await workbench.screenshot(picture);
    await question().getByRole('button', { name: 'Choose Servers…' }).click();
    for (const name of names) await workbench.quickInput.getByRole('checkbox', { name, exact: true }).click();
    await workbench.screenshot(`${picture}-list`);
    await workbench.quickInput.getByRole('button', { name: 'OK' }).click();
  }

  it('has the MCP servers that the user chose, with the values that they need; a tool answers', async () => {
    await chat.send('call answers');
    await choose('mcp-consent', 'answers (.vscode/mcp.json)');
    await workbench.answer('Value for the MCP Server', 'sesame-open-up');
    await answered('The answer is 42 with');
    await chat.send('call issues');
    await answered('There is no server issues');
  });

  it('is told in the status bar', async () => {
    await workbench.status.hover();
    const tooltip = workbench.page.locator('.monaco-hover').filter({ hasText: 'MCP servers: answers' });
    await tooltip.getByText("Left out: issues. You didn't allow it").waitFor();
    await tooltip.getByText(/Also works in .*library/).waitFor();
    await workbench.screenshot('context-tooltip');
    await workbench.press('Escape');
  });

  it('has the other folder of the window, in which the agent writes without a question', async () => {
    const file = path.join(workbench.folder, '../library/new.txt');
    await chat.send(`write ${file}`);
    await answered('done');
    assert.equal(await readFile(file, 'utf8'), 'written');
    const line = chat.conversation.locator('.turn-end').last();
    await line.getByRole('button', { name: '1 file +1 −0' }).click();
    await line.getByText('../library', { exact: true }).waitFor();
    await workbench.command('ACP Host: Review Changes');
    await workbench.page.locator('.view-lines').getByText('written').first().waitFor();
    await workbench.screenshot('other-folder-review');
    await line.getByRole('button', { name: 'Undo', exact: true }).click();
    await line
      .getByText(/Undone\b/)
      .first()
      .waitFor();
    await assert.rejects(readFile(file), { code: 'ENOENT' });
  });

  it('has a definition that changed only after another question', async () => {
    const file = path.join(workbench.folder, '.vscode/mcp.json');
    await writeFile(file, JSON.stringify({ inputs, servers: { answers: server('43') } }));
    await workbench.command('ACP Host: Restart Agent');
    await question().getByText('43').waitFor();
    await question().getByRole('button', { name: "Don't Allow Any" }).click();
    await chat.send('call answers');
    await answered('There is no server answers');
    await workbench.command('ACP Host: Choose MCP Servers of the Folder…');
    await choose('mcp-consent-again', 'answers (.vscode/mcp.json)');
    await workbench.page.getByRole('button', { name: 'Restart Agent' }).click();
    // The value that was given before was forgotten when no server needed it. The restart asks for it, and takes the focus from the message.
    await workbench.answer('Value for the MCP Server', 'sesame-open-up');
    await chat.send('call answers');
    await answered('The answer is 43 with');
  });
});
