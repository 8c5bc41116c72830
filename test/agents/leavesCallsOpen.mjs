// Does not report the end of its tool calls, or handles a rejection as real agents do, depending on the prompt.
import { request, say, serve, update } from './wire.mjs';

const options = [
  { optionId: 'yes', name: 'Yes', kind: 'allow_once' },
  { optionId: 'no', name: 'No', kind: 'reject_once' },
];
const toolCall = { toolCallId: 'c1', title: 'Run it', kind: 'execute', rawInput: { command: 'true' } };
const stops = [];

const ask = async (sessionId, call) => (await request('session/request_permission', { sessionId, toolCall: call, options })).outcome;
const end = (sessionId, status, words) =>
  update(sessionId, {
    sessionUpdate: 'tool_call_update',
    toolCallId: 'c1',
    status,
    content: [{ type: 'content', content: { type: 'text', text: words } }],
  });

const turns = {
  /** A call without an end, and even without an initial status. */
  open: (sessionId) => update(sessionId, { sessionUpdate: 'tool_call', ...toolCall }),
  async hang(sessionId) {
    turns.open(sessionId);
    await new Promise((resolve) => stops.push(resolve));
    return 'cancelled';
  },
  onlyAsks: (sessionId) => ask(sessionId, toolCall),
  async fails(sessionId) {
    update(sessionId, { sessionUpdate: 'tool_call', ...toolCall, status: 'pending' });
    await ask(sessionId, { toolCallId: 'c1' });
    end(sessionId, 'failed', "<tool_use_error>The user doesn't want this</tool_use_error>");
  },
  /** Asks for the same call again, which then runs. */
  async asksAgain(sessionId) {
    await ask(sessionId, toolCall);
    update(sessionId, { sessionUpdate: 'tool_call_update', toolCallId: 'c1', status: 'in_progress' });
    say(sessionId, 'Again?');
    await ask(sessionId, toolCall);
    end(sessionId, 'failed', 'broken');
  },
  /** The request and the call have different ids, and either comes first. */
  async asksUnderOtherId(sessionId) {
    update(sessionId, { sessionUpdate: 'tool_call', ...toolCall });
    await ask(sessionId, { ...toolCall, toolCallId: 'p1' });
    end(sessionId, 'completed', 'done');
  },
  async callsUnderOtherId(sessionId) {
    await ask(sessionId, { ...toolCall, toolCallId: 'p1' });
    update(sessionId, { sessionUpdate: 'tool_call', ...toolCall });
    end(sessionId, 'completed', 'done');
  },
  /** Sends updates after the response that ends the turn. */
  afterItsEnd: (sessionId) =>
    void setImmediate(() => {
      say(sessionId, 'One more thing.');
      turns.open(sessionId);
    }),
  /** Sends updates for a call of the previous turn. */
  late(sessionId) {
    update(sessionId, { sessionUpdate: 'tool_call_update', toolCallId: 'c1', status: 'in_progress' });
    end(sessionId, undefined, 'late words');
  },
};

serve({
  // No agentInfo, no capabilities.
  initialize: () => ({ protocolVersion: 1 }),
  'session/cancel': () => stops.splice(0).forEach((stop) => stop()),
  async 'session/prompt'({ sessionId, prompt }) {
    const stopReason = await turns[prompt[0].text](sessionId);
    return { stopReason: stopReason === 'cancelled' ? stopReason : 'end_turn' };
  },
});
