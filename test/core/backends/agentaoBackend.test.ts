/** What the backend does for agentao beyond mapping: models, modes after a load, the diff of a plain write. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, test } from 'node:test';
import { choicesOf, MODE_OPTION_ID, selectOf, type SessionOption } from '../../../src/core/session/sessionOption.js';
import { isEvent, launch } from './launch.js';
import { selectOption } from '../../../src/core/session/userRequest.js';

/** Without the mode. */
const valuesOf = (options: readonly SessionOption[]): unknown =>
  options
    .filter(({ id }) => id !== MODE_OPTION_ID)
    .map((option) => option.type === 'select' && [option.currentValue, choicesOf(option).map(({ value }) => value)]);

describe('models', () => {
  test('the option first has one value; the others arrive later, and remain after one is chosen', async (t) => {
    const agent = await launch(t, 'namesItselfAgentao');
    await agent.start();
    const opened = await agent.newSession();
    assert.deepEqual(valuesOf(opened.options), [['openai/one', ['openai/one']]]);
    await agent.until(
      'models',
      isEvent('options', ({ options }) => JSON.stringify(options).includes('openai/two')),
    );
    await opened.setOption('model', 'openai/two');
    const events = agent.sessionEvents().flatMap((event) => (event.type === 'options' ? [valuesOf(event.options)] : []));
    assert.deepEqual(events, [[['openai/one', ['openai/one', 'openai/two']]], [['openai/two', ['openai/two', 'openai/one']]]]);
  });

  test('if the provider does not list its models, the option does not change', async (t) => {
    const agent = await launch(t, 'namesItselfAgentao', ['noModels']);
    await agent.start();
    const opened = await agent.newSession();
    await opened.moreOptions;
    assert.deepEqual(
      agent.sessionEvents().filter(({ type }) => type === 'options'),
      [],
    );
  });
});

test('after a load, the modes are among the options and marked as unconfirmed, because the agent does not report them', async (t) => {
  const agent = await launch(t, 'namesItselfAgentao');
  await agent.start();
  const { options, unstated } = await agent.resume('load', 'old');
  const mode = selectOf(options, 'mode') ?? assert.fail('no modes');
  assert.deepEqual(
    [mode.id, mode.currentValue, choicesOf(mode).map(({ value }) => value), [...unstated]],
    [MODE_OPTION_ID, 'workspace-write', ['read-only', 'workspace-write', 'full-access', 'plan'], [MODE_OPTION_ID]],
  );
});

test('a plain write shows its diff in the request and on its card, also after the agent has withdrawn the content', async (t) => {
  const agent = await launch(t, 'namesItselfAgentao');
  await agent.start();
  const session = await agent.newSession();
  await writeFile(path.join(agent.cwd, 'a.txt'), 'old\n');
  const turn = agent.prompt(session, 'write');
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
