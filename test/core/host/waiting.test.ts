import assert from 'node:assert/strict';
import { test } from 'node:test';
import { selectOption } from '../../../src/core/session/userRequest.js';
import { hostOf, lines, text, until } from './launch.js';

const limits = { timeout: 60_000 };

test('a request without an answer in time is refused, and both the agent and the conversation show that', limits, async (t) => {
  const host = await hostOf(t, 'obedient', { requestDeadlines: { permissionMs: 200 } });
  const session = await host.newSession();
  const closed: unknown[] = [];
  session.onEvent((event) => event.type === 'request_closed' && closed.push(event.answer));
  const turn = session.prompt(text('ask'));
  const {
    requests: [request],
  } = await until(session, (state) => state.requests.length > 0);
  assert.equal(request?.deadlineAt, (request?.at ?? 0) + 200);
  assert.equal((await turn).type, 'ended');
  assert.deepEqual(closed, [{ type: 'accept', values: { option: 'no' }, why: 'deadline' }]);
  assert.ok(lines(session.state).includes('agent: no'), lines(session.state).join());
  assert.equal(host.status.state, 'ready');
});

test("while the agent does not read, the turn's state shows it", {
  ...limits,
  skip: process.platform === 'win32' ? 'the agent is woken by a signal' : false,
}, async (t) => {
  const host = await hostOf(t, 'pausesReading');
  const traffic: string[] = [];
  host.onTraffic((entry) => traffic.push(JSON.stringify(entry)));
  const session = await host.newSession();
  const turn = session.prompt(text('x'.repeat(4_000_000)));
  const waiting = await until(session, ({ turn: { type, ...rest } }) => type === 'running' && 'wait' in rest);
  assert.equal(waiting.turn.type === 'running' && waiting.turn.wait?.kind, 'not_reading');
  process.kill(Number(/"pid":(\d+)/.exec(traffic.join('\n'))?.[1]), 'SIGUSR2');
  assert.deepEqual(await turn, { type: 'ended', stopReason: 'end_turn', silent: true });
  assert.equal(session.state.turn.type, 'idle');
});

test('a turn in which the agent only began a sub-agent, or made a plan, is not without a reply', limits, async (t) => {
  for (const [agent, prompt] of [
    ['goesOnAfterItsTurn', 'child'],
    ['plansInMarkdown', 'only'],
  ] as const) {
    const session = await (await hostOf(t, agent)).newSession();
    assert.deepEqual(await session.prompt(text(prompt)), { type: 'ended', stopReason: 'end_turn', silent: false }, agent);
  }
});

test('a turn that ends after the user canceled its form is not without a reply', limits, async (t) => {
  const session = await (await hostOf(t, 'showsItsWork')).newSession();
  const turn = session.prompt(text('form'));
  const { requests } = await until(session, (state) => state.requests.length === 1);
  session.answer(requests[0]?.id ?? '', { type: 'cancel' });
  assert.deepEqual(await turn, { type: 'ended', stopReason: 'end_turn', silent: false });
});

test('a turn that the user stopped is canceled, also if its agent ends it like any other', limits, async (t) => {
  const session = await (await hostOf(t, 'racesWithCancel')).newSession();
  const turn = session.prompt(text('endsAnyway'));
  await until(session, ({ items }) => items.some((item) => item.kind === 'message' && item.role === 'agent'));
  session.cancel();
  assert.deepEqual(await turn, { type: 'ended', stopReason: 'cancelled', silent: false });
});

test('a request outside of a turn ends when the user leaves its conversation', limits, async (t) => {
  const host = await hostOf(t, 'elicits');
  const [left, other] = [await host.newSession(), await host.newSession()];
  const options = [{ optionId: 'yes', name: 'Yes', kind: 'allow_once' }];
  const asking = { sessionId: left.id, toolCall: { toolCallId: 'c', title: 'Run' }, options };
  const turn = other.prompt(text(JSON.stringify(['session/request_permission', asking])));
  await until(left, ({ requests }) => requests.length === 1);
  await host.closeSession(left);
  assert.deepEqual(left.state.requests, []);
  await turn;
  assert.ok(lines(other.state).includes('agent: {"outcome":{"outcome":"cancelled"}}'), lines(other.state).join());
  await other.prompt(text(JSON.stringify(['session/request_permission', asking])));
  assert.deepEqual(left.state.requests, [], 'nobody is asked for a conversation that nobody has open');
});

test('a request from before a turn stays open during the turn and after it', limits, async (t) => {
  const host = await hostOf(t, 'elicits');
  const [asked, other] = [await host.newSession(), await host.newSession()];
  const options = [{ optionId: 'yes', name: 'Yes', kind: 'allow_once' }];
  const asking = (toolCallId: string) =>
    text(JSON.stringify(['session/request_permission', { sessionId: asked.id, toolCall: { toolCallId, title: toolCallId }, options }]));
  const titles = () => asked.state.requests.map((request) => request.kind === 'permission' && request.subject.title);
  const otherTurn = other.prompt(asking('before'));
  const {
    requests: [first],
  } = await until(asked, ({ requests }) => requests.length === 1);
  const turn = asked.prompt(asking('during'));
  const { requests } = await until(asked, (state) => state.requests.some(({ id }) => id !== first?.id));
  assert.deepEqual(titles(), ['before', 'during']);
  assert.ok(asked.answer(requests.at(-1)?.id ?? '', selectOption('yes')));
  await turn;
  assert.deepEqual(titles(), ['before']);
  assert.ok(asked.answer(first?.id ?? '', selectOption('yes')));
  await otherTurn;
  assert.ok(lines(other.state).includes('agent: {"outcome":{"outcome":"selected","optionId":"yes"}}'), lines(other.state).join());
});
