// A launcher with a worker process that uses its pipes. If the launcher is killed, the worker answers `cancelled` and exits.
// The prompt `rest` is also answered with `cancelled`, but the agent keeps running.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { say, send, serve } from './wire.mjs';

if (process.argv[2] === 'worker') {
  const pending = new Set();
  process.on('disconnect', () => {
    for (const answer of pending) answer({ stopReason: 'cancelled' });
    // By then, the answer is in the pipe.
    setImmediate(() => process.exit(0));
  });
  serve({
    initialize: () => ({ protocolVersion: 1, agentInfo: { name: 'worker', version: '1.0.0' }, agentCapabilities: { loadSession: true } }),
    'session/load': () => ({}),
    'session/prompt': ({ sessionId, prompt }) => {
      say(sessionId, 'half');
      if (prompt.at(-1).text === 'rest') return { stopReason: 'cancelled' };
      send({ method: '_launcher', params: { pid: process.ppid } });
      return new Promise((resolve) => pending.add(resolve));
    },
  });
} else {
  spawn(process.execPath, [fileURLToPath(import.meta.url), 'worker'], { stdio: ['inherit', 'inherit', 'inherit', 'ipc'] }).on(
    'exit',
    (code) => process.exit(code ?? 1),
  );
}
