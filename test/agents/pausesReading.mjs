// Stops reading when it has opened a session. Reads on when it gets SIGUSR2, and answers prompts then.
import { serve } from './wire.mjs';

serve({
  'session/new': () => {
    setImmediate(() => process.stdin.pause());
    return { sessionId: 's1', pid: process.pid };
  },
  'session/prompt': () => ({ stopReason: 'end_turn' }),
});
process.on('SIGUSR2', () => process.stdin.resume());
// Paused, stdin keeps nothing alive.
setInterval(() => {}, 1 << 30);
