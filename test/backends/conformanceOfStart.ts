/** The start of an agent. */
import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import type { ConnectAgent, ConnectOptions } from '../../src/core/backends/agentBackend.js';
import type { TrafficEntry } from '../../src/core/traffic/trafficEntry.js';
import { type Collected, collect, connectSeam, isRunning, longDeadlines, rejects } from './seam.js';

/** Prints its process ID where no message is expected. */
const silent = "console.error('pid ' + process.pid); process.stdin.resume(); setInterval(() => {}, 1 << 30);";

const program = (script: string): ConnectOptions['agent'] => ({
  label: 'Stranger',
  command: process.execPath,
  args: ['-e', script],
  env: {},
});

async function pidIn(traffic: Collected<TrafficEntry>): Promise<number> {
  const entry = await traffic.until('pid', (one) => one.kind === 'stderr' && one.text.startsWith('pid '));
  return entry.kind === 'stderr' ? Number(entry.text.slice(4)) : Number.NaN;
}

interface Started {
  readonly connect: ConnectAgent;
  readonly agent: ConnectOptions['agent'];
}

/** Whatever `connect` rejects with, no process is left running. The agents that fail here have no protocol at all. */
export function testFailedStart({ connect, agent }: Started): void {
  const start = (t: TestContext, o: Partial<ConnectOptions>): Promise<unknown> => connectSeam(t, connect, { agent, ...o });

  describe('a start that fails', () => {
    test('a command that does not exist fails', async (t) => {
      const error = await rejects(start(t, { agent: { ...agent, command: 'no-such-agent-anywhere' } }), 'agent_not_found');
      assert.notEqual(error.message, '');
    });

    test('a program that exits without output fails', async (t) => {
      const error = await rejects(start(t, { agent: program('process.exit(3)') }), 'handshake_failed');
      assert.equal(error.params['exitCode'], 3);
    });

    test('a program without output fails at the deadline', async (t) => {
      const traffic = collect<TrafficEntry>();
      const deadlines = { ...longDeadlines, initializeMs: 3_000 };
      const starting = rejects(start(t, { agent: program(silent), deadlines, onTraffic: traffic.add }), 'handshake_timeout');
      const pid = await pidIn(traffic);
      await starting;
      assert.equal(isRunning(pid), false);
    });

    test('a start can be canceled', async (t) => {
      const traffic = collect<TrafficEntry>();
      const giveUp = new AbortController();
      const starting = rejects(start(t, { agent: program(silent), signal: giveUp.signal, onTraffic: traffic.add }), 'cancelled');
      const pid = await pidIn(traffic);
      giveUp.abort();
      await starting;
      assert.equal(isRunning(pid), false);
    });

    test('a start that was canceled beforehand starts nothing', async (t) => {
      const traffic = collect<TrafficEntry>();
      await rejects(start(t, { signal: AbortSignal.abort(), onTraffic: traffic.add }), 'cancelled');
      assert.deepEqual(traffic.all, []);
    });
  });
}

export function testStart({ connect, agent }: Started): void {
  describe('the start', () => {
    test('a deadline that is too long for a timer counts as none', async (t) => {
      const never = 2 ** 31;
      await connectSeam(t, connect, { agent, deadlines: { initializeMs: never, sessionMs: never, queryMs: never } });
    });

    test('the traffic begins with the first byte', async (t) => {
      const chatter = 'process.stdout.write("not a message\\n"); process.stderr.write("first words\\n");';
      const args = ['--import', `data:text/javascript,${encodeURIComponent(chatter)}`, ...agent.args];
      const { traffic, backend } = await connectSeam(t, connect, { agent: { ...agent, args } });
      await traffic.until('first words', (entry) => entry.kind === 'stderr' && entry.text === 'first words');
      const onPipe = traffic.all.filter(({ kind }) => kind !== 'stderr');
      const [first, ...rest] = onPipe.filter(({ direction }) => direction === 'received').map(({ kind }) => kind);
      assert.equal(first, 'noise');
      assert.ok(rest.length > 0 && rest.every((kind) => kind === 'message'));
      assert.ok(onPipe.some(({ kind, direction, bytes }) => kind === 'message' && direction === 'sent' && bytes > 0));
      assert.equal(backend.stats.noiseLines, 1);
      assert.notEqual(backend.info.name, '');
    });
  });
}
