// Requests a permission that can only be granted or rejected permanently.
import { request, say, serve } from './wire.mjs';

serve({
  'session/prompt': async ({ sessionId }) => {
    const { outcome } = await request('session/request_permission', {
      sessionId,
      toolCall: { toolCallId: 'c1', title: 'Anything', kind: 'execute', rawInput: { command: 'anything' } },
      options: [
        { optionId: 'a', name: 'Always allow', kind: 'allow_always' },
        { optionId: 'r', name: 'Never allow', kind: 'reject_always' },
      ],
    });
    say(sessionId, outcome.optionId ?? outcome.outcome);
    return { stopReason: 'end_turn' };
  },
});
