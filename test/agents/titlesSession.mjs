// Gives its session the title that the prompt contains.
import { say, serve, update } from './wire.mjs';

serve({
  'session/prompt': ({ sessionId, prompt }) => {
    update(sessionId, { sessionUpdate: 'session_info_update', title: prompt[0].text });
    say(sessionId, 'Titled.');
    return { stopReason: 'end_turn' };
  },
});
