// Gives its session the titles that the prompt contains, one on each line.
import { say, serve, update } from './wire.mjs';

serve({
  'session/prompt': ({ sessionId, prompt }) => {
    for (const title of prompt[0].text.split('\n')) update(sessionId, { sessionUpdate: 'session_info_update', title });
    say(sessionId, 'Titled.');
    return { stopReason: 'end_turn' };
  },
});
