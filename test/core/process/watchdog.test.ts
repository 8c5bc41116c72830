import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { type TestContext, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type ProcessIdentity, identifyProcess, listTree, signalAll, stillRunning } from '../../../src/core/node/processTree.js';
import { parseOrder, writeOrder } from '../../../src/core/process/watchdogOrders.js';
import { typescriptProgram } from '../../typescriptProgram.js';

const posix = { timeout: 60_000, skip: process.platform === 'win32' ? 'process groups and signals are POSIX' : false };

interface RunningHost {
  readonly pid: number;
  readonly agent: number;
  /** The host itself, its watchdog, its agent and the agent's child processes. */
  readonly family: readonly ProcessIdentity[];
  /** The first message of the agent. */
  readonly first: { readonly params?: { readonly pids: readonly number[] } };
  tell(order: 'stop' | 'exit'): void;
  /** Resolves when the host has done what was under way. */
  answers(): Promise<unknown>;
  readonly exited: Promise<unknown>;
}

/** Starts a host with one agent as a separate process. Its processes are killed at the end of the test. */
async function startHost(t: TestContext, ...agent: readonly string[]): Promise<RunningHost> {
  const script = fileURLToPath(new URL('./hostProcess.ts', import.meta.url));
  const host = spawn(process.execPath, [...typescriptProgram(script), ...agent], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: host.stdout });
  const [line] = (await once(lines, 'line')) as [string];
  const { pid: agentPid, first } = JSON.parse(line) as { pid: number; first: RunningHost['first'] };
  const identity = await identifyProcess(host.pid ?? -1);
  assert.ok(identity);
  const family = await listTree(identity);
  t.after(() => signalAll(family, 'SIGKILL'));
  return {
    pid: identity.pid,
    agent: agentPid,
    family,
    first,
    tell: (order) => void host.stdin.write(`${order}\n`),
    answers() {
      host.stdin.write('answer\n');
      return once(lines, 'line');
    },
    exited: once(host, 'exit'),
  };
}

/** Polls, because there is no event for the end of a process that is not a child of this one. */
async function gone(processes: readonly ProcessIdentity[]): Promise<void> {
  while ((await stillRunning(processes)).length > 0) await delay(25);
}

const pidsOf = (processes: readonly ProcessIdentity[]): readonly number[] => processes.map(({ pid }) => pid);

for (const agent of [['ignoresTerm'], ['leavesChildren'], ['leavesChildren', '--deaf']]) {
  test(`a host that is killed leaves no processes behind: ${agent.join(' ')}`, posix, async (t) => {
    const host = await startHost(t, ...agent);
    const children = host.first.params?.pids ?? [];
    for (const pid of [host.agent, ...children]) assert.ok(pidsOf(host.family).includes(pid));
    process.kill(host.pid, 'SIGKILL');
    await gone(host.family);
  });
}

test('a host that exits without stopping its agent leaves no processes behind', posix, async (t) => {
  const host = await startHost(t, 'ignoresTerm');
  host.tell('exit');
  await gone(host.family);
});

test('a host that stops its agent is not kept alive by its watchdog, which exits too', posix, async (t) => {
  const host = await startHost(t, 'ignoresTerm');
  host.tell('stop');
  await host.exited;
  await gone(host.family);
});

test('a watchdog that is killed is restarted, and watches the same agent', posix, async (t) => {
  const host = await startHost(t, 'ignoresTerm');
  const root = host.family.find(({ pid }) => pid === host.pid);
  assert.ok(root);
  const dog = host.family.filter(({ pid }) => pid !== host.pid && pid !== host.agent);
  await signalAll(dog, 'SIGKILL');
  await gone(dog);
  let now = await listTree(root);
  while (now.length < 3) [now] = await Promise.all([listTree(root), delay(25)]);
  t.after(() => signalAll(now, 'SIGKILL'));
  // The new watchdog receives what to watch only after it has started.
  await host.answers();
  process.kill(host.pid, 'SIGKILL');
  await gone(now);
});

test('orders are parsed as they were written, and any other line is ignored', () => {
  const identity = { pid: 77, startedAt: '123' };
  for (const order of [
    { type: 'watch', watched: { pid: 77, startedMs: 5, identity, family: [identity, { pid: 78, startedAt: '124' }], mark: 'm' } },
    { type: 'forget', pid: 77 },
  ] as const)
    assert.deepEqual(parseOrder(writeOrder(order).trim()), order);
  assert.deepEqual(parseOrder('{"type":"watch","watched":{"pid":77,"startedMs":5,"family":[],"mark":"m"}}'), {
    type: 'watch',
    watched: { pid: 77, startedMs: 5, identity: undefined, family: [], mark: 'm' },
  });
  for (const line of [
    '',
    '{"type":"wat',
    '[]',
    '{"type":"watch"}',
    '{"type":"forget","pid":1}',
    '{"type":"forget","pid":-5}',
    '{"type":"forget","pid":"77"}',
    '{"type":"watch","watched":{"pid":77,"family":[],"mark":"m"}}',
    '{"type":"watch","watched":{"pid":77,"startedMs":5,"identity":{"pid":78,"startedAt":"1"},"family":[],"mark":"m"}}',
    '{"type":"watch","watched":{"pid":77,"startedMs":5,"family":[],"mark":""}}',
    '{"type":"watch","watched":{"pid":77,"startedMs":5,"family":[{"pid":78}],"mark":"m"}}',
  ])
    assert.equal(parseOrder(line), undefined, line);
});
