/** What the backend does for agentao beyond mapping: models, modes after a load, the diff of a plain write. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, test } from 'node:test';
import type { SessionConfigOption } from '../../../src/core/session/model.js';
import { isEvent, launch } from './launch.js';
import { selectOption } from '../../../src/core/session/userRequest.js';

const valuesOf = (options: readonly SessionConfigOption[]): unknown =>
  options.map(
    (option) => option.type === 'select' && [option.currentValue, option.options.map((entry) => 'value' in entry && entry.value)],
  );

describe('models', () => {
  test('the option holds one value; the others come after, and stay when one is chosen', async (t) => {
    const agent = await launch(t, 'namesItselfAgentao');
    await agent.start();
    const opened = await agent.backend.newSession({ cwd: agent.cwd, mcpServers: [] }, (opened) => opened);
    assert.deepEqual(valuesOf(opened.configOptions), [['openai/one', ['openai/one']]]);
    await agent.until(
      'models',
      isEvent('config_options', ({ configOptions }) => JSON.stringify(configOptions).includes('openai/two')),
    );
    await agent.backend.setConfigOption('s1', 'model', 'openai/two');
    const events = agent.sessionEvents().flatMap((event) => (event.type === 'config_options' ? [valuesOf(event.configOptions)] : []));
    assert.deepEqual(events, [[['openai/one', ['openai/one', 'openai/two']]], [['openai/two', ['openai/two', 'openai/one']]]]);
  });

  test('a provider that does not tell them changes nothing', async (t) => {
    const agent = await launch(t, 'namesItselfAgentao', ['noModels']);
    await agent.start();
    await agent.newSession();
    await agent.backend.setMode('s1', 'plan').catch(() => {});
    assert.ok(!agent.sessionEvents().some(({ type }) => type === 'config_options'));
  });
});

test('after a load the modes are told as an event, for the agent itself says nothing of them', async (t) => {
  const agent = await launch(t, 'namesItselfAgentao');
  await agent.start();
  assert.equal((await agent.backend.loadSession('old', { cwd: agent.cwd, mcpServers: [] })).modes, undefined);
  const modes = agent.sessionEvents().find((event) => event.type === 'modes')?.modes;
  assert.deepEqual(
    [modes?.currentModeId, modes?.availableModes.map(({ id }) => id)],
    ['workspace-write', ['read-only', 'workspace-write', 'full-access', 'plan']],
  );
});

test('a plain write shows what it would change, in the request and on its card, also after the agent took its content back', async (t) => {
  const agent = await launch(t, 'namesItselfAgentao');
  await agent.start();
  const sessionId = await agent.newSession();
  await writeFile(path.join(agent.cwd, 'a.txt'), 'old\n');
  const turn = agent.prompt(sessionId, 'write');
  const { request, answer } = await agent.nextRequest();
  const diff = { type: 'diff', path: path.join(agent.cwd, 'a.txt'), oldText: 'old\n', newText: 'new\n' };
  assert.ok(request.kind === 'permission');
  assert.deepEqual([request.subject.itemId, request.subject.content], ['t1/w', [diff]]);
  answer(selectOption('allow_once'));
  await turn;
  const shown = agent
    .sessionEvents()
    .flatMap((event) => (event.type === 'tool' && event.patch.content !== undefined ? [event.patch.content] : []));
  assert.deepEqual(shown, [[diff], [diff]]);
});
