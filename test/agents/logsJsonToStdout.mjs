// An agent that logs to stdout, as JSON, also words that other protocols use; it answers properly for all that.
import { serve } from './wire.mjs';

for (const line of [
  { type: 'ready' },
  { level: 30, type: 'log', msg: 'response sent' },
  { type: 'response' },
  { type: 'agent_start' },
  ['ready'],
  null,
  7,
])
  process.stdout.write(`${JSON.stringify(line)}\n`);
serve({});
