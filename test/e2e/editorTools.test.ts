/** The answers of a real editor to an agent that may use its tools. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Chat } from './support/chat.js';
import { reportFailures } from './support/failures.js';
import { root, withTypeScript, Workbench } from './support/workbench.js';

describe('the tools of the editor', () => {
  let workbench: Workbench;
  reportFailures(() => workbench);
  let sessions = '';
  before(async () => {
    sessions = await mkdtemp(path.join(tmpdir(), 'acp-host-tools-'));
    const args = [path.join(root, 'test/standIns/piStandIn.mjs'), '--dialect', 'xcsh', '--sessions', sessions];
    workbench = await Workbench.open({
      files: {
        'one.txt': 'one\n',
        'two.txt': 'two\n',
        'go.ts': 'export class Way {}\nexport function go(): Way {\n  return new Way();\n}\n',
        'use.ts': "import { go } from './go';\nexport const way = go();\nexport const wrong: number = 'text';\n",
      },
      ...withTypeScript,
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

  /** @returns the text of the agent's answer, for example the result of a tool */
  async function ask(chat: Chat, prompt: string): Promise<string> {
    const answers = chat.conversation.getByRole('article', { name: 'Asking' });
    const answer = answers.nth(await answers.count());
    await chat.send(prompt);
    await answer.getByText(/\S/).first().waitFor();
    return (await answer.innerText()).replace(/^Asking\s*/, '');
  }
  const call = (chat: Chat, name: string, input: object = {}): Promise<string> => ask(chat, `host editor_${name} ${JSON.stringify(input)}`);

  async function openByLink(chat: Chat, ...names: readonly string[]): Promise<void> {
    await ask(chat, `See ${names.map((name) => `\`${name}\``).join(' and ')}.`);
    for (const name of names) {
      await chat.conversation.getByRole('link', { name }).click();
      await workbench.page.getByRole('tab', { name: new RegExp(name) }).waitFor();
    }
  }

  it('report the open files, and nothing outside the folder', async () => {
    const chat = await workbench.newSession();
    assert.match(await call(chat, 'open_files'), /^none/);
    await openByLink(chat, 'one.txt', 'two.txt');
    assert.match(await call(chat, 'open_files'), /two\.txt \(active\)/);
    assert.match(await call(chat, 'symbols', { path: '/etc/passwd' }), /outside_workspace/);
  });

  it('report what TypeScript knows, with locations that the next call can use', async () => {
    const chat = await workbench.newSession();
    // Once the editor shows a diagnostic, TypeScript has read all files. Before that, it only knows one file.
    await openByLink(chat, 'use.ts');
    await workbench.statusSays(/1 Error|Errors: 1/);
    const diagnosis = /^use\.ts:3:14 error Type 'string' is not assignable to type 'number'\. \(ts\)$/;
    assert.match(await call(chat, 'diagnostics', { path: 'use.ts' }), diagnosis);
    assert.match(await call(chat, 'diagnostics'), diagnosis);
    assert.match(await call(chat, 'diagnostics', { path: 'go.ts' }), /^none/);
    const used = { path: 'use.ts', line: 2, column: 20 };
    assert.equal(await call(chat, 'definitions', used), 'go.ts:2:17');
    assert.equal(await call(chat, 'type_definitions', used), 'go.ts:1:14');
    const references = await call(chat, 'references', { path: 'go.ts', line: 2, column: 17 });
    assert.deepEqual(references.split(/\s+/).toSorted(), ['go.ts:2:17', 'use.ts:1:10', 'use.ts:2:20']);
    assert.match(await call(chat, 'symbols', { path: 'go.ts' }), /^Class Way 1-1\s+Function go 2-4$/);
  });
});
