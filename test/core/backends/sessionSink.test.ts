/** What the seam guarantees about the order of a session's events. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { OpenRequest, ResumeMethod } from '../../../src/core/backends/agentBackend.js';
import { HostError } from '../../../src/core/base/errors.js';
import { type FedOpening, type FedSessions, fedSessions } from './feed.js';

const resume = (method: ResumeMethod): OpenRequest => ({ method, sessionId: 's', cwd: '/workspace', mcpServers: [], knownOptions: [] });

const gone = new HostError('agent_exited', { reason: 'process_ended' });

describe('the sink of a session', () => {
  const resumed = async (method: ResumeMethod): Promise<{ readonly fed: FedSessions; readonly opening: FedOpening }> => {
    const fed = fedSessions();
    const opening = fed.open(resume(method));
    assert.deepEqual(opening.told, ['begin s'], 'before the agent has answered');
    fed.say('s', 'one');
    fed.update('s', { sessionUpdate: 'tool_call', toolCallId: 'open', title: 'T', status: 'in_progress' });
    await opening.answer({});
    fed.say('s', 'two');
    return { fed, opening };
  };

  test('resume: `begin` arrives first and once, history only before open resolves, other events only after it', async () => {
    const { opening } = await resumed('resume');
    assert.deepEqual(opening.told, ['begin s', 'history one', 'history tool', 'history tool', 'opened', 'two']);
  });

  test('load: updates after the answer are history until the agent is silent, and a prompt waits for that', async () => {
    const { fed, opening } = await resumed('load');
    const session = opening.session();
    const turn = session.prompt('t1', [{ type: 'text', text: 'go' }], 'turn');
    assert.equal(fed.wire.open.length, 0, 'the prompt is not sent yet');
    fed.say('s', 'three');
    await session.replayed;
    // `prompt` waits for the same promise, and then sends the prompt.
    await new Promise((resolve) => setImmediate(resolve));
    fed.say('s', 'four');
    fed.wire.take('session/prompt').answer({ stopReason: 'end_turn' });
    await turn;
    assert.deepEqual(opening.told, [
      'begin s',
      'history one',
      'history tool',
      'history tool',
      'opened',
      'history two',
      'history three',
      'four',
    ]);
  });

  test('load: a turn canceled while it waits for the silence ends without being sent', async () => {
    const { fed, opening } = await resumed('load');
    const turn = opening.session().prompt('t1', [{ type: 'text', text: 'go' }], 'turn');
    opening.session().cancel();
    assert.deepEqual(await turn, { stopReason: 'cancelled' });
    assert.deepEqual([fed.wire.open, fed.wire.notified], [[], []], 'a cancel would reach the next turn');
  });

  test('load: if the connection ends before the silence, the replay is not complete', async () => {
    const { fed, opening } = await resumed('load');
    const { replayed } = opening.session();
    const turn = opening.session().prompt('t1', [{ type: 'text', text: 'go' }], 'turn');
    fed.sessions.lose(gone);
    await assert.rejects(async () => replayed, gone);
    await assert.rejects(turn, gone);
    assert.equal(fed.wire.open.length, 0);
  });

  for (const request of [undefined, resume('load'), resume('resume')])
    test(`${request?.method ?? 'new'}: a connection that ends with the answer opens nothing`, async () => {
      const fed = fedSessions();
      const opening = fed.open(request);
      const answered = opening.answer({ sessionId: 's' });
      fed.sessions.lose(gone);
      await answered;
      assert.deepEqual(opening.told, [...(request === undefined ? [] : ['begin s']), 'agent_exited']);
    });

  test('new: `begin` has the id and the options, and everything after it is new', async () => {
    const fed = fedSessions();
    const opening = fed.open();
    assert.deepEqual(opening.told, [], 'there is no session yet');
    fed.say('s', 'early');
    await opening.answer({ sessionId: 's', configOptions: [{ type: 'boolean', id: 'o', name: 'O', currentValue: true }] });
    fed.say('s', 'late');
    assert.deepEqual(opening.told, ['begin s', 'early', 'opened', 'late']);
    assert.deepEqual(opening.session().options, [{ type: 'boolean', id: 'o', name: 'O', currentValue: true }]);
  });

  test('a load that the agent refuses does not affect the open session', async () => {
    const fed = fedSessions();
    const first = fed.open();
    await first.answer({ sessionId: 's' });
    const second = fed.open(resume('load'));
    await second.fail({ code: -32600, message: 'it is open' });
    fed.say('s', 'still here');
    assert.deepEqual(first.told, ['begin s', 'opened', 'still here']);
    assert.deepEqual(second.told, ['begin s', 'session_unknown']);
  });

  test('a load that the agent refuses opens no session', async () => {
    const fed = fedSessions();
    const opening = fed.open(resume('load'));
    await opening.fail({ code: -32002, message: 'unknown' });
    fed.say('s', 'nobody hears');
    assert.deepEqual([opening.told, fed.problems], [['begin s', 'session_unknown'], ['an update for a session that is not open']]);
  });

  test('an unsupported action is refused before anything is reported or sent', async () => {
    const fed = fedSessions(undefined, ['resume']);
    const opening = fed.open(resume('load'));
    await Promise.resolve();
    assert.deepEqual([opening.told, fed.wire.open], [['unsupported'], []]);
  });

  test('without further capabilities, the session only has turns, one at a time', async () => {
    const fed = fedSessions();
    const opening = fed.open();
    await opening.answer({ sessionId: 's' });
    const session = opening.session();
    assert.deepEqual(session.deliveries, ['turn']);
    const content = [{ type: 'text' as const, text: 'go' }];
    for (const delivery of ['steer', 'followUp'] as const)
      await assert.rejects(session.prompt('t', content, delivery), { code: 'unsupported' });
    const turn = session.prompt('t1', content, 'turn');
    await assert.rejects(session.prompt('t2', content, 'turn'), { code: 'session_busy' });
    const prompt = fed.wire.take('session/prompt');
    assert.equal(fed.wire.open.length, 0, 'the agent saw one');
    prompt.answer({ stopReason: 'end_turn' });
    assert.deepEqual(await turn, { stopReason: 'end_turn' });
  });

  test('closing ends the running turn and ignores what the agent sends afterwards', async () => {
    const fed = fedSessions();
    const opening = fed.open();
    await opening.answer({ sessionId: 's' });
    const session = opening.session();
    fed.update('s', { sessionUpdate: 'subagent_update', sessionId: 'k', state: { state: 'running' } });
    const turn = session.prompt('t1', [{ type: 'text', text: 'go' }], 'turn');
    const closing = session.close?.();
    fed.wire.take('session/close').answer({});
    await closing;
    await assert.rejects(turn, { code: 'disposed' });
    fed.say('s', 'late');
    fed.say('k', 'so is its sub-agent');
    assert.deepEqual([fed.problems, fed.lost], [Array(2).fill('an update for a session that is not open'), []]);
    fed.say('nobody', 'that may be for the user');
    assert.equal(fed.lost.length, 1);
  });
});
