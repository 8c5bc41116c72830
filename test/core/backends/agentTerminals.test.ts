/** Terminals of the host, as an agent uses them on the wire, and what the user sees of them. */
import assert from 'node:assert/strict';
import { realpath, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, it } from 'node:test';
import { isFields } from '../../../src/core/base/fields.js';
import { emptySession, reduceAll } from '../../../src/core/session/reducer.js';
import { goneWithin, identifyProcess } from '../../../src/core/node/processTree.js';
import type { SessionState, ToolCallContent, ToolItem } from '../../../src/core/index.js';
import { type Launched, launch, type Told } from './launch.js';

const posixOnly = process.platform === 'win32' ? 'uses a POSIX shell' : false;

const stateOf = (agent: Launched): SessionState => reduceAll(emptySession('s', agent.cwd, 0), agent.sessionEvents());
function toolOf(agent: Launched): ToolItem {
  const tool = stateOf(agent).items.find((item) => item.kind === 'tool');
  assert.ok(tool?.kind === 'tool');
  return tool;
}
const errorIn = (message: unknown): unknown => (isFields(message) && isFields(message['error']) ? message['error']['message'] : undefined);
const outputOf = (content: readonly ToolCallContent[] | undefined): string =>
  (content ?? []).map((part) => (part.type === 'terminal' ? (part.output ?? '') : '')).join('');
/** Resolves with the output that is shown when it fits. */
async function untilShown(agent: Launched, fits: (output: string) => boolean): Promise<string> {
  const told = await agent.until(
    'the output',
    (one): one is Told => one.type === 'event' && one.event.type === 'tool' && fits(outputOf(one.event.patch.content)),
  );
  return told.type === 'event' && told.event.type === 'tool' ? outputOf(told.event.patch.content) : '';
}

describe('a terminal of the host', { skip: posixOnly }, () => {
  it('runs in the folder of the session, and its output and exit code are shown with the call and returned', async (t) => {
    const agent = await launch(t, 'runsInTerminal');
    await agent.start();
    await agent.prompt(await agent.newSession(), 'pwd && exit 3');
    const status = { exitCode: 3, signal: null };
    const output = `${await realpath(agent.cwd)}\n`;
    assert.deepEqual(JSON.parse(agent.text()), { exit: status, output, truncated: false, exitStatus: status, gone: -32002 });
    const { content, exit, status: end } = toolOf(agent);
    assert.deepEqual(
      content.map((part) => part.type === 'terminal' && part.output),
      [output],
    );
    assert.deepEqual([exit, end], [{ code: 3 }, 'failed']);
  });

  it('that can not be started is refused with the reason', async (t) => {
    const agent = await launch(t, 'asksFor');
    await agent.start();
    const gone = path.join(agent.cwd, 'gone');
    const asked = [
      { command: 'pwd', cwd: gone },
      { command: 'p\0wd' },
      { command: 'echo', args: ['a\0b'] },
      { command: 'no-such-program', args: ['x'] },
    ];
    await agent.prompt(await agent.newSession(), JSON.stringify(asked.map((params) => ['terminal/create', params])));
    assert.deepEqual(
      JSON.parse(agent.text()),
      asked.map(() => ['terminal/create', { code: -32602 }]),
    );
    const refusals = agent.traffic.flatMap((entry) => ('message' in entry ? (errorIn(entry.message) ?? []) : []));
    const invalid = (name: string): string => `terminal/create needs a valid ${name}`;
    assert.deepEqual(refusals, [`Folder not found: ${gone}`, invalid('command'), invalid('args'), 'Command not found: no-such-program']);
  });

  it('shows its output while it runs, and gets no key of the agent', async (t) => {
    const agent = await launch(t, 'runsInTerminal', [], {
      agent: { label: 'x', command: process.execPath, args: [script], env: { KEY: 'k' } },
    });
    await agent.start();
    const turn = agent.prompt(await agent.newSession(), 'echo "first [$KEY]"; while [ ! -e go ]; do sleep 0.05; done; echo last');
    await untilShown(agent, (output) => output === 'first []\n');
    await writeFile(path.join(agent.cwd, 'go'), '');
    await turn;
    assert.equal(outputOf(toolOf(agent).content), 'first []\nlast\n');
  });

  it('ends with the connection, with everything that it started', async (t) => {
    const agent = await launch(t, 'runsInTerminal');
    await agent.start();
    const turn = agent.prompt(await agent.newSession(), 'sleep 600 & echo $!; wait');
    turn.catch(() => {});
    const child = await identifyProcess(Number(await untilShown(agent, (output) => output.endsWith('\n'))));
    assert.ok(child !== undefined);
    await agent.backend.close({ force: true });
    await assert.rejects(turn);
    await goneWithin([child], 20_000);
    assert.equal(await identifyProcess(child.pid).catch(() => undefined), undefined);
  });
});

const script = path.resolve(import.meta.dirname, '../../agents/runsInTerminal.mjs');
