// Asks about a call, under its id or another one, and then reports the rejected call as completed.
import { request, say, serve, update } from './wire.mjs';

const options = [
  { optionId: 'yes', name: 'Approve', kind: 'allow_once' },
  { optionId: 'no', name: 'Reject', kind: 'reject_once' },
];
const call = { title: 'rm -rf build', kind: 'execute', status: 'pending', rawInput: { command: 'rm -rf build' } };
const answer = { type: 'content', content: { type: 'text', text: 'The user rejected the call.' } };

serve({
  'session/prompt': async ({ sessionId, prompt }) => {
    update(sessionId, { sessionUpdate: 'tool_call', toolCallId: 't1', ...call });
    await request('session/request_permission', { sessionId, toolCall: { toolCallId: prompt[0].text, ...call }, options });
    update(sessionId, { sessionUpdate: 'tool_call_update', toolCallId: 't1', status: 'completed', content: [answer] });
    say(sessionId, 'Done.');
    return { stopReason: 'end_turn' };
  },
});
