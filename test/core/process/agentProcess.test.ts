import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { HostError } from '../../../src/core/base/errors.js';
import { LineTail } from '../../../src/core/traffic/agentTraffic.js';
import { nullLogger } from '../../../src/core/base/logger.js';
import { identifyProcess, stillRunning } from '../../../src/core/node/processTree.js';
import { spawnAgentProcess } from '../../../src/core/process/agentProcess.js';
import { temporaryFolder } from '../host/launch.js';
import { launchAgent, receive, send } from './launch.js';

const limits = { timeout: 30_000 };
const posix = { ...limits, skip: process.platform === 'win32' ? 'process groups and signals are POSIX' : false };
const base64 = (bytes: string | Buffer): string => Buffer.from(bytes).toString('base64');

async function alive(pids: readonly number[]): Promise<readonly number[]> {
  const identities = await Promise.all(pids.map((pid) => identifyProcess(pid)));
  return (await stillRunning(identities.filter((identity) => identity !== undefined))).map(({ pid }) => pid);
}

test('if the agent exits right after its last message, all complete messages are delivered before the end', limits, async (t) => {
  const lines = Array.from({ length: 5000 }, (_, n) => `{"n":${n},"text":"${'x'.repeat(50)}"}\n`).join('');
  const agent = await launchAgent(t, 'writesAndExits', [base64(lines.slice(0, 60_000)), '3']);
  const received = receive(agent.channel);
  assert.equal(await received.ended, undefined);
  assert.deepEqual(await agent.exited, { code: 3, signal: null, requested: false });
  const whole = lines.slice(0, 60_000).split('\n').length - 1;
  assert.equal(received.values.length, whole);
});

test('if the agent exits in the middle of a line, the complete messages are delivered', limits, async (t) => {
  const agent = await launchAgent(t, 'writesAndExits', [base64('{"a":1}\n{"b":'), '1']);
  const received = receive(agent.channel);
  await received.ended;
  assert.deepEqual(received.values, [{ a: 1 }]);
  assert.equal(agent.channel.noiseLines, 1);
});

test('a process that exits immediately reports its exit code, and sending to it fails with agent_exited', limits, async (t) => {
  const agent = await launchAgent(t, 'writesAndExits', ['', '7']);
  const received = receive(agent.channel);
  assert.equal((await agent.exited).code, 7);
  await received.ended;
  await assert.rejects(
    send(agent.channel, { hello: 'x'.repeat(1_000_000) }),
    (error) => error instanceof HostError && error.code === 'agent_exited',
  );
});

test('output is delivered to a reader that starts listening after the exit', limits, async (t) => {
  const agent = await launchAgent(t, 'writesAndExits', [base64('{"a":1}\n'), '0']);
  await agent.exited;
  const received = receive(agent.channel);
  await received.ended;
  assert.deepEqual(received.values, [{ a: 1 }]);
});

test('if the agent never reads stdin, the write queue is bounded, and rejects its messages at the end', limits, async (t) => {
  const agent = await launchAgent(t, 'neverReadsStdin', [], { channel: { writeQueue: { limitBytes: 1024 * 1024, stallMs: 50 } } });
  const received = receive(agent.channel);
  await received.at(0);
  const stalled = new Promise((resolve) => agent.channel.onStalled(resolve));
  const outcomes = Promise.allSettled(Array.from({ length: 200 }, () => send(agent.channel, { text: 'x'.repeat(10_000) })));
  await stalled;
  await agent.stop({ force: true });
  const codes = (await outcomes).map((outcome) => (outcome.status === 'rejected' ? (outcome.reason as HostError).code : 'sent'));
  assert.ok(codes.includes('queue_full'), 'the queue has a limit');
  assert.ok(codes.includes('agent_exited'), 'queued messages are rejected at the end');
  assert.equal(codes.lastIndexOf('agent_exited') < codes.indexOf('queue_full'), true, 'messages that were accepted first stay queued');
});

test('any amount of stderr is read, and its tail is bounded and keeps whole characters', limits, async (t) => {
  const agent = await launchAgent(t, 'spamsStderr', [String(5_000_000)]);
  const tail = new LineTail();
  agent.onStderrLine((line) => tail.push(line));
  const seen = new Promise<void>((resolve) => agent.onStderrLine((line) => line === 'last words' && resolve()));
  await receive(agent.channel).at(0);
  await seen;
  assert.equal(tail.last(2), `${'ä'.repeat(100)}\nlast words`);
  assert.ok(tail.last(1_000_000).length < 300_000);
  assert.equal((await agent.stop()).code, 0);
});

test('a graceful stop ends the agent by closing stdin', limits, async (t) => {
  const agent = await launchAgent(t, 'spamsStderr', ['0']);
  await receive(agent.channel).at(0);
  assert.deepEqual(await agent.stop(), { code: 0, signal: null, requested: true });
  assert.deepEqual(await agent.stop({ force: true }), { code: 0, signal: null, requested: true });
});

test('an agent that ignores the end of stdin, SIGINT and SIGTERM is killed', posix, async (t) => {
  const agent = await launchAgent(t, 'ignoresTerm');
  await receive(agent.channel).at(0);
  assert.deepEqual(await agent.stop({ force: true }), { code: null, signal: 'SIGKILL', requested: true });
});

test('a forced stop shortens a graceful stop that is under way', posix, async (t) => {
  const agent = await launchAgent(t, 'ignoresTerm');
  await receive(agent.channel).at(0);
  const started = performance.now();
  const graceful = agent.stop({ graceMs: 25_000 });
  await agent.stop({ force: true });
  await graceful;
  assert.ok(performance.now() - started < 10_000);
});

for (const args of [[], ['--deaf']]) {
  test(`descendants are ended with the agent, even in sessions of their own (${args.join() || 'no options'})`, posix, async (t) => {
    const agent = await launchAgent(t, 'leavesChildren', args);
    const received = receive(agent.channel);
    const { params } = (await received.at(0)) as { params: { pids: number[] } };
    assert.deepEqual(await alive(params.pids), params.pids);
    await agent.stop({ force: true });
    assert.deepEqual(await alive(params.pids), []);
    await received.ended;
  });
}

const linux = { ...limits, skip: process.platform === 'linux' ? false : 'environments are read from /proc' };

test('if the agent is killed, its children are ended too, and the channel ends although one of them holds stdout', linux, async (t) => {
  const agent = await launchAgent(t, 'leavesChildren');
  const received = receive(agent.channel);
  const { params } = (await received.at(0)) as { params: { pids: number[] } };
  t.after(async () => {
    for (const pid of await alive(params.pids)) process.kill(pid, 'SIGKILL');
  });
  process.kill(agent.pid, 'SIGKILL');
  assert.deepEqual(await agent.exited, { code: null, signal: 'SIGKILL', requested: false });
  await received.ended;
  await agent.stop();
  assert.deepEqual(await alive(params.pids), []);
});

for (const end of ['stopped', 'killed'] as const) {
  test(`daemons that have lost their parent are ended when the agent is ${end}`, linux, async (t) => {
    const late = join(await temporaryFolder(t), 'late');
    const agent = await launchAgent(t, 'startsDaemons', [late]);
    const { params } = (await receive(agent.channel).at(1)) as { params: { pids: number[] } };
    t.after(async () => {
      for (const pid of await alive(params.pids)) process.kill(pid, 'SIGKILL');
    });
    assert.deepEqual(await alive(params.pids), params.pids);
    if (end === 'killed') process.kill(agent.pid, 'SIGKILL');
    await agent.stop();
    const started = end === 'killed' ? params.pids : [...params.pids, Number(await readFile(late, 'utf8'))];
    assert.deepEqual(await alive(started), []);
  });
}

test('stdout can end while the process keeps running', limits, async (t) => {
  const agent = await launchAgent(t, 'answersByScript', [JSON.stringify(['CLOSE{"bye":1}\n'])]);
  const received = receive(agent.channel);
  await send(agent.channel, { id: 1, method: 'go' });
  await received.ended;
  assert.deepEqual(received.values, [{ bye: 1 }]);
  assert.deepEqual(await alive([agent.pid]), [agent.pid]);
});

test('a missing command is agent_not_found; a missing folder and an argument with a null character are spawn_failed', limits, async () => {
  const start = (command: string, args: string[] = []): Promise<unknown> =>
    spawnAgentProcess({ command, args, cwd: tmpdir(), env: process.env, log: nullLogger });
  const code =
    (expected: string) =>
    (error: unknown): boolean =>
      error instanceof HostError && error.code === expected;
  await assert.rejects(start('acp-host-no-such-agent'), code('agent_not_found'));
  await assert.rejects(start(process.execPath, ['nul\0character']), code('spawn_failed'));
  await assert.rejects(
    spawnAgentProcess({
      command: process.execPath,
      args: [],
      cwd: `${tmpdir()}/acp-host-no-such-folder`,
      env: process.env,
      log: nullLogger,
    }),
    (error) => code('spawn_failed')(error) && error instanceof HostError && error.params.reason === 'folder_missing',
  );
});
