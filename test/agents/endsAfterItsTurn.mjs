// Ends right after the answer to the prompt "last", before its process is known to have ended; loads its session again.
import { appendFileSync } from 'node:fs';
import { say, serve } from './wire.mjs';

serve({
  initialize: () => ({ protocolVersion: 1, agentInfo: { name: 'ends', version: '1.0.0' }, agentCapabilities: { loadSession: true } }),
  'session/load': () => ({}),
  'session/prompt': ({ sessionId, prompt }, id) => {
    const { text } = prompt.at(-1);
    appendFileSync('taken', `${text}\n`);
    say(sessionId, `answer to ${text}`);
    if (text !== 'last') return { stopReason: 'end_turn' };
    // Its output is closed at once, and its process ends a little later.
    process.stdout.end(`${JSON.stringify({ jsonrpc: '2.0', id, result: { stopReason: 'end_turn' } })}\n`, () => process.exit(0));
    return new Promise(() => {});
  },
});
