// Sends the requests that the prompt lists as JSON of [method, params], and reports the outcome of each.
import { request, say, serve } from './wire.mjs';

serve({
  'session/prompt': async ({ sessionId, prompt }) => {
    const outcomes = [];
    for (const [method, params] of JSON.parse(prompt[0].text)) {
      const outcome = await request(method, { sessionId, ...params }).then(
        (result) => ({ result }),
        ({ code }) => ({ code }),
      );
      outcomes.push([method, outcome]);
    }
    say(sessionId, JSON.stringify(outcomes));
    return { stopReason: 'end_turn' };
  },
});
