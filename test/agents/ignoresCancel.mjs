// Begins a turn and goes on for ever, whatever it is told.
import { say, serve } from './wire.mjs';

serve({
  'session/prompt': ({ sessionId }) => {
    say(sessionId, `pid ${process.pid}`);
    return new Promise(() => {});
  },
});
