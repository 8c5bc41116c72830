/**
 * The engine is killed again and again while two windows and a terminal are on one conversation. `ACP_HOST_CHAOS_SEED` determines what
 * happens, and `ACP_HOST_CHAOS_KILLS` how often.
 */
import { randomInt } from 'node:crypto';
import { it } from 'node:test';
import { EngineKills } from './engineKills.js';
import { planKills } from './plan.js';

const seed = Number(process.env['ACP_HOST_CHAOS_SEED'] ?? randomInt(2 ** 31));
const kills = Number(process.env['ACP_HOST_CHAOS_KILLS'] ?? 4);

it(`an engine that is killed ${kills} times with seed ${seed} loses nothing, and its front ends agree`, {
  timeout: 60_000 + kills * 30_000,
}, async (t) => {
  t.diagnostic(`ACP_HOST_CHAOS_SEED=${seed}`);
  const chaos = await EngineKills.open();
  t.after(() => chaos.abandon());
  for (const plan of planKills(seed, kills)) {
    try {
      await chaos.round(plan);
    } catch (error) {
      t.diagnostic(`in round ${JSON.stringify(plan)}`);
      throw error;
    }
  }
  await chaos.end();
  t.diagnostic(`strikes: ${JSON.stringify(chaos.counts)}`);
});
