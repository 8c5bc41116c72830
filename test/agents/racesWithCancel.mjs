// Acts during and after a cancel as the prompt says.
import { request, say, serve, update } from './wire.mjs';

const options = [{ optionId: 'yes', name: 'Yes', kind: 'allow_once' }];
const ask = (sessionId, toolCallId) =>
  request('session/request_permission', { sessionId, toolCall: { toolCallId, title: `Run ${toolCallId}` }, options });
let onCancel = () => {};
let cancels = 0;
const cancelled = (count = 1) =>
  new Promise((resolve) => {
    onCancel = () => ++cancels >= count && resolve();
  });

const turns = {
  async endsAnyway() {
    await cancelled();
    return { stopReason: 'end_turn' };
  },
  async fails() {
    await cancelled();
    throw { code: -32603, message: 'AbortError: The operation was aborted' };
  },
  async refusesAsCancelled() {
    await cancelled();
    throw { code: -32800, message: 'Request cancelled' };
  },
  async asksLater(sessionId) {
    const first = ask(sessionId, 'c1');
    await cancelled();
    const answers = [await first, await ask(sessionId, 'c2'), await ask(sessionId, 'c3')];
    say(sessionId, answers.map(({ outcome }) => outcome.outcome).join(' '));
    return { stopReason: 'cancelled' };
  },
  async questionsLater(sessionId) {
    await cancelled();
    say(sessionId, (await request('_agentao.cn/ask_user', { sessionId, question: 'Really?' })).outcome);
    return { stopReason: 'cancelled' };
  },
  async leavesOpen(sessionId) {
    update(sessionId, { sessionUpdate: 'tool_call', toolCallId: 'c1', title: 'Long', status: 'in_progress' });
    update(sessionId, { sessionUpdate: 'tool_call', toolCallId: 'c2', title: 'Short', status: 'completed' });
    await cancelled();
    return { stopReason: 'cancelled' };
  },
  // After the time at which a lost cancel would be repeated.
  async answersLate() {
    await cancelled();
    await new Promise((resolve) => setTimeout(resolve, 700));
    return { stopReason: 'cancelled' };
  },
  async needsThree() {
    await cancelled(3);
    return { stopReason: 'cancelled' };
  },
  async late(sessionId) {
    update(sessionId, { sessionUpdate: 'tool_call_update', toolCallId: 'c1', status: 'failed' });
    return { stopReason: 'end_turn' };
  },
};

serve({
  initialize: () => ({ protocolVersion: 1, agentInfo: { name: process.argv[2] ?? 'races', version: '1.0.0' }, agentCapabilities: {} }),
  'session/prompt': ({ sessionId, prompt }) => {
    cancels = 0;
    say(sessionId, 'begun ');
    return turns[prompt[0].text](sessionId);
  },
  'session/cancel': () => onCancel(),
});
