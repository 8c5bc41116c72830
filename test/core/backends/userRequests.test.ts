/** Requests of the agent: each gets one answer, and nothing is approved that no user approved. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { selectOption, type UserAnswer } from '../../../src/core/session/userRequest.js';
import { openDialog } from '../../../src/cli/input/requestDialog.js';
import { paintFor } from '../../../src/cli/output/terminalText.js';
import { describePermission } from '../../../src/core/request/describePermission.js';
import { promptView } from '../../../src/extension/chat/promptView.js';
import { launch, type Launched } from './launch.js';

async function turn(
  t: Parameters<typeof launch>[0],
  word: string,
  answer?: UserAnswer,
): Promise<Launched & { readonly answered: unknown }> {
  const agent = await launch(t, 'asksStrangely');
  await agent.start();
  const running = agent.prompt(await agent.newSession(), word);
  if (answer !== undefined) (await agent.nextRequest()).answer(answer);
  await running;
  return { ...agent, answered: JSON.parse(agent.text()) };
}

const cancelled = { outcome: { outcome: 'cancelled' } };

describe('session/request_permission', () => {
  for (const word of ['noOptions', 'strangeOptions', 'unknownSession']) {
    test(`${word}: it cannot be answered, so it is cancelled`, async (t) => {
      const { answered, warnings } = await turn(t, word);
      assert.deepEqual(answered, cancelled);
      assert.ok(warnings.some((warning) => warning.includes('Canceled a request of the agent')));
    });
  }

  test('the chosen option is sent back unchanged', async (t) => {
    assert.deepEqual((await turn(t, 'unannounced', selectOption('yes'))).answered, {
      outcome: { outcome: 'selected', optionId: 'yes' },
    });
  });

  test('if the agent changed the id of the session, it is asked like the updates before it are shown', async (t) => {
    const { answered, sessionEvents } = await turn(t, 'changedSession', selectOption('yes'));
    assert.deepEqual(answered, { outcome: { outcome: 'selected', optionId: 'yes' } });
    assert.ok(sessionEvents().some((event) => event.type === 'tool' && event.toolCallId === 'c1'));
  });

  test('an option that was not offered is refused, and the request stays open', async (t) => {
    const agent = await launch(t, 'asksStrangely');
    await agent.start();
    const running = agent.prompt(await agent.newSession(), 'unannounced');
    const { answer } = await agent.nextRequest();
    assert.deepEqual([answer(selectOption('allow_always')), answer({ type: 'decline' }), agent.text()], [false, false, '']);
    assert.equal(answer({ type: 'cancel' }), true);
    await running;
    assert.deepEqual(JSON.parse(agent.text()), cancelled);
  });

  test('a request for an unknown tool call with a title gets a card, and a later tool call uses the same card', async (t) => {
    const { sessionEvents } = await turn(t, 'unannounced', selectOption('yes'));
    const tools = sessionEvents().flatMap((event) => (event.type === 'tool' ? [event] : []));
    assert.deepEqual(
      tools.map(({ id, patch }) => [id, patch]),
      [
        ['t1/unseen', { title: 'Unannounced', toolKind: 'execute', rawInput: { a: 1 } }],
        ['t1/unseen', { title: 'Unannounced', status: 'completed' }],
      ],
    );
  });

  test('if the id of a permission is not that of its tool call, the input identifies the call, and there is one card', async (t) => {
    const agent = await launch(t, 'asksStrangely');
    await agent.start();
    const running = agent.prompt(await agent.newSession(), 'otherId');
    const { request, answer } = await agent.nextRequest();
    assert.ok(request.kind === 'permission');
    assert.deepEqual([request.subject.itemId, request.subject.toolCallId], ['t1/call-1', 'permission-1']);
    answer(selectOption('yes'));
    await running;
    assert.deepEqual(JSON.parse(agent.text()), { outcome: { outcome: 'selected', optionId: 'yes' } });
    const tools = agent.sessionEvents().flatMap((event) => (event.type === 'tool' ? [event] : []));
    assert.deepEqual([...new Set(tools.map(({ id }) => id))], ['t1/call-1']);
    assert.equal(tools.at(-1)?.patch.status, 'completed');
  });

  test('earlier facts of the tool call are shown beside those of the request', async (t) => {
    const agent = await launch(t, 'asksStrangely');
    await agent.start();
    const running = agent.prompt(await agent.newSession(), 'announced');
    const { request, answer } = await agent.nextRequest();
    assert.ok(request.kind === 'permission');
    const asked = { ...request, id: 'r', at: 0 };
    const { parts } = describePermission(asked, { cwd: '/', behindLinks: () => undefined });
    assert.deepEqual(
      parts.flatMap((part) => (part.type === 'command' || part.type === 'text' ? [part.text] : [])),
      ['rm -rf build', 'said with the request', 'said before'],
    );
    const surroundings = { agent: 'It', cwd: '/', outsideTurn: false, folder: undefined };
    const view = promptView(asked, surroundings);
    const drawn = view.kind === 'permission' ? view.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])) : [];
    assert.deepEqual(drawn, ['rm -rf build', 'said with the request', 'said before']);
    const { text } = openDialog(asked, { paint: paintFor(false), agentLabel: 'It', cwd: '/', columns: () => 100 });
    for (const words of drawn) assert.ok(text.includes(words), text);
    answer({ type: 'cancel' });
    await running;
  });

  test('a request with only an id has no further facts', async (t) => {
    const agent = await launch(t, 'asksStrangely');
    await agent.start();
    const running = agent.prompt(await agent.newSession(), 'idOnly');
    const { request, answer } = await agent.nextRequest();
    assert.ok(request.kind === 'permission');
    assert.deepEqual([request.subject.itemId, request.subject.title, request.subject.toolKind], [undefined, 'unseen', 'other']);
    answer({ type: 'cancel' });
    await running;
    assert.ok(!agent.sessionEvents().some(({ type }) => type === 'tool'));
  });
});

describe('_agentao.cn/ask_user', () => {
  test('invalid members count as absent; without a list of choices, free text is allowed', async (t) => {
    const agent = await launch(t, 'asksStrangely');
    await agent.start();
    const running = agent.prompt(await agent.newSession(), 'questionWithoutText');
    const { request, answer } = await agent.nextRequest();
    const { id: _, at: __, ...form } = request;
    assert.deepEqual(form, {
      kind: 'form',
      sessionId: 's1',
      message: '',
      fields: [
        {
          type: 'select',
          name: 'answer',
          required: true,
          choices: [
            { value: 'A', label: 'A' },
            { value: 'B', label: 'B' },
          ],
          allowCustom: true,
        },
      ],
    });
    answer({ type: 'accept', values: { answer: 'A' } });
    await running;
    assert.equal(agent.text(), '{"outcome":"answered","text":"A"}');
  });

  test('the answer is one flat string', async (t) => {
    const several: UserAnswer = { type: 'accept', values: { answer: ['A', 'B'] } };
    assert.deepEqual((await turn(t, 'choice', several)).answered, { outcome: 'answered', text: 'A, B' });
    assert.deepEqual((await turn(t, 'choice', { type: 'decline' })).answered, { outcome: 'cancelled' });
    assert.deepEqual((await turn(t, 'choice', { type: 'cancel' })).answered, { outcome: 'cancelled' });
  });
});

test('a file operation that was not declared is refused, not ignored', async (t) => {
  assert.deepEqual((await turn(t, 'fsWrite')).answered, { error: -32601 });
});
