// Says a word for each SIGUSR2 while a prompt runs, and tells its process id first.
import { say, serve } from './wire.mjs';

let sessionId;
process.on('SIGUSR2', () => say(sessionId, 'word '));

serve({
  'session/prompt': (params) => {
    ({ sessionId } = params);
    say(sessionId, `begins ${process.pid}\n`);
    return new Promise(() => {});
  },
});
