import assert from 'node:assert/strict';
import { access } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { until } from '../deadline.js';
import { type Agentao, launchAgentao, missing } from '../launch.js';
import { choicesOf, MODE_OPTION_ID, selectOf, type SelectOption, type SessionState } from '../../../src/core/index.js';
import { agentText, onlyTool, say, toolText } from '../reading.js';

const modeOf = (state: SessionState): SelectOption | undefined => selectOf(state.options, 'mode');

describe('agentao 0.5.17: modes and models', { skip: missing('0.5.17') }, () => {
  let agentao: Agentao;
  before(async () => {
    agentao = await launchAgentao();
  });
  after(() => agentao.stop());

  test('offers its modes and its model', async () => {
    const { state } = await agentao.newSession();
    assert.deepEqual(
      modeOf(state)?.choices.map((choice) => 'value' in choice && choice.value),
      ['read-only', 'workspace-write', 'full-access', 'plan'],
    );
    assert.deepEqual(
      state.options.map(({ id, currentValue }) => [id, currentValue]),
      [
        [MODE_OPTION_ID, 'workspace-write'],
        ['model', 'openai/mock'],
      ],
    );
  });

  test('says that the default mode writes without asking', async () => {
    const { state } = await agentao.newSession();
    const mode = choicesOf(modeOf(state) ?? assert.fail('no modes')).find(({ value }) => value === 'workspace-write');
    assert.equal(mode?.hint, 'edits_without_asking');
  });

  test('read-only: a write is denied without a request', async () => {
    const session = await agentao.newSession();
    await session.setOption(MODE_OPTION_ID, 'read-only');
    assert.equal(modeOf(session.state)?.currentValue, 'read-only');
    await say(session, 'write');
    assert.equal(onlyTool(session.state).status, 'failed');
    assert.match(toolText(onlyTool(session.state)), /denied/);
    assert.deepEqual(session.state.requests, []);
    await assert.rejects(access(path.join(agentao.rooms.cwd, 'out.txt')));
  });

  test('full-access: a command runs without a request', async () => {
    const session = await agentao.newSession();
    await session.setOption(MODE_OPTION_ID, 'full-access');
    await say(session, 'shell');
    assert.equal(onlyTool(session.state).status, 'completed');
  });

  test('a mode applies to its own session only', async () => {
    const [one, two] = [await agentao.newSession(), await agentao.newSession()];
    await one.setOption(MODE_OPTION_ID, 'plan');
    assert.equal(modeOf(two.state)?.currentValue, 'workspace-write');
  });

  test('a newly chosen model answers the next prompt', async () => {
    const session = await agentao.newSession();
    await session.setOption('model', 'openai/mock-b');
    assert.equal(selectOf(session.state.options, 'model')?.currentValue, 'openai/mock-b');
    await say(session, 'echo-model');
    assert.equal(agentText(session.state), 'I am mock-b.');
  });

  test("a model or option that the agent does not have is refused, with the agent's message for the model", async () => {
    const session = await agentao.newSession();
    await assert.rejects(session.setOption('model', 'other/mock'), { code: 'request_failed', message: /cannot resolve provider/ });
    await assert.rejects(session.setOption('temperature', '1'), { code: 'request_failed' });
    assert.equal(selectOf(session.state.options, 'model')?.currentValue, 'openai/mock');
  });

  test('the mode cannot be changed while a turn runs', async () => {
    const session = await agentao.newSession();
    const running = say(session, 'long');
    const gate = await agentao.model.held('long');
    await until(session, 'running turn', (state) => state.turn.type === 'running');
    await assert.rejects(session.setOption(MODE_OPTION_ID, 'plan'), { name: 'HostError' });
    gate.release();
    await running;
    assert.equal(modeOf(session.state)?.currentValue, 'workspace-write');
  });
});
