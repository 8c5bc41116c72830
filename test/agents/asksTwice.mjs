// Requests two permissions at once, and reports the decisions.
import { request, say, serve } from './wire.mjs';

const ask = (sessionId, title) =>
  request('session/request_permission', {
    sessionId,
    toolCall: { toolCallId: title, title, kind: 'execute', rawInput: { command: title } },
    options: [
      { optionId: 'yes', name: 'Yes', kind: 'allow_once' },
      { optionId: 'no', name: 'No', kind: 'reject_once' },
    ],
  });

serve({
  'session/prompt': async ({ sessionId }) => {
    const results = await Promise.all([ask(sessionId, 'first'), ask(sessionId, 'second')]);
    say(sessionId, `decided: ${results.map(({ outcome }) => outcome.optionId ?? outcome.outcome).join(', ')}.`);
    return { stopReason: 'end_turn' };
  },
});
