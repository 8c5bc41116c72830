// Exits with code 70 during a turn while a child holds its stdout open for a moment, so that the exit is known before the output ends.
import { spawn } from 'node:child_process';
import { say, serve } from './wire.mjs';

serve({
  'session/prompt': ({ sessionId }) => {
    say(sessionId, 'half an ans');
    spawn(process.execPath, ['-e', 'setTimeout(() => {}, 300)'], { stdio: ['ignore', 'inherit', 'ignore'] });
    return new Promise(() => process.stdout.write('', () => process.exit(70)));
  },
});
