// Begins a turn that never ends, even if it is canceled.
import { say, serve } from './wire.mjs';

serve({
  'session/prompt': ({ sessionId }) => {
    say(sessionId, `pid ${process.pid}`);
    return new Promise(() => {});
  },
});
