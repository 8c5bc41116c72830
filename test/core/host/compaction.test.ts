/** After the agent compacted its context, what it used before is not what it uses now. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { conversationIn, hostOf, journalsOf, text } from './launch.js';

for (const [steps, used] of [
  ['80 begin completed', undefined],
  ['80 completed', undefined],
  ['80 begin completed 20', 20],
  ['80 begin 20 completed', 20],
  ['80 begin 80 completed', 80],
  ['80 begin completed 20 completed', undefined],
  ['80 begin 20 begin completed', 20],
  ['80 begin 20 text completed', 20],
  ['80 begin failed', 80],
  ['80 begin failed 90 completed', undefined],
  ['begin 20 completed', 20],
  ['80 begin', 80],
  ['begin completed', undefined],
] as const)
  test(`${steps}: ${used ?? 'unknown'} is used`, async (t) => {
    const host = await hostOf(t, 'compacts');
    const saved = conversationIn(await journalsOf(t));
    const session = await host.newSession({ journal: saved.journal });
    await session.prompt(text(steps));
    assert.equal(session.state.usage?.used, used);
    await host.stop();
    assert.equal((await saved.read())[0]?.usage?.used, used);
  });
