// Asks for permission, and says of the call only what the prompt contains: a JSON object with members of the tool call. Then it reports that
// the call is completed.
import { request, say, serve, update } from './wire.mjs';

const options = [
  { optionId: 'yes', name: 'Yes', kind: 'allow_once' },
  { optionId: 'no', name: 'No', kind: 'reject_once' },
];

serve({
  'session/prompt': async ({ sessionId, prompt }) => {
    const toolCall = { toolCallId: 'c', ...JSON.parse(prompt[0].text) };
    await request('session/request_permission', { sessionId, toolCall, options });
    update(sessionId, { sessionUpdate: 'tool_call_update', toolCallId: 'c', status: 'completed' });
    say(sessionId, 'Done.');
    return { stopReason: 'end_turn' };
  },
});
