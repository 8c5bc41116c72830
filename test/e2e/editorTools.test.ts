/** What an agent that may ask is told of a real editor. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { tellFailures } from './support/failures.js';
import { root, Workbench } from './support/workbench.js';

describe('the tools of the editor', () => {
  let workbench: Workbench;
  tellFailures(() => workbench);
  let sessions = '';
  before(async () => {
    sessions = await mkdtemp(path.join(tmpdir(), 'acp-host-tools-'));
    const args = [path.join(root, 'test/standIns/piStandIn.mjs'), '--dialect', 'xcsh', '--sessions', sessions];
    workbench = await Workbench.open({
      files: {
        'two.txt': '{\n  "name": 1,,\n}\n',
        'one.ts': 'export function go(): void {}\n',
        'one.txt': "import { go } from './one';\ngo();\n",
      },
      machineSettings: {
        'acpHost.agents': { asking: { label: 'Asking', protocol: 'xcsh', command: process.execPath, args, codeNavigation: true } },
        'acpHost.defaultAgent': 'asking',
      },
    });
  });
  after(async () => {
    await workbench.close();
    await rm(sessions, { recursive: true, force: true });
  });

  it('tell which files are open, and nothing of what is outside of the folder', async () => {
    const chat = await workbench.newSession();
    let turns = 0;
    const ask = async (prompt: string): Promise<string> => {
      await chat.send(prompt);
      const answer = chat.conversation.getByRole('article', { name: 'Asking' }).nth(turns++);
      await answer.getByText(/\S/).first().waitFor();
      return (await answer.innerText()).replace(/^Asking\s*/, '');
    };
    const call = (name: string, input: object = {}): Promise<string> => ask(`host editor_${name} ${JSON.stringify(input)}`);
    assert.match(await call('open_files'), /^none/);
    await ask('See `one.txt` and `two.txt`.');
    for (const name of ['one.txt', 'two.txt']) {
      await chat.conversation.getByRole('link', { name }).click();
      await workbench.page.getByRole('tab', { name: new RegExp(name) }).waitFor();
    }
    assert.match(await call('open_files'), /two\.txt \(active\)/);
    assert.match(await call('symbols', { path: '/etc/passwd' }), /outside_workspace/);
  });
});
