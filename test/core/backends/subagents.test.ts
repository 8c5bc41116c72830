/** Sub-agents: with sessions of their own, or told of by the calls that started them. */
import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { HostError } from '../../../src/core/base/errors.js';
import { subagentItemId } from '../../../src/core/session/reduceSubagent.js';
import type { MessageItem, SubagentItem, ToolItem, TranscriptItem } from '../../../src/core/session/model.js';
import { emptySession, reduceAll } from '../../../src/core/session/reducer.js';
import type { Fields } from '../../../src/core/backends/acp/schema/lenient.js';
import { selectOption } from '../../../src/core/session/userRequest.js';
import { framesOf, play, type Step } from '../../backends/acpCoverage.js';
import { type FedOpening, fedSessions, type FedSessions } from './feed.js';
import { launch } from './launch.js';

const running = { state: { state: 'running' } };
const idle = (stopReason?: string): Fields => ({ state: { state: 'idle', ...(stopReason === undefined ? {} : { stopReason }) } });

async function opened(): Promise<FedSessions> {
  const fed = fedSessions();
  await fed.open().answer({ sessionId: 's' });
  return fed;
}

const tell = (fed: FedSessions, by: string, sessionId: string, patch: Fields = {}): void =>
  fed.update(by, { sessionUpdate: 'subagent_update', sessionId, ...patch });
const call = (fed: FedSessions, by: string, toolCallId: string, fields: Fields = {}): void =>
  fed.update(by, { sessionUpdate: 'tool_call', toolCallId, title: toolCallId, kind: 'read', status: 'in_progress', ...fields });

const itemsOf = ({ events }: Pick<FedSessions, 'events'>): readonly TranscriptItem[] =>
  reduceAll(emptySession('s', '/workspace', 0), events).items;

/** Each item on one line, with the sub-agent that it is inside. */
function lines(items: readonly TranscriptItem[]): readonly string[] {
  return items.map((item) => {
    const inside = 'subagentId' in item && item.subagentId !== undefined ? `${item.subagentId} > ` : '';
    return `${inside}${lineOf(item)}`;
  });
}

function lineOf(item: TranscriptItem): string {
  switch (item.kind) {
    case 'subagent':
      return `${item.title} (${item.status}, ${item.tools})`;
    case 'tool':
      return `${item.title} (${item.status})${item.starts === undefined ? '' : ` starts ${item.starts}`}`;
    case 'message':
      return `${item.role}: ${textOf(item)}`;
    default:
      return item.kind;
  }
}

const textOf = ({ content }: MessageItem): string => content.map((block) => (block.type === 'text' ? block.text : '')).join('');

function subagent(items: readonly TranscriptItem[], agentId: string): SubagentItem {
  const item = items.find(({ id }) => id === subagentItemId(agentId));
  assert.equal(item?.kind, 'subagent');
  return item;
}

describe('with a session of its own', () => {
  test('what it says and does is inside it, in order, and nothing of it cuts the answer of the agent', async () => {
    const fed = await opened();
    fed.say('s', 'I look ');
    tell(fed, 's', 'k', { title: 'Explore', description: 'find callers', ...running });
    fed.update('k', { sessionUpdate: 'user_message_chunk', content: { type: 'text', text: 'Find ' } });
    fed.update('k', { sessionUpdate: 'user_message_chunk', content: { type: 'text', text: 'it' } });
    fed.say('k', 'Read');
    call(fed, 'k', 'c');
    fed.say('s', 'around');
    fed.say('k', 'Done');
    fed.update('k', { sessionUpdate: 'tool_call_update', toolCallId: 'c', status: 'completed' });
    tell(fed, 's', 'k', idle('end_turn'));
    const items = itemsOf(fed);
    assert.deepEqual(lines(items), [
      'agent: I look around',
      'Explore (idle, 1)',
      'k > agent: Read',
      'k > c (completed)',
      'k > agent: Done',
    ]);
    assert.deepEqual([subagent(items, 'k').task, subagent(items, 'k').description], ['Find it', 'find callers']);
    assert.deepEqual(fed.problems, []);
  });

  test('ids of the two sessions may be the same', async () => {
    const fed = await opened();
    tell(fed, 's', 'k', running);
    call(fed, 's', 'c', { title: 'mine' });
    call(fed, 'k', 'c', { title: 'its' });
    fed.update('k', { sessionUpdate: 'tool_call_update', toolCallId: 'c', status: 'failed' });
    assert.deepEqual(lines(itemsOf(fed)), [' (running, 1)', 'mine (in_progress)', 'k > its (failed)']);
  });

  test('it changes by patches: what is left out stays, and null removes', async () => {
    const fed = await opened();
    tell(fed, 's', 'k', { title: 'A', description: 'B', capabilities: { cancel: {} }, ...running });
    tell(fed, 's', 'k', { title: 7, state: 'odd' });
    const before = subagent(itemsOf(fed), 'k');
    assert.deepEqual([before.title, before.description, before.status, before.canStop], ['A', 'B', 'running', true]);
    tell(fed, 's', 'k', { title: null, description: null, capabilities: null, state: null });
    const { title, description, status, canStop } = subagent(itemsOf(fed), 'k');
    assert.deepEqual([title, description, status, canStop], ['', undefined, 'unknown', false]);
  });

  test('it may end, go on and end again; only the time in which it works counts', async () => {
    const fed = await opened();
    const times: (readonly [string, number, boolean])[] = [];
    for (const patch of [running, idle('end_turn'), idle('end_turn'), running, idle('error'), idle('cancelled')]) {
      tell(fed, 's', 'k', patch);
      const { status, workedMs, worksSince } = subagent(itemsOf(fed), 'k');
      times.push([status, workedMs, worksSince !== undefined]);
    }
    assert.deepEqual(times, [
      ['running', 0, true],
      ['idle', 1, false],
      ['idle', 1, false],
      ['running', 1, true],
      ['failed', 2, false],
      ['cancelled', 2, false],
    ]);
  });

  test('one that never ends ends with the agent, and so do its calls', async () => {
    const fed = await opened();
    tell(fed, 's', 'k', { title: 'K', capabilities: { cancel: {} }, ...running });
    call(fed, 'k', 'c');
    fed.sessions.lose(new HostError('agent_exited', { reason: 'unseen' }));
    assert.deepEqual(lines(itemsOf(fed)), ['K (unreported, 1)', 'k > c (unreported)']);
    assert.equal(subagent(itemsOf(fed), 'k').canStop, false);
  });

  test('the host may die before: another process ends it with its last sign of life', async () => {
    const fed = await opened();
    tell(fed, 's', 'k', { title: 'K', ...running });
    fed.say('k', 'a');
    const last = fed.events.at(-1)?.at ?? 0;
    const { items } = reduceAll(emptySession('s', '/workspace', 0), [
      ...fed.events,
      { type: 'opened', at: 9_999, cwd: '/workspace', by: 'resumed' },
    ]);
    const { status, workedMs, startedAt } = subagent(items, 'k');
    assert.deepEqual([status, startedAt + workedMs], ['unreported', last]);
  });

  test('the end of a turn is not its end', async () => {
    const fed = await opened();
    tell(fed, 's', 'k', { title: 'K', ...running });
    call(fed, 'k', 'c');
    const { items } = reduceAll(emptySession('s', '/workspace', 0), [
      { type: 'turn_started', at: 1, turnId: 't' },
      ...fed.events,
      { type: 'turn_ended', at: 9, turnId: 't', outcome: { type: 'ended', stopReason: 'end_turn', silent: false } },
    ]);
    assert.deepEqual(lines(items), ['K (running, 1)', 'k > c (in_progress)', 'turn_end']);
  });

  test('those in a history have ended, and may be announced again', async () => {
    const fed = fedSessions();
    const opening = fed.open({ method: 'load', sessionId: 's', cwd: '/workspace', mcpServers: [], knownOptions: [] });
    tell(fed, 's', 'k', { title: 'K', capabilities: { cancel: {} }, ...running });
    fed.say('k', 'a');
    fed.update('s', { sessionUpdate: 'session_info_update', _meta: { jetbrains: { air: { version: 1, loadReplayEnd: true } } } });
    await opening.answer({});
    assert.deepEqual(lines(itemsOf(fed)), ['K (unreported, 0)', 'k > agent: a']);
    assert.throws(() => fed.sessions[Symbol.iterator]().next().value?.stopSubagent('k'), { code: 'unsupported' });
    tell(fed, 's', 'k', { capabilities: { cancel: {} }, ...running });
    assert.equal(subagent(itemsOf(fed), 'k').canStop, true);
  });

  for (const before of ['that failed', 'of a session that is open'])
    test(`a history has them although they were announced in a load before, ${before}`, async () => {
      const fed = fedSessions();
      const load = (): FedOpening => fed.open({ method: 'load', sessionId: 's', cwd: '/workspace', mcpServers: [], knownOptions: [] });
      const replay = (): void => {
        tell(fed, 's', 'k', { title: 'K', ...running });
        fed.say('k', 'a');
      };
      const first = load();
      replay();
      await (before === 'that failed' ? first.fail(new HostError('request_timeout')) : first.answer({}));
      const second = load();
      replay();
      await second.answer({});
      assert.deepEqual(second.told, ['begin s', 'history subagent', 'history a', 'opened']);
      assert.deepEqual(fed.problems, []);
    });

  test('nobody knows one whose parent is unknown, or that is its own parent', async () => {
    const fed = await opened();
    tell(fed, 'nobody', 'k', running);
    fed.say('k', 'lost');
    tell(fed, 's', 's', running);
    assert.deepEqual(itemsOf(fed), []);
    assert.deepEqual(fed.problems, [
      'an update for a session that is not open',
      'an update for a session that is not open',
      'a sub-agent with the id of a session',
    ]);
    tell(fed, 's', 'k', { title: 'K', ...running });
    tell(fed, 'k', 'k', { title: 'its own' });
    assert.deepEqual(lines(itemsOf(fed)), ['its own (running, 0)']);
  });

  test('they nest, down to a depth that a page can show', async () => {
    const fed = await opened();
    const deep = 1_000;
    // Each is started by the one before, but no more than 256 are shown.
    for (let depth = 1; depth <= deep; depth++)
      tell(fed, depth === 1 ? 's' : `k${depth - 1}`, `k${depth}`, { title: `K${depth}`, ...running });
    const items = itemsOf(fed);
    assert.equal(items.length, 256);
    const depths = items.map((item) => {
      let depth = 0;
      for (let at: TranscriptItem | undefined = item; at?.kind === 'subagent'; depth++) {
        const outer: string | undefined = at.subagentId;
        at = outer === undefined ? undefined : subagent(items, outer);
      }
      return depth;
    });
    assert.deepEqual(depths.slice(0, 9), [1, 2, 3, 4, 5, 6, 7, 8, 8]);
    assert.equal(Math.max(...depths), 8);
    assert.ok(fed.problems.includes('more sub-agents than the host shows'));
  });

  test('10,000 updates are shown in order', async () => {
    const fed = await opened();
    tell(fed, 's', 'k', { title: 'K', ...running });
    for (let index = 0; index < 10_000; index++) {
      tell(fed, 's', 'k', { title: 'K', ...running });
      fed.say('k', `${index} `);
    }
    assert.equal(fed.events.filter(({ type }) => type === 'subagent').length, 1);
    const [, message] = itemsOf(fed);
    assert.ok(message?.kind === 'message');
    assert.equal(textOf(message), Array.from({ length: 10_000 }, (_, index) => `${index} `).join(''));
  });

  test('a stop is a cancel of its session alone, only where it is offered', async () => {
    const fed = await opened();
    tell(fed, 's', 'k', { capabilities: { cancel: {} }, ...running });
    tell(fed, 's', 'other', running);
    const [session] = fed.sessions;
    session?.stopSubagent('k');
    assert.deepEqual(fed.wire.notified, [{ method: 'session/cancel', params: { sessionId: 'k' } }]);
    assert.throws(() => session?.stopSubagent('other'), { code: 'unsupported' });
    assert.throws(() => session?.stopSubagent('nobody'), { code: 'unsupported' });
    assert.equal(fed.wire.notified.length, 1);
    tell(fed, 's', 'k', idle('cancelled'));
    assert.equal(subagent(itemsOf(fed), 'k').status, 'cancelled');
  });

  test('a tool call that shows it is inside it', async () => {
    const fed = await opened();
    tell(fed, 's', 'k', { title: 'K', ...running });
    call(fed, 's', 'c', {
      content: [
        { type: 'session', sessionId: 'k' },
        { type: 'session', sessionId: 'nobody' },
      ],
    });
    const items = itemsOf(fed);
    assert.deepEqual(lines(items), ['K (running, 0)', 'c (in_progress) starts k']);
    assert.deepEqual((items[1] as ToolItem).content, []);
  });

  test('messages between the sessions are no answer', async () => {
    const fed = await opened();
    tell(fed, 's', 'k', { title: 'K', ...running });
    const say = { type: 'text', text: 'go' };
    const message = { sessionUpdate: 'session_message', messageId: 'm', senderSessionId: 's', recipientSessionId: 'k', content: [say] };
    fed.update('k', message);
    fed.update('k', { ...message, messageId: 'n', senderSessionId: 'k', recipientSessionId: 's', content: [{ ...say, text: 'found' }] });
    fed.update('k', { sessionUpdate: 'session_message_chunk', messageId: 'n', content: { ...say, text: ' it' } });
    fed.update('s', { ...message, messageId: 'o', senderSessionId: 'k', recipientSessionId: 's', content: [{ ...say, text: 'found it' }] });
    fed.update('s', { ...message, messageId: 'o' });
    assert.deepEqual(lines(itemsOf(fed)), ['K (running, 0)', 'k > agent: found it', 'thought: found it']);
    assert.equal(subagent(itemsOf(fed), 'k').task, 'go');
  });
});

describe('what it asks', () => {
  const update = (by: string, fields: Fields): Step => ({ notify: 'session/update', params: { sessionId: by, update: fields } });
  const announce = { sessionUpdate: 'subagent_update', sessionId: 'k', title: 'Explore', capabilities: { cancel: {} }, ...running };
  const options = [
    { optionId: 'yes', name: 'Yes', kind: 'allow_once' },
    { optionId: 'no', name: 'No', kind: 'reject_once' },
  ];
  const ask = (sessionId: string, toolCallId: string): Step => ({
    request: 'session/request_permission',
    params: { sessionId, toolCall: { toolCallId, title: 'Run', kind: 'execute', rawInput: { command: 'make' } }, options },
  });

  async function asked(t: TestContext, steps: (session: string) => readonly Step[]) {
    const agent = await launch(t, 'speaksPastTheSdk');
    await agent.start();
    const session = await agent.newSession();
    const turn = play(agent, session, steps(session.id));
    return { agent, session, turn, asking: await agent.nextRequest() };
  }

  test('is a request of its session, with its name, and is answered as always', async (t) => {
    const { agent, session, turn, asking } = await asked(t, (id) => [update(id, announce), ask('k', 'c')]);
    assert.deepEqual([asking.request.sessionId, asking.request.subagent], [session.id, { id: 'k', name: 'Explore' }]);
    assert.ok(asking.answer(selectOption('yes')));
    await turn;
    const answer = framesOf(agent).find(({ direction, result }) => direction === 'sent' && JSON.stringify(result)?.includes('outcome'));
    assert.deepEqual(answer?.result, { outcome: { outcome: 'selected', optionId: 'yes' } });
    const card = agent.sessionEvents().find(({ type }) => type === 'tool');
    assert.equal(card?.type === 'tool' && card.subagentId, 'k');
  });

  test('is canceled when it is stopped, after the cancel', async (t) => {
    const { agent, session, turn } = await asked(t, (id) => [update(id, announce), ask('k', 'c')]);
    session.stopSubagent?.('k');
    await turn;
    const sent = framesOf(agent).filter(({ direction }) => direction === 'sent');
    const cancel = sent.findIndex(({ method }) => method === 'session/cancel');
    const answer = sent.findIndex(({ result }) => JSON.stringify(result) === '{"outcome":{"outcome":"cancelled"}}');
    assert.ok(cancel >= 0 && cancel < answer);
  });

  test('ends it if it is about the call that started it, and is rejected', async (t) => {
    const starts = { sessionUpdate: 'tool_call', toolCallId: 'start', title: 'Task', rawInput: { subagent_type: 'Explore' } };
    const says = { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'I' }, _meta: { parentToolUseId: 'start' } };
    const { agent, asking, turn } = await asked(t, (id) => [update(id, starts), update(id, says), ask(id, 'start')]);
    asking.answer(selectOption('no'));
    await turn;
    const items = itemsOf({ events: [...agent.sessionEvents()] });
    assert.deepEqual(
      items.flatMap((item) => (item.kind === 'subagent' ? [item.status] : [])),
      ['cancelled'],
    );
  });

  test('also ends those that it started, except the ones that have ended', async (t) => {
    const start = (toolCallId: string, by?: string): Fields => ({
      ...{ sessionUpdate: 'tool_call', toolCallId, title: 'Task', rawInput: { subagent_type: toolCallId } },
      ...(by !== undefined && { _meta: { parentToolUseId: by } }),
    });
    const says = (by: string): Fields => ({
      ...{ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'I' }, _meta: { parentToolUseId: by } },
    });
    const { agent, asking, turn } = await asked(t, (id) =>
      [
        ...[start('outer'), start('inner', 'outer'), start('innermost', 'inner'), start('done', 'outer'), start('other')],
        ...[says('outer'), says('inner'), says('innermost'), says('done'), says('other')],
        { sessionUpdate: 'tool_call_update', toolCallId: 'done', status: 'completed' },
      ]
        .map((fields) => update(id, fields))
        .concat(ask(id, 'outer')),
    );
    asking.answer(selectOption('no'));
    await turn;
    const items = itemsOf({ events: [...agent.sessionEvents()] });
    assert.deepEqual(
      items.flatMap((item) => (item.kind === 'subagent' ? [`${item.title} ${item.status}`] : [])),
      ['outer cancelled', 'inner cancelled', 'innermost cancelled', 'done idle', 'other unreported'],
    );
  });

  test('has its name also if only the call that started it is known', async (t) => {
    const starts = { sessionUpdate: 'tool_call', toolCallId: 'start', title: 'Task', rawInput: { subagent_type: 'Explore' } };
    const run = {
      sessionUpdate: 'tool_call',
      toolCallId: 'c',
      title: 'Run',
      kind: 'execute',
      _meta: { claudeCode: { parentToolUseId: 'start' } },
    };
    const { asking, turn } = await asked(t, (id) => [update(id, starts), update(id, run), ask(id, 'c')]);
    assert.equal(asking.request.subagent?.name, 'Explore');
    asking.answer(selectOption('yes'));
    await turn;
  });
});

describe('told of by the call that started it', () => {
  const inside = (id: string): Fields => ({ _meta: { anyVendor: { parentToolUseId: id } } });
  const task = { rawInput: { subagent_type: 'Explore', description: 'Find it', prompt: '…' } };

  test('in the meta of its messages and calls', async () => {
    const fed = await opened();
    call(fed, 's', 'c', task);
    fed.update('s', { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'I read' }, ...inside('c') });
    call(fed, 's', 'r', { title: 'Read', ...inside('c') });
    fed.update('s', { sessionUpdate: 'tool_call_update', toolCallId: 'r', status: 'completed', ...inside('c') });
    fed.say('s', 'Mine');
    fed.update('s', { sessionUpdate: 'tool_call_update', toolCallId: 'c', status: 'completed' });
    const items = itemsOf(fed);
    const id = (items[1] as SubagentItem).agentId;
    assert.deepEqual(lines(items), [
      `c (completed) starts ${id}`,
      'Explore (idle, 1)',
      `${id} > agent: I read`,
      `${id} > Read (completed)`,
      'agent: Mine',
    ]);
    assert.equal(subagent(items, id).description, 'Find it');
  });

  test('in the titles of its calls', async () => {
    const fed = await opened();
    call(fed, 's', 'c', { title: 'agent_code_reader', rawInput: { task: 'Look' } });
    call(fed, 's', 'r', { title: '[code-reader 1/100] read_file' });
    const id = (itemsOf(fed)[1] as SubagentItem).agentId;
    assert.deepEqual(lines(itemsOf(fed)), [
      `agent_code_reader (in_progress) starts ${id}`,
      'code_reader (running, 1)',
      `${id} > [code-reader 1/100] read_file (in_progress)`,
    ]);
  });

  test('what arrives after the end of the turn that left its call open does not let it run for ever', async () => {
    const fed = fedSessions();
    const opening = fed.open();
    await opening.answer({ sessionId: 's' });
    const turn = opening.session().prompt('t1', [{ type: 'text', text: 'go' }], 'turn');
    call(fed, 's', 'c', task);
    fed.wire.take('session/prompt').answer({ stopReason: 'end_turn' });
    await turn;
    fed.update('s', { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'late' }, ...inside('c') });
    const id = (itemsOf(fed)[1] as SubagentItem).agentId;
    assert.deepEqual(lines(itemsOf(fed)), [`c (unreported) starts ${id}`, 'Explore (unreported, 0)', `${id} > agent: late`]);
  });

  test('an unknown call, and one that is its own parent, start nothing', async () => {
    const fed = await opened();
    call(fed, 's', 'c', inside('c'));
    call(fed, 's', 'd', inside('nobody'));
    assert.deepEqual(lines(itemsOf(fed)), ['c (in_progress)', 'd (in_progress)']);
  });

  test('two that are each the parent of the other end the chain somewhere', async () => {
    const fed = await opened();
    call(fed, 's', 'a');
    call(fed, 's', 'b', inside('a'));
    fed.update('s', { sessionUpdate: 'tool_call_update', toolCallId: 'a', status: 'completed', ...inside('b') });
    const items = itemsOf(fed);
    const ids = items.flatMap((item) => (item.kind === 'subagent' ? [item.agentId] : []));
    for (const id of ids) {
      let steps = 0;
      for (let at: SubagentItem | undefined = subagent(items, id); at?.subagentId !== undefined; at = subagent(items, at.subagentId))
        assert.ok(++steps < 10);
    }
  });
});
