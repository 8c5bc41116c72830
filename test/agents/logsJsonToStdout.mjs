// Logs JSON to stdout, with words of other protocols in it, but otherwise works.
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
