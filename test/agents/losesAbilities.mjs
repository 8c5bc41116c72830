// Takes pictures and prompts for a running turn, until it has been started once in its folder: then it is an older version of itself. `die`
// ends it, `wait` waits for a cancel, and other prompts are answered with the types of their content.
import { existsSync, writeFileSync } from 'node:fs';
import { say, serve } from './wire.mjs';

const isOlder = existsSync('started');
writeFileSync('started', '');
const offer = isOlder ? {} : { _meta: { 'acp-host': { deliveries: ['turn', 'steer'] } } };

let stop;

serve({
  initialize: () => ({
    protocolVersion: 1,
    agentInfo: { name: 'loses abilities', version: isOlder ? '1.0.0' : '2.0.0' },
    agentCapabilities: { loadSession: true, promptCapabilities: { image: !isOlder } },
  }),
  'session/new': () => ({ sessionId: 's1', ...offer }),
  'session/load': () => offer,
  'session/cancel': () => stop?.({ stopReason: 'cancelled' }),
  'session/prompt': ({ sessionId, prompt }) => {
    const words = prompt.at(-1).text;
    if (words === 'die') process.exit(1);
    say(sessionId, prompt.map(({ type }) => type).join(' '));
    return words === 'wait' ? new Promise((resolve) => (stop = resolve)) : { stopReason: 'end_turn' };
  },
});
