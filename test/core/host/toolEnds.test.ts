/** How tool calls end if the agent reports no end, or a wrong one. */
import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import type { AgentHost } from '../../../src/core/host/agentHost.js';
import type { Session } from '../../../src/core/host/api.js';
import type { ToolItem } from '../../../src/core/session/model.js';
import { selectOption, type UserAnswer } from '../../../src/core/session/userRequest.js';
import { conversationIn, hostOf, journalsOf, text, until } from './launch.js';

const yes = selectOption('yes');
const no = selectOption('no');

async function open(t: TestContext): Promise<{ readonly host: AgentHost; readonly session: Session }> {
  const host = await hostOf(t, 'leavesCallsOpen');
  return { host, session: await host.newSession() };
}

/** Returns the tool calls after a turn in which the requests got these answers. */
async function turn(session: Session, words: string, ...answers: readonly UserAnswer[]): Promise<readonly ToolItem[]> {
  const outcome = session.prompt(text(words));
  for (const answer of answers) {
    const { requests } = await until(session, (state) => state.requests.length > 0);
    session.answer(requests[0]?.id ?? '', answer);
  }
  await outcome;
  return session.state.items.flatMap((item) => (item.kind === 'tool' ? [item] : []));
}

const ends = (tools: readonly ToolItem[]): readonly unknown[] => tools.map(({ title, status }) => [title, status]);

describe('a tool call without a reported end', () => {
  test('in a turn that ended, its end is unknown; in a canceled turn, it is canceled', async (t) => {
    const { session } = await open(t);
    assert.deepEqual(ends(await turn(session, 'open')), [['Run it', 'unreported']]);
    const hanging = session.prompt(text('hang'));
    await until(session, (state) => state.items.filter((item) => item.kind === 'tool').length === 2);
    session.cancel();
    await hanging;
    assert.deepEqual(ends(await turn(session, 'open')), [
      ['Run it', 'unreported'],
      ['Run it', 'cancelled'],
      ['Run it', 'unreported'],
    ]);
  });

  test("if it is only known from a request, it has the user's decision", async (t) => {
    const { session } = await open(t);
    assert.deepEqual(ends(await turn(session, 'onlyAsks', yes)), [['Run it', 'completed']]);
    assert.deepEqual(ends(await turn(session, 'onlyAsks', no)).at(-1), ['Run it', 'rejected']);
    assert.deepEqual(ends(await turn(session, 'onlyAsks', { type: 'cancel' })).at(-1), ['Run it', 'rejected']);
    const waiting = session.prompt(text('onlyAsks'));
    await until(session, (state) => state.requests.length > 0);
    session.cancel();
    await waiting;
    const last = session.state.items.findLast((item) => item.kind === 'tool');
    assert.equal(last?.status, 'cancelled');
  });
});

describe('a tool call that the user rejects', () => {
  test("it is rejected even if the agent reports a failure, with the agent's reason and without tags for models", async (t) => {
    const { session } = await open(t);
    const [tool] = await turn(session, 'fails', no);
    assert.equal(tool?.status, 'rejected');
    assert.deepEqual(tool?.content, [{ type: 'content', content: { type: 'text', text: "The user doesn't want this" } }]);
    assert.deepEqual(ends(await turn(session, 'fails', yes)).at(-1), ['Run it', 'failed']);
  });

  test('if the agent asks again, it continues', async (t) => {
    const { session } = await open(t);
    assert.deepEqual(ends(await turn(session, 'asksAgain', no, yes)), [['Run it', 'failed']]);
    assert.deepEqual(ends(await turn(session, 'asksAgain', no, no)).at(-1), ['Run it', 'rejected']);
  });

  test('it is saved as it was shown', async (t) => {
    const { journal, read } = conversationIn(await journalsOf(t));
    const host = await hostOf(t, 'leavesCallsOpen');
    const session = await host.newSession({ journal });
    await turn(session, 'open');
    const tools = await turn(session, 'onlyAsks', no);
    await host.stop();
    const [saved] = await read();
    assert.deepEqual(
      saved?.items.filter((item) => item.kind === 'tool'),
      tools,
    );
  });
});

describe('a request with a different id than its call', () => {
  for (const words of ['asksUnderOtherId', 'callsUnderOtherId'])
    test(`${words}: there is one card`, async (t) => {
      const { session } = await open(t);
      assert.deepEqual(ends(await turn(session, words, yes)), [['Run it', 'completed']]);
      assert.deepEqual(ends(await turn(session, words, no)).at(-1), ['Run it', 'rejected'], 'whatever the agent reports');
    });
});

test('late updates of a tool call change its card and create no other', async (t) => {
  const { session } = await open(t);
  await turn(session, 'open');
  const tools = await turn(session, 'late');
  assert.deepEqual(ends(tools), [['Run it', 'unreported']]);
  assert.deepEqual(tools[0]?.content, [{ type: 'content', content: { type: 'text', text: 'late words' } }]);
  await turn(session, 'asksUnderOtherId', yes);
  const after = await turn(session, 'late');
  assert.deepEqual(ends(after), [
    ['Run it', 'unreported'],
    ['Run it', 'completed'],
  ]);
  assert.deepEqual(after.at(-1)?.content, [{ type: 'content', content: { type: 'text', text: 'late words' } }]);
});

test('an agent without agentInfo has its configured name', async (t) => {
  const { host } = await open(t);
  assert.equal(host.info?.name, 'leavesCallsOpen');
});
