/**
 * The chaos run of test/chaos with the real agent, which forgets a session without a graceful exit: the user then continues in a new session.
 */
import { randomInt } from 'node:crypto';
import path from 'node:path';
import { test } from 'node:test';
import { Chaos } from '../../chaos/chaos.js';
import { planTurns, type Prompts } from '../../chaos/plan.js';
import { textOf } from '../../model/chatRequest.js';
import { startMockModel } from '../../model/mockModel.js';
import { executableOf, makeRooms, minimalEnv, missing, providerEnv } from '../launch.js';
import { lastFirst } from '../lastFirst.js';

const seed = Number(process.env['ACP_HOST_CHAOS_SEED'] ?? randomInt(2 ** 31));
const turnCount = 20;

const said =
  (scenario: string) =>
  (word: string): string =>
    `SC:${scenario} ${word}.`;
const prompts: Prompts = {
  ordinary: ['text', 'thinking', 'read', 'think-and-read', 'plan', 'refusal', 'empty'].map(said),
  asking: ['ask-single', 'ask-multiple', 'write', 'shell-twice'].map(said),
  endless: ['silence'].map(said),
  // agentao notices a cancel only after its model has begun to answer.
  ends: ['kill', 'freeze', 'forceStop', 'hastyReload'],
  events: 8,
};

test(`agentao 0.5.17: ${turnCount} turns with kills, stalls, cancels and reloads with seed ${seed} lose nothing`, {
  skip: missing('0.5.17'),
  timeout: 500_000,
}, async (t) => {
  t.diagnostic(`ACP_HOST_CHAOS_SEED=${seed}`);
  const atEnd = lastFirst(t);
  const rooms = await makeRooms();
  atEnd(() => rooms.remove());
  const model = await startMockModel();
  atEnd(() => model.close());
  const chaos = new Chaos({
    agent: {
      id: 'agentao',
      label: 'agentao',
      protocol: 'acp',
      command: executableOf('0.5.17'),
      args: ['--acp', '--stdio'],
      env: providerEnv(model),
    },
    baseEnv: minimalEnv(rooms.home),
    cwd: rooms.cwd,
    directory: path.join(rooms.home, 'journal'),
    turns: planTurns(seed, turnCount, prompts),
  });
  atEnd(() => chaos.abandon());
  await chaos.run();
  // A prompt was received as often as the request that repeats it most contains it.
  await chaos.assertNothingLost((prompt) =>
    Promise.resolve(
      Math.max(
        0,
        ...model.requests.map(
          ({ request }) => request.messages.filter((message) => message.role === 'user' && textOf(message).includes(prompt)).length,
        ),
      ),
    ),
  );
  await chaos.end();
  t.diagnostic(`strikes: ${JSON.stringify(chaos.counts)}`);
});
