/** What retrying does when the settings of the agent changed. */
import assert from 'node:assert/strict';
import path from 'node:path';
import { it } from 'node:test';
import type { AgentDefinition } from '../../../src/core/index.js';
import { openFrontEnd, overEachLine, reached, run, said, say, settled, text } from './frontEnd.js';

overEachLine('retrying', (line) => {
  const definition = (env: Readonly<Record<string, string>>): AgentDefinition => ({
    id: 'obedient',
    label: 'Obedient',
    command: process.execPath,
    args: [path.resolve(import.meta.dirname, '../../agents/obedient.mjs')],
    env,
    protocol: 'acp',
  });

  it("it restarts the agent only if the agent's settings changed", async (t) => {
    let env: Readonly<Record<string, string>> = { OBEDIENT_SIGNED_OUT: '1' };
    const chooseAgent = () => Promise.resolve({ definition: definition(env), isFallback: false, baseEnv: process.env });
    const frontEnd = await openFrontEnd(t, line, { ports: { chooseAgent } });
    const conversation = await frontEnd.open();
    await say(conversation, 'say hi');
    await conversation.execute({ type: 'retry' });
    assert.deepEqual([frontEnd.started.length, conversation.state.blocker?.type], [1, 'sign_in']);
    env = {};
    await settled(conversation, { type: 'retry' });
    assert.deepEqual(said(conversation.state), ['user: say hi', 'agent: hi', 'end ended']);
    assert.equal(frontEnd.started.length, 2);
  });

  it('it ends nothing of another conversation with the same agent', async (t) => {
    let env: Readonly<Record<string, string>> = {};
    const chooseAgent = () => Promise.resolve({ definition: definition(env), isFallback: false, baseEnv: process.env });
    const frontEnd = await openFrontEnd(t, line, { ports: { chooseAgent } });
    const [conversation, other] = [await frontEnd.open(), await frontEnd.open('two')];
    await say(conversation, 'say hi');
    await run(other, { type: 'send', content: text('wait') });
    await reached(other, ({ session }) => session?.turn.type === 'running');
    env = { CHANGED: '1' };
    await settled(conversation, { type: 'retry' });
    await say(conversation, 'say again');
    assert.equal(frontEnd.started.length, 2);
    assert.equal(other.state.session?.turn.type, 'running');
    await run(other, { type: 'cancel', scope: 'turn' });
    await reached(other, ({ session }) => session?.turn.type === 'idle');
    assert.deepEqual(said(conversation.state).slice(-3), ['user: say again', 'agent: again', 'end ended']);
    const [end] = (other.state.session?.items ?? []).filter((item) => item.kind === 'turn_end');
    assert.ok(end?.kind === 'turn_end' && end.outcome.type === 'ended' && end.outcome.stopReason === 'cancelled');
  });
});
