/**
 * The chaos run with stand-ins for agents of other protocols: fewer turns, and kills or disconnections, stalls, cancels and reloads.
 */
import assert from 'node:assert/strict';
import path from 'node:path';
import { it, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from '../core/host/launch.js';
import { startStandIn } from '../standIns/startStandIn.js';
import { Chaos, type ChaosOptions, occurrences } from './chaos.js';
import { planTurns, type Prompts, type StrikeKind } from './plan.js';

/** The same each time. `ACP_HOST_CHAOS_SEED` sets another one. */
const seed = Number(process.env['ACP_HOST_CHAOS_SEED'] ?? 2);
/** Two thirds for agents that are processes, because their restarts take longer. */
const turnCount = Number(process.env['ACP_HOST_CHAOS_TURNS'] ?? 60);
const processTurns = Math.ceil((turnCount * 2) / 3);
const here = (file: string): string => fileURLToPath(new URL(file, import.meta.url));
const ends: readonly StrikeKind[] = ['kill', 'freeze', 'cancel', 'forceStop', 'reload', 'hastyReload'];
const says =
  (trick: string) =>
  (word: string): string =>
    `${trick} #${word}`;
const saysBack = (word: string): string => `some words about ${word} and what follows from them`;

const pi: Prompts = {
  ordinary: [
    saysBack,
    ...['tool', 'grows', 'edits', 'think', 'notices', 'babble', 'silentCompletion', 'provider', 'oops', 'die'].map(says),
  ],
  asking: ['ask', 'dialogs', 'timed'].map(says),
  endless: ['hang', 'wait'].map(says),
  ends,
  events: 30,
};
const cli: Prompts = {
  ordinary: [saysBack, ...['tool', 'toolError', 'multi', 'whole', 'pieces', 'oops', 'babble', 'die', 'half', 'slow'].map(says)],
  asking: ['ask', 'turns'].map(says),
  endless: ['hang', 'wait', 'hangDeaf'].map(says),
  ends,
  events: 20,
};
/** The service stops a task by reconnecting, so a cut at the beginning of the next turn may find no connection and have no effect. */
const service: Prompts = {
  ordinary: [saysBack, ...['oops', 'babble', 'wrong', 'die', 'half'].map(says)],
  asking: [saysBack],
  endless: ['hang', 'wait'].map(says),
  ends: ends.filter((kind) => kind !== 'kill'),
  events: 4,
};
type Agent = Pick<ChaosOptions, 'agent' | 'server' | 'processPerSession'>;

async function live(t: TestContext, prompts: Prompts, count: number, start: (workspace: string) => Promise<Agent>): Promise<void> {
  t.diagnostic(`ACP_HOST_CHAOS_SEED=${seed}`);
  const [workspace, state] = await Promise.all([temporaryFolder(t), temporaryFolder(t)]);
  const directory = path.join(state, 'journal');
  const turns = planTurns(seed, count, prompts);
  const chaos = new Chaos({ ...(await start(workspace)), baseEnv: process.env, cwd: workspace, directory, turns });
  t.after(() => chaos.abandon());
  await chaos.run();
  await chaos.assertNothingLost((prompt) => occurrences(path.join(workspace, 'received'), `${prompt}\n`));
  const outcomes = await chaos.outcomes;
  await chaos.end();
  t.diagnostic(`strikes: ${JSON.stringify(chaos.counts)}`);
  assert.ok(outcomes.includes('end_turn'), 'at least one turn succeeded');
}

for (const dialect of ['pi074', 'xcsh']) {
  it(
    `${processTurns} turns of the stand-in for ${dialect} with seed ${seed} lose nothing and leave nothing behind`,
    { timeout: 400_000 },
    (t) =>
      live(t, pi, processTurns, async (workspace) => ({
        agent: {
          id: dialect,
          label: dialect,
          protocol: dialect === 'xcsh' ? 'xcsh' : 'pi',
          command: process.execPath,
          args: [
            `--import=${new URL('../faults/strikePi.mjs', import.meta.url).href}`,
            here('../standIns/piStandIn.mjs'),
            '--dialect',
            dialect,
            '--sessions',
            path.join(workspace, 'sessions'),
          ],
          env: {},
        },
        processPerSession: true,
      })),
  );
}

for (const [protocol, standIn, args, prompts] of [
  ['agent-cli', 'agentCli', ['--documented'], cli],
  ['agent-cli', 'agentCli', ['--real'], cli],
  ['agent-service', 'agentService', [], service],
] as const) {
  const name = [protocol, ...args].join(' ');
  it(`${turnCount} turns of the stand-in for ${name} with seed ${seed} lose nothing and leave no connection open`, {
    timeout: 400_000,
  }, async (t) => {
    let isConnected: () => Promise<unknown> = () => Promise.resolve();
    await live(t, prompts, turnCount, async (workspace) => {
      const preload = new URL('../faults/strikeServer.mjs', import.meta.url).href;
      const { url, notes, signal } = await startStandIn(t, standIn, args, { preload, cwd: workspace, env: { FAULT: 'cutAtSignal' } });
      const count = (event: string): number => notes.all.filter((note) => note.event === event).length;
      isConnected = () => notes.until('end of every connection', () => count('gone') === count('accepted'));
      const server = { cut: () => signal('SIGUSR2'), freeze: () => signal('SIGSTOP'), thaw: () => signal('SIGCONT') };
      return { agent: { id: protocol, label: protocol, protocol, url }, server };
    });
    await isConnected();
  });
}
