// Adds control sequences of terminals to everything that it sends.
import { request, say, serve, update } from './wire.mjs';

const evil = 'red\u001b[31m \u001b]0;title\u0007 bell\u0007 c1\u009b2J over\u0008\u0008write\r';

serve({
  'session/prompt': async ({ sessionId, prompt }) => {
    say(sessionId, `answer ${evil}end`);
    update(sessionId, { sessionUpdate: 'tool_call', toolCallId: 'c1', title: `tool ${evil}`, kind: 'execute', status: 'completed' });
    if (prompt[0].text === 'ask') {
      await request('session/request_permission', {
        sessionId,
        toolCall: { toolCallId: 'c2', title: `ask ${evil}`, rawInput: { command: `rm \u202e${evil}` } },
        options: [
          { optionId: 'y', name: 'Yes', kind: 'allow_once' },
          { optionId: 'n', name: 'No', kind: 'reject_once' },
        ],
      });
    }
    return { stopReason: 'end_turn' };
  },
});
