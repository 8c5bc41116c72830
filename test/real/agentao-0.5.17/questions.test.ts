import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { FormRequest, Session } from '../../../src/core/index.js';
import { nextRequest } from '../deadline.js';
import { type Agentao, launchAgentao, missing } from '../launch.js';
import { agentText, onlyTool, say } from '../reading.js';

async function nextQuestion(session: Session): Promise<FormRequest> {
  const request = await nextRequest(session);
  assert.ok(request.kind === 'form');
  return request;
}

const choices = (...values: readonly string[]) => values.map((value) => ({ value, label: value }));

describe('agentao 0.5.17: questions', { skip: missing('0.5.17') }, () => {
  let agentao: Agentao;
  before(async () => {
    agentao = await launchAgentao();
  });
  after(() => agentao.stop());

  test('free text reaches the model as it was typed', async () => {
    const session = await agentao.newSession();
    const running = say(session, 'ask-free');
    const { id, message, fields } = await nextQuestion(session);
    assert.deepEqual(
      { message, fields },
      { message: 'Your name?', fields: [{ type: 'text', name: 'answer', required: true, multiline: true }] },
    );
    assert.equal(session.answer(id, { type: 'accept', values: { answer: 'Ada Łovelace\n"the second"' } }), true);
    await running;
    assert.equal(agentText(session.state), 'The tool said: Ada Łovelace\n"the second"');
    assert.equal(onlyTool(session.state).status, 'completed');
  });

  test('a single choice accepts an option or free text', async () => {
    const session = await agentao.newSession();
    for (const text of ['B', 'neither']) {
      const running = say(session, 'ask-single');
      const { id, title, fields } = await nextQuestion(session);
      assert.deepEqual(
        { title, fields },
        { title: 'Pick', fields: [{ type: 'select', name: 'answer', required: true, choices: choices('A', 'B'), allowCustom: true }] },
      );
      session.answer(id, { type: 'accept', values: { answer: text } });
      await running;
      assert.equal(agentText(session.state), `The tool said: ${text}`);
    }
  });

  test('a multiple choice without free text accepts only the offered options', async () => {
    const session = await agentao.newSession();
    const running = say(session, 'ask-multiple');
    const { id, fields } = await nextQuestion(session);
    assert.deepEqual(fields, [
      { type: 'multiselect', name: 'answer', required: true, choices: choices('A', 'B', 'C'), allowCustom: false },
    ]);
    assert.equal(session.answer(id, { type: 'accept', values: { answer: ['something else'] } }), false);
    assert.equal(session.answer(id, { type: 'accept', values: { answer: ['A', 'C'] } }), true);
    await running;
    assert.equal(agentText(session.state), 'The tool said: A, C');
  });

  test('a dismissed question tells the model that nobody answered, and the turn continues', async () => {
    const session = await agentao.newSession();
    const running = say(session, 'ask-free');
    session.answer((await nextQuestion(session)).id, { type: 'cancel' });
    assert.deepEqual(await running, { type: 'ended', stopReason: 'end_turn', silent: false });
    assert.match(agentText(session.state), /user unavailable/);
  });
});
