import assert from 'node:assert/strict';
import { type TestContext, describe, test } from 'node:test';
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { type ProcessIdentity, identifyProcess, listTree, signalAll, stillRunning } from '../../../src/core/node/processTree.js';
import { cliProgram } from '../../cli/programs.js';
import { startMockModel } from '../../model/mockModel.js';
import { within } from '../deadline.js';
import { executableOf, makeRooms, minimalEnv, missing, providerEnv } from '../launch.js';

interface Running {
  readonly host: number;
  readonly agent: number;
  /** The host and its descendants. */
  readonly family: readonly ProcessIdentity[];
}

/** Starts a host in its own process. Its agentao runs a command that would take a minute, in a process session of its own. */
async function startCommand(t: TestContext): Promise<Running> {
  const rooms = await makeRooms();
  const model = await startMockModel();
  const args = [
    'run',
    '--command',
    `${executableOf('0.5.17')} --acp --stdio`,
    '--cwd',
    rooms.cwd,
    '--format',
    'json',
    '--permission',
    'allow',
    'SC:shell-hangs',
  ];
  const env = { ...minimalEnv(rooms.home), ...providerEnv(model), ACP_HOST_STATE: rooms.home };
  const host = spawn(process.execPath, [cliProgram, ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env,
  });
  let family: readonly ProcessIdentity[] = [];
  t.after(async () => {
    await signalAll(family, 'SIGKILL');
    await model.close();
    await rooms.remove();
  });
  await within(
    new Promise<void>((resolve) => {
      createInterface({ input: host.stdout }).on('line', (line) => line.includes('started') && resolve());
    }),
    'command',
  );
  const root = await identifyProcess(host.pid ?? -1);
  assert.ok(root);
  family = await listTree(root);
  const agents = await Promise.all(family.map(async ({ pid }) => ({ pid, size: pid === root.pid ? 0 : (await treeOf(pid)).length })));
  const agent = agents.toSorted((one, other) => other.size - one.size)[0]?.pid ?? -1;
  return { host: root.pid, agent, family };
}

async function treeOf(pid: number): Promise<readonly ProcessIdentity[]> {
  const root = await identifyProcess(pid);
  return root === undefined ? [] : listTree(root);
}

async function gone(processes: readonly ProcessIdentity[]): Promise<void> {
  while ((await stillRunning(processes)).length > 0) await delay(50);
}

describe('agentao 0.5.17: a killed host', { skip: missing('0.5.17') }, () => {
  test('during a command: agentao and the command end', async (t) => {
    const { host, family } = await startCommand(t);
    process.kill(host, 'SIGKILL');
    await within(gone(family), 'end of everything');
  });

  test('together with agentao: the command still ends', async (t) => {
    const { host, agent, family } = await startCommand(t);
    process.kill(agent, 'SIGKILL');
    process.kill(host, 'SIGKILL');
    await within(gone(family), 'end of everything');
  });
});
