/** The user's instructions for an agent. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { AgentHost } from '../../../src/core/host/agentHost.js';
import { hostOf, text } from './launch.js';

const usesItsContext = new URL('../../agents/usesItsContext.mjs', import.meta.url).pathname;

/** @returns what the agent got with each request for a session, and the notices about it */
async function instructionsOf(host: AgentHost) {
  await host.newSession();
  await host.newSession({ fork: { sessionId: 's1' } });
  await host.loadSession('s3');
  const session = await host.newSession();
  await session.prompt(text('instructions'));
  const { items } = session.state;
  const answer = items.findLast((item) => item.kind === 'message' && item.role === 'agent');
  assert.ok(answer?.kind === 'message' && answer.content[0]?.type === 'text');
  const told: unknown = JSON.parse(answer.content[0].text);
  return { told, notices: items.flatMap((item) => (item.kind === 'notice' && 'code' in item ? [item.code] : [])) };
}

const agentWith = (env: Record<string, string>, systemPrompt?: string) => ({
  id: 'a',
  label: 'a',
  command: process.execPath,
  args: [usesItsContext],
  env,
  protocol: 'acp',
  ...(systemPrompt !== undefined && { systemPrompt }),
});

for (const [what, env, given, got, notices] of [
  ['an agent that takes them gets them with each session', { SYSTEM: '1' }, 'Be brief.', 'Be brief.', []],
  ['without any, it gets none', { SYSTEM: '1' }, undefined, undefined, []],
  ['where an agent takes none, the user is told', {}, 'Be brief.', undefined, ['system_prompt_left_out']],
] as const)
  it(what, async (t) => {
    const host = await hostOf(t, 'usesItsContext', { agent: agentWith(env, given) });
    const prompt = got === undefined ? null : { mode: 'append', content: [{ type: 'text', text: got }] };
    const { told, notices: found } = await instructionsOf(host);
    assert.deepEqual(told, [
      ['new', prompt],
      ['fork', prompt],
      ['load', prompt],
      ['new', prompt],
    ]);
    assert.deepEqual(found, notices);
  });
