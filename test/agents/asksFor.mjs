// Sends the requests that the prompt lists as JSON of [method, params], and reports the outcome of each. NAME: what it calls itself.
import { request, say, serve } from './wire.mjs';

serve({
  initialize: () => ({
    protocolVersion: 1,
    agentInfo: { name: process.env.NAME ?? 'test-agent', version: '1.0.0' },
    agentCapabilities: {},
    authMethods: [],
  }),
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
