// Reports the values of the environment variables named in its argument, separated by commas.
import { say, serve } from './wire.mjs';

const names = process.argv[2].split(',');
serve({
  'session/prompt': ({ sessionId }) => {
    say(sessionId, names.map((name) => process.env[name] ?? '').join(','));
    return { stopReason: 'end_turn' };
  },
});
