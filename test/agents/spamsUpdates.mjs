// Sends five thousand words in each turn without waiting for the reader.
import { say, serve } from './wire.mjs';

serve({
  'session/prompt': ({ sessionId }) => {
    for (let n = 0; n < 5_000; n++) say(sessionId, `word ${n} `);
    return { stopReason: 'end_turn' };
  },
});
