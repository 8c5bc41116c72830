// Answers a load first, and replays the session afterwards in two parts, like gemini-cli 0.61. TELLS: the prompts that it remembers, as JSON.
import { say, serve, update } from './wire.mjs';

const tell = (sessionId, prompts) => {
  for (const text of prompts) {
    update(sessionId, { sessionUpdate: 'user_message_chunk', content: { type: 'text', text } });
    update(sessionId, { sessionUpdate: 'tool_call', toolCallId: 'c', title: 'Look', kind: 'read', status: 'in_progress' });
    say(sessionId, `answer to ${text}`);
  }
};

serve({
  initialize: () => ({ protocolVersion: 1, agentInfo: { name: 'late', version: '1.0.0' }, agentCapabilities: { loadSession: true } }),
  'session/load': ({ sessionId }) => {
    const prompts = JSON.parse(process.env.TELLS ?? '["first","second"]');
    setTimeout(() => tell(sessionId, prompts.slice(0, 1)), 20);
    setTimeout(() => tell(sessionId, prompts.slice(1)), 120);
    return {};
  },
  'session/prompt': ({ sessionId, prompt }) => {
    say(sessionId, `answer to ${prompt.at(-1).text}`);
    return { stopReason: 'end_turn' };
  },
});
