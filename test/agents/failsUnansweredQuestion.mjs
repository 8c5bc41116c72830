// Asks the user with METHOD from a tool call, which it reports as failed if it gets no answer. BESIDE: another tool call that fails meanwhile.
import { request, say, serve, update } from './wire.mjs';

const tool = (sessionId, body) => update(sessionId, { sessionUpdate: 'tool_call', kind: 'other', status: 'in_progress', ...body });
const end = (sessionId, toolCallId, status) => update(sessionId, { sessionUpdate: 'tool_call_update', toolCallId, status });
const requestedSchema = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] };

serve({
  'session/prompt': async ({ sessionId }) => {
    if (process.env.BESIDE) tool(sessionId, { toolCallId: 'c0', title: 'Run tests', kind: 'execute' });
    tool(sessionId, { toolCallId: 'c1', title: 'Ask for a name' });
    const words = { sessionId, message: 'Your name?', question: 'Your name?', mode: 'form', requestedSchema };
    await request(process.env.METHOD, words);
    if (process.env.BESIDE) end(sessionId, 'c0', 'failed');
    end(sessionId, 'c1', 'failed');
    tool(sessionId, { toolCallId: 'c2', title: 'Look around' });
    end(sessionId, 'c2', 'failed');
    say(sessionId, 'done');
    return { stopReason: 'end_turn' };
  },
});
