import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { QuestionAsk, Session } from '../../../src/core/index.js';
import { nextAsk } from '../deadline.js';
import { type Agentao, launchAgentao, missing } from '../launch.js';
import { agentText, onlyTool, say } from '../reading.js';

async function nextQuestion(session: Session): Promise<QuestionAsk> {
  const ask = await nextAsk(session);
  assert.equal(ask.kind, 'question');
  return ask;
}

describe('agentao 0.5.17: questions', { skip: missing('0.5.17') }, () => {
  let agentao: Agentao;
  before(async () => {
    agentao = await launchAgentao();
  });
  after(() => agentao.stop());

  test('free text reaches the model as it was typed', async () => {
    const session = await agentao.newSession();
    const running = say(session, 'ask-free');
    const { id, question, options, multiple, allowCustom } = await nextQuestion(session);
    assert.deepEqual(
      { question, options, multiple, allowCustom },
      { question: 'Your name?', options: [], multiple: false, allowCustom: true },
    );
    assert.equal(session.answer(id, { type: 'answered', text: 'Ada Łovelace\n"the second"' }), true);
    await running;
    assert.equal(agentText(session.state), 'The tool said: Ada Łovelace\n"the second"');
    assert.equal(onlyTool(session.state).status, 'completed');
  });

  test("a single choice takes an option or a text of one's own", async () => {
    const session = await agentao.newSession();
    for (const text of ['B', 'neither']) {
      const running = say(session, 'ask-single');
      const { id, header, options, multiple, allowCustom } = await nextQuestion(session);
      assert.deepEqual(
        { header, options, multiple, allowCustom },
        { header: 'Pick', options: ['A', 'B'], multiple: false, allowCustom: true },
      );
      session.answer(id, { type: 'answered', text });
      await running;
      assert.equal(agentText(session.state), `The tool said: ${text}`);
    }
  });

  test('a multiple choice without free text takes only what is offered', async () => {
    const session = await agentao.newSession();
    const running = say(session, 'ask-multiple');
    const { id, options, multiple, allowCustom } = await nextQuestion(session);
    assert.deepEqual({ options, multiple, allowCustom }, { options: ['A', 'B', 'C'], multiple: true, allowCustom: false });
    assert.equal(session.answer(id, { type: 'answered', text: 'something else' }), false);
    assert.equal(session.answer(id, { type: 'answered', text: 'A, C' }), true);
    await running;
    assert.equal(agentText(session.state), 'The tool said: A, C');
  });

  test('a question that is closed tells the model that nobody answered, and the turn goes on', async () => {
    const session = await agentao.newSession();
    const running = say(session, 'ask-free');
    session.answer((await nextQuestion(session)).id, { type: 'cancelled' });
    assert.deepEqual(await running, { type: 'ended', stopReason: 'end_turn', silent: false });
    assert.match(agentText(session.state), /user unavailable/);
  });
});
