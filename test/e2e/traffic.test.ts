/** "Show Traffic" and "Report a Problem" in a real workbench, with the demo agent. */
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { parseTrace } from '../../src/core/index.js';
import { reportFailures } from './support/failures.js';
import { Workbench } from './support/workbench.js';

describe('the message inspector and problem reports in a workbench', () => {
  let workbench: Workbench;
  reportFailures(() => workbench);
  before(async () => {
    workbench = await Workbench.open({ files: { 'README.md': '# Sample\n' } });
    const chat = await workbench.newSession();
    await chat.send('list');
    await chat.conversation.getByText('README.md').waitFor();
    await chat.button('Send').waitFor();
  });
  after(() => workbench.close());

  it('the inspector shows messages from before it was opened, with durations, and filters them', async () => {
    await workbench.command('ACP Host: Show Traffic');
    const { frame } = await workbench.pageOfTab('Traffic');
    await frame.getByRole('option', { name: /^Request to Demo agent, id \d+ .*initialize .* \d+(\.\d)? m?s$/ }).waitFor();
    await frame.getByRole('combobox', { name: 'Method' }).selectOption('session/new');
    assert.equal(await frame.getByRole('option', { name: /Demo agent/ }).count(), 2);
    await frame.getByRole('option', { name: /^Response from Demo agent/ }).click();
    await frame.getByLabel('Contents').getByText('"sessionId"').waitFor();
    await workbench.screenshot('traffic');
    await frame.getByRole('button', { name: 'Show All' }).click();
  });

  it('the inspector shows no new messages while it is paused, and shows them when it resumes', async () => {
    const { frame } = await workbench.pageOfTab('Traffic');
    await frame.getByRole('combobox', { name: 'Method' }).selectOption('session/prompt');
    const requests = frame.getByRole('option', { name: /^Request to Demo agent/ });
    await requests.first().waitFor();
    const before = await requests.count();
    await frame.getByRole('button', { name: 'Pause' }).click();
    const chat = await workbench.pageIn('sidebar');
    await chat.send('read README.md');
    await chat.conversation.getByRole('group', { name: /read/i }).first().waitFor();
    assert.equal(await requests.count(), before);
    await frame.getByRole('button', { name: 'Resume' }).click();
    await requests.nth(before).waitFor();
    await frame.getByRole('button', { name: 'Show All' }).click();
  });

  it('the visible messages can be exported as a trace with the save dialog', async () => {
    const { frame } = await workbench.pageOfTab('Traffic');
    await frame.getByRole('button', { name: 'Export Visible as Trace' }).click();
    await workbench.quickInput.locator('input').first().waitFor();
    await workbench.quickInput.getByRole('button', { name: 'OK' }).click();
    await workbench.page
      .getByText(/Trace saved/)
      .first()
      .waitFor();
    const [name = ''] = (await readdir(workbench.folder)).filter((file) => file.endsWith('.trace.ndjson'));
    const trace = parseTrace(await readFile(path.join(workbench.folder, name), 'utf8'));
    assert.equal(trace.header?.agent.id, 'demo');
    assert.ok(trace.lines.some((line) => 'frame' in line && typeof line.frame === 'object' && line.frame['method'] === 'initialize'));
  });

  it('a problem report without the conversation opens in the editor', async () => {
    await workbench.command('ACP Host: Report a Problem');
    await workbench.pick('Without the Conversation');
    await workbench.page
      .getByRole('tab', { name: /Problem report|Untitled/ })
      .first()
      .waitFor();
    const text = workbench.page.locator('.editor-instance .view-lines').filter({ visible: true });
    await text.getByText('Problem report').first().waitFor();
    await text.getByText('Versions').first().waitFor();
    await workbench.screenshot('problem-report');
  });
});
