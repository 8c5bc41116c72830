// Answers a load first, and replays the session afterwards in two parts, like gemini-cli 0.61. TELLS: the prompts that it remembers, as JSON.
// DIES_ONCE: a file, absolute; without it, the agent creates it and exits in the middle of the replay.
import { existsSync, writeFileSync } from 'node:fs';
import { say, serve, update } from './wire.mjs';

const { DIES_ONCE } = process.env;

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
    setTimeout(() => {
      tell(sessionId, prompts.slice(0, 1));
      if (DIES_ONCE === undefined || existsSync(DIES_ONCE)) return;
      writeFileSync(DIES_ONCE, '');
      process.exit(7);
    }, 20);
    setTimeout(() => tell(sessionId, prompts.slice(1)), 120);
    return {};
  },
  'session/prompt': ({ sessionId, prompt }) => {
    say(sessionId, `answer to ${prompt.at(-1).text}`);
    return { stopReason: 'end_turn' };
  },
});
