// Sends thoughts in the middle of a sentence, as agentao does with some models.
import { say, serve, update } from './wire.mjs';

const think = (sessionId) => update(sessionId, { sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text: 'hm' } });

serve({
  'session/prompt': ({ sessionId }) => {
    think(sessionId);
    say(sessionId, 'So ');
    think(sessionId);
    say(sessionId, 'it is.');
    return { stopReason: 'end_turn' };
  },
});
