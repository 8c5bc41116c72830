// Sends nothing during a turn until it is canceled, except for a line on stderr, which can be that of an agent that retries its provider.
import { serve } from './wire.mjs';

let cancel;

serve({
  initialize: () => ({
    protocolVersion: 1,
    agentInfo: { name: process.env.SILENT_NAME ?? 'falls-silent', title: process.env.SILENT_TITLE, version: '9.9.9' },
  }),
  'session/prompt': () => {
    console.error(process.env.SILENT_STDERR ?? 'waiting for the model');
    return new Promise((resolve) => (cancel = () => resolve({ stopReason: 'cancelled' })));
  },
  'session/cancel': () => cancel?.(),
});
