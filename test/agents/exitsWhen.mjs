// Exits with code 3 and a line on stderr when it gets the method named in its argument.
// "start": immediately. "after": after it has answered a prompt.
import { say, serve } from './wire.mjs';

const when = process.argv[2];
function end() {
  process.stderr.write('giving up\n');
  process.exit(3);
}

if (when === 'start') end();
serve({
  ...(when === 'after' ? {} : { [when]: end }),
  'session/prompt': ({ sessionId }) => {
    say(sessionId, 'half an ans');
    if (when === 'session/prompt') return new Promise(() => process.stdout.write('', end));
    if (when === 'after') setImmediate(() => process.stdout.write('', end));
    return { stopReason: 'end_turn' };
  },
});
