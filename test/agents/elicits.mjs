// Asks for what the prompt says, as JSON of [method, params] or of a list of them, and says what it was answered.
import { request, say, send, serve } from './wire.mjs';

const waiting = [];

serve({
  'session/cancel': () => waiting.splice(0).forEach((stop) => stop()),
  'session/prompt': async ({ sessionId, prompt }) => {
    const [method, params, ...after] = JSON.parse(prompt[0].text);
    const asked = request(method, { sessionId, ...params }).catch(({ code }) => ({ code }));
    for (const [name, notified] of after) send({ method: name, params: notified });
    say(sessionId, JSON.stringify(await asked));
    return { stopReason: 'end_turn' };
  },
});
