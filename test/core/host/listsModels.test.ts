/** An agent that exits while it lists its models, for which the host waits before it restores or sets the model. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { it } from 'node:test';
import { HostError } from '../../../src/core/base/errors.js';
import type { SessionOption } from '../../../src/core/session/sessionOption.js';
import { selectOf } from '../../../src/core/session/sessionOption.js';
import { emptySession, reduce } from '../../../src/core/session/reducer.js';
import { lines as frontEnds, openFrontEnd, reached, run, text as words } from '../conversation/frontEnd.js';
import { hostOf, lines, temporaryFolder } from './launch.js';

it('it is not said to lack the saved model, and the session does not count as resumed', async (t) => {
  const cwd = await temporaryFolder(t);
  const host = await hostOf(t, 'diesWhileItListsModels', { cwd, env: { DIES_ONCE: join(cwd, 'died') } });
  const choices = ['openai/one', 'openai/two'].map((value) => ({ value, name: value }));
  const model: SessionOption = { type: 'select', id: 'model', name: 'Model', category: 'model', currentValue: 'openai/two', choices };
  const begun = { ...emptySession('s1', cwd, Date.now() - 3_600_000), options: [model] };
  const known = reduce(begun, { type: 'turn_started', at: begun.createdAt, turnId: 't1', content: words('hi') });
  await assert.rejects(host.loadSession('s1', known), (error) => error instanceof HostError && error.code === 'agent_exited');
  const session = await host.loadSession('s1', known);
  assert.equal(selectOf(session.state.options, 'model')?.currentValue, 'openai/two');
  assert.deepEqual(
    lines(session.state).filter((line) => line.startsWith('notice')),
    [],
  );
});

it('a required model is not said to be unavailable', async (t) => {
  const cwd = await temporaryFolder(t);
  const [line = assert.fail('no line')] = frontEnds;
  const frontEnd = await openFrontEnd(t, line, {
    agent: 'diesWhileItListsModels',
    env: { DIES_ONCE: join(cwd, 'died') },
    ports: { optionDefaults: () => [{ id: 'model', value: 'openai/two', isRequired: true }] },
  });
  const conversation = await frontEnd.open();
  await run(conversation, { type: 'send', content: words('hi') });
  await reached(conversation, ({ blocker }) => blocker !== undefined);
  assert.equal(conversation.state.blocker?.error.code, 'agent_exited', JSON.stringify(conversation.state.blocker));
});
