/** A command that runs for an agent in the host is stopped by the user, through the engine. The processes are real. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { goneWithin, identifyProcess } from '../../../src/core/node/processTree.js';
import type { ConversationState, ToolItem } from '../../../src/core/index.js';
import { reached, said } from '../conversation/frontEnd.js';
import { openEngine, send } from '../store/engineLab.js';
import { openStoreLab } from '../store/storeLab.js';

const posixOnly = process.platform === 'win32' ? 'uses a POSIX shell' : false;

const toolIn = ({ session }: ConversationState): ToolItem | undefined => {
  const item = session?.items.findLast((one) => one.kind === 'tool');
  return item?.kind === 'tool' ? item : undefined;
};
const partOf = (state: ConversationState) => toolIn(state)?.content.find((part) => part.type === 'terminal');
const pidsIn = (state: ConversationState): readonly number[] => {
  const lines = (partOf(state)?.output ?? '').split('\n');
  return lines.slice(0, -1).map(Number);
};

describe('stopping a command', { skip: posixOnly }, () => {
  it('ends it with everything that it started, and the turn goes on', async (t) => {
    const lab = await openStoreLab(t);
    const { client, attach, end } = await openEngine(t, lab.state, {}, undefined, 'runsInTerminal.mjs');
    const conversation = client.open({ cwd: lab.workspace });
    const turn = conversation.execute(send('sleep 600 & sleep 600 & echo $!; echo $$; wait'));
    await reached(conversation, (state) => pidsIn(state).length === 2);
    const { state } = conversation;
    const own = await Promise.all(pidsIn(state).map((pid) => identifyProcess(pid)));
    const processes = own.filter((one) => one !== undefined);
    assert.equal(processes.length, 2);
    assert.equal(partOf(state)?.runs, true);
    const itemId = toolIn(state)?.id ?? '';
    // Any front end may stop it.
    const other = (await attach()).open({ cwd: lab.workspace, id: state.id });
    await reached(other, (seen) => partOf(seen)?.runs === true);
    assert.ok((await other.execute({ type: 'stop_command', itemId })).ok);
    await goneWithin(processes, 20_000);
    for (const { pid } of processes) assert.equal(await identifyProcess(pid), undefined);
    assert.ok((await turn).ok);
    await reached(conversation, ({ session }) => session?.turn.type === 'idle');
    const tool = toolIn(conversation.state);
    assert.deepEqual([tool?.status, tool?.exit !== undefined, partOf(conversation.state)?.runs], ['failed', true, undefined]);
    assert.ok(said(conversation.state).some((line) => line.startsWith('agent: {"exit"')));
    const late = await conversation.execute({ type: 'stop_command', itemId });
    assert.deepEqual(late.ok ? undefined : late.error, { code: 'usage', params: { reason: 'command_ended' } });
    await end();
  });

  it('is offered while nothing was printed yet, and not for what is read from the disk', async (t) => {
    const lab = await openStoreLab(t);
    const first = await openEngine(t, lab.state, {}, undefined, 'runsInTerminal.mjs');
    const conversation = first.client.open({ cwd: lab.workspace });
    void conversation.execute(send('exec sleep 600'));
    await reached(conversation, (state) => partOf(state)?.runs === true);
    const { id } = conversation.state;
    await first.end();
    const next = await openEngine(t, lab.state, {}, undefined, 'runsInTerminal.mjs');
    const saved = next.client.open({ cwd: lab.workspace, id });
    await reached(saved, (state) => state.isRestored && toolIn(state) !== undefined);
    assert.equal(partOf(saved.state)?.runs, undefined);
  });
});
