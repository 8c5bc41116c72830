// Calls tools like real agents that report little: with paths as titles, and thoughts in chunks between other updates. Requests one permission.
import { request, say, serve, update } from './wire.mjs';

const think = (sessionId, text) => update(sessionId, { sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text } });
const call = (sessionId, fields) => update(sessionId, { sessionUpdate: 'tool_call', ...fields });
const done = (sessionId, toolCallId) => update(sessionId, { sessionUpdate: 'tool_call_update', toolCallId, status: 'completed' });

serve({
  'session/prompt': async ({ sessionId }) => {
    const path = `${process.cwd()}/src/a.ts`;
    think(sessionId, 'Let me think ');
    update(sessionId, { sessionUpdate: 'usage_update', used: 1, size: 2 });
    think(sessionId, 'about this first.');
    call(sessionId, { toolCallId: 'c1', title: path, kind: 'read', status: 'in_progress', locations: [{ path }] });
    done(sessionId, 'c1');
    call(sessionId, { toolCallId: 'c2', title: `Edit ${path}`, kind: 'edit', status: 'in_progress' });
    const options = [{ optionId: 'yes', name: 'Yes', kind: 'allow_once' }];
    await request('session/request_permission', { sessionId, toolCall: { toolCallId: 'c2' }, options });
    done(sessionId, 'c2');
    say(sessionId, 'done');
    return { stopReason: 'end_turn' };
  },
});
