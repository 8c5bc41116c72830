// Writes something else to the line of a message; WHERE: initialize or prompt, NOISE: what, as JSON text. MEGABYTES: it also sends an update of this size.
import { say, serve, update } from './wire.mjs';

const noise = JSON.parse(process.env.NOISE ?? '""');
const write = (where) => process.env.WHERE === where && process.stdout.write(noise);

serve({
  initialize: () => {
    write('initialize');
    return { protocolVersion: 1, agentInfo: { name: 'noisy', version: '1' }, agentCapabilities: {} };
  },
  'session/prompt': ({ sessionId }) => {
    say(sessionId, 'hello ');
    if (process.env.UNREADABLE) update(sessionId, JSON.parse(process.env.UNREADABLE));
    if (process.env.MEGABYTES) say(sessionId, 'x'.repeat(Number(process.env.MEGABYTES) * 1024 * 1024));
    write('prompt');
    say(sessionId, 'world');
    return { stopReason: 'end_turn' };
  },
});
