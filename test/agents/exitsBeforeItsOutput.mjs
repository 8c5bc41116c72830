// Exits with code 70 in a turn, while something that it started holds its stdout open for a moment: the exit is heard of before the end of the output.
import { spawn } from 'node:child_process';
import { say, serve } from './wire.mjs';

serve({
  'session/prompt': ({ sessionId }) => {
    say(sessionId, 'half an ans');
    spawn(process.execPath, ['-e', 'setTimeout(() => {}, 300)'], { stdio: ['ignore', 'inherit', 'ignore'] });
    return new Promise(() => process.stdout.write('', () => process.exit(70)));
  },
});
