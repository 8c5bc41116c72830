/** Commands that run for an agent in the host, in a real workbench: stopped from their cards, and opened as terminals. */
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { stillAlive } from '../../scripts/processes.mjs';
import { reportFailures } from './support/failures.js';
import { root, Workbench } from './support/workbench.js';

describe('a command that runs for an agent', { skip: process.platform === 'win32' && 'uses a POSIX shell' }, () => {
  let workbench: Workbench;
  reportFailures(() => workbench);
  before(async () => {
    workbench = await Workbench.open({
      files: { 'README.md': '# Sample\n' },
      machineSettings: {
        'acpHost.defaultAgent': 'runner',
        'acpHost.agents': {
          runner: { label: 'Runner', command: process.execPath, args: [path.join(root, 'test/agents/runsInTerminal.mjs')] },
        },
      },
      userSettings: { 'acpHost.notifyWhenDone': 'hidden', 'terminal.integrated.gpuAcceleration': 'off' },
    });
    await workbench.page.setViewportSize({ width: 960, height: 600 });
  });
  after(() => workbench.close());

  it('is opened as a terminal, which shows its output live, and ends nothing when it is closed', async () => {
    const chat = await workbench.newSession();
    const waits = (file: string): string => `while [ ! -e ${file} ]; do sleep 0.1; done`;
    await chat.send(`printf 'first \\033[32mgreen\\033[0m\\n'; ${waits('go')}; echo second; ${waits('on')}; echo third`);
    await chat.conversation.getByText('first green').waitFor();
    await chat.conversation.locator('.output-block').hover();
    await chat.frame.getByRole('button', { name: 'Open as Terminal' }).click();
    await workbench.terminal.getByText('green').waitFor();
    await writeFile(path.join(workbench.folder, 'go'), '');
    await workbench.terminal.getByText('second').waitFor();
    await workbench.command('Terminal: Kill the Active Terminal Instance');
    await workbench.terminal.waitFor({ state: 'hidden' });
    await chat.conversation.locator('.output-block').hover();
    await chat.frame.getByRole('button', { name: 'Open as Terminal' }).click();
    await workbench.terminal.getByText('second').waitFor();
    await writeFile(path.join(workbench.folder, 'on'), '');
    await workbench.terminal.getByText('[The command has ended: exit code 0]').waitFor();
    await workbench.screenshot('command-terminal');
    await chat.conversation.getByText('"exitCode":0').waitFor();
    await chat.stop.waitFor({ state: 'hidden' });
  });

  it('is stopped from its card with everything that it started, and the turn goes on', async () => {
    const chat = await workbench.newSession();
    await chat.send('sleep 600 & echo $! > child; echo $$ > shell; echo ready; wait');
    await chat.conversation.getByText('ready', { exact: true }).waitFor();
    const pids = await Promise.all(
      ['child', 'shell'].map(async (name) => Number(await readFile(path.join(workbench.folder, name), 'utf8'))),
    );
    const own = (await workbench.processes(/sleep 600/)).filter(({ pid }) => pids.includes(pid));
    assert.equal(own.length, 2);
    for (const [theme, name] of [
      ['Light 2026', 'vs'],
      ['Dark 2026', 'vs-dark'],
    ] as const) {
      await workbench.theme(theme);
      await workbench.page.locator(`.monaco-workbench.${name}`).waitFor();
      await chat.frame.getByRole('button', { name: 'Stop command' }).waitFor();
      await workbench.screenshot(`command-${name}`);
    }
    await chat.frame.getByRole('button', { name: 'Stop command' }).click();
    await chat.conversation.getByText('"exitCode":null').waitFor();
    await chat.stop.waitFor({ state: 'hidden' });
    assert.deepEqual(await stillAlive(own), []);
    await workbench.screenshot('command-stopped');
  });
});
