// The prompt `flood COUNT BYTES` makes it send that many messages of that size, as fast as the host reads them.
import { flood } from '../standIns/flood.mjs';
import { serve } from './wire.mjs';

serve({
  'session/prompt': async ({ sessionId, prompt: [{ text: words }] }) => {
    const messageOf = (text) => ({
      jsonrpc: '2.0',
      method: 'session/update',
      params: { sessionId, update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } } },
    });
    await flood(process.stdout, words, messageOf);
    return { stopReason: 'end_turn' };
  },
});
