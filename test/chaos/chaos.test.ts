/**
 * Long use of an agent in a minute: turns with kills, stalls, cancels and reloads of the window. The test prints the seed that determines
 * what happens. `ACP_HOST_CHAOS_SEED` sets it, and `ACP_HOST_CHAOS_TURNS` sets the number of turns.
 */
import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import path from 'node:path';
import { it } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { temporaryFolder } from '../core/host/launch.js';
import { Chaos, occurrences } from './chaos.js';
import { planTurns, type Prompts } from './plan.js';

/** The program of the last build, which every suite may use. */
const demoAgentProgram = path.resolve(import.meta.dirname, '../../dist/demo-agent.js');
const seed = Number(process.env['ACP_HOST_CHAOS_SEED'] ?? randomInt(2 ** 31));
const turnCount = Number(process.env['ACP_HOST_CHAOS_TURNS'] ?? 200);
/** For memory that stays allocated after use: compiled code, pools, caches. */
const heapSlackBytes = 24 * 1024 * 1024;

const prompts: Prompts = {
  ordinary: [
    (word) => `think about ${word} and what follows`,
    (word) => `long 1 ${word}`,
    (word) => `long 5 ${word}`,
    (word) => `plan ${word}`,
    (word) => `fail error ${word}`,
    (word) => `fail refusal ${word}`,
    (word) => `fail crash ${word}`,
    (word) => `${word} is no command`,
  ],
  asking: [
    (word) => `ask one ${word}`,
    (word) => `ask many ${word}`,
    (word) => `write ${word}.txt some words`,
    (word) => `run echo ${word}`,
  ],
  endless: [(word) => `fail hang ${word}`],
  ends: ['kill', 'freeze', 'cancel', 'forceStop', 'reload', 'hastyReload'],
  events: 30,
};

it(`${turnCount} turns of the demo agent with seed ${seed} lose nothing and leave nothing behind`, { timeout: 800_000 }, async (t) => {
  t.diagnostic(`ACP_HOST_CHAOS_SEED=${seed}`);
  const [workspace, state] = await Promise.all([temporaryFolder(t), temporaryFolder(t)]);
  const heapBefore = heapUsedBytes();
  let chaos: Chaos | undefined = new Chaos({
    agent: {
      id: 'demo',
      label: 'Demo',
      command: process.execPath,
      args: [demoAgentProgram],
      env: { ACP_HOST_DEMO_STATE: state, ACP_HOST_DEMO_PACE_MS: '0' },
      protocol: 'acp',
    },
    baseEnv: process.env,
    cwd: workspace,
    directory: path.join(state, 'journal'),
    turns: planTurns(seed, turnCount, prompts),
  });
  t.after(() => chaos?.abandon());
  await chaos.run();
  const agentFile = path.join(state, `${chaos.sessionId}.jsonl`);
  await chaos.assertNothingLost((prompt) =>
    occurrences(agentFile, `"user_message_chunk","content":{"type":"text","text":${JSON.stringify(prompt)}}`),
  );
  const outcomes = await chaos.outcomes;
  await chaos.end();
  t.diagnostic(`strikes: ${JSON.stringify(chaos.counts)}; prompts: ${JSON.stringify(tally(outcomes))}`);
  assert.ok((tally(outcomes)['end_turn'] ?? 0) > 0, 'at least one turn succeeded');
  chaos = undefined;
  const grown = heapUsedBytes() - heapBefore;
  assert.ok(grown < heapSlackBytes, `the heap grew by ${Math.round(grown / 1024)} KB`);
});

function tally(words: readonly string[]): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const word of words) sums[word] = (sums[word] ?? 0) + 1;
  return sums;
}

function heapUsedBytes(): number {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  if (typeof collect === 'function') collect();
  return process.memoryUsage().heapUsed;
}
