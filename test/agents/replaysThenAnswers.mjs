// Replays the whole session before it answers a load. One tool call is still open because it was interrupted.
import { serve, update } from './wire.mjs';

const text = (kind, content) => ({ sessionUpdate: kind, content: { type: 'text', text: content } });

serve({
  initialize: () => ({ protocolVersion: 1, agentCapabilities: { loadSession: true } }),
  'session/load': ({ sessionId }) => {
    for (let turn = 1; turn <= 50; turn++) {
      update(sessionId, text('user_message_chunk', `prompt ${turn}`));
      update(sessionId, { sessionUpdate: 'tool_call', toolCallId: 'same', title: `call ${turn}`, kind: 'read', status: 'completed' });
      update(sessionId, {
        sessionUpdate: 'tool_call_update',
        toolCallId: 'same',
        content: [{ type: 'content', content: { type: 'text', text: `result ${turn}` } }],
      });
      update(sessionId, text('agent_message_chunk', `answer ${turn}`));
    }
    update(sessionId, text('user_message_chunk', 'the last prompt'));
    update(sessionId, { sessionUpdate: 'tool_call', toolCallId: 'open', title: 'interrupted', status: 'in_progress' });
    return null;
  },
});
