// Stops reading after it has opened a session, and continues at SIGUSR2.
import { serve } from './wire.mjs';

serve({
  'session/new': () => {
    setImmediate(() => process.stdin.pause());
    return { sessionId: 's1', pid: process.pid };
  },
  'session/prompt': () => ({ stopReason: 'end_turn' }),
});
process.on('SIGUSR2', () => process.stdin.resume());
// A paused stdin does not keep the process alive.
setInterval(() => {}, 1 << 30);
