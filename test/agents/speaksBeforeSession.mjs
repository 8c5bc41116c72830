// Sends updates and a permission request for its session before the answer that names the session, and an update right after the answer.
// EARLY_COUNT: the number of additional updates.
import { request, serve, update } from './wire.mjs';

const say = (text) => update('early', { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } });

serve({
  'session/new': () => {
    for (let count = Number(process.env.EARLY_COUNT ?? 0); count > 0; count--) say('early ');
    say('one ');
    update('stranger', { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'lost' } });
    say('two ');
    const asked = request('session/request_permission', {
      sessionId: 'early',
      toolCall: { toolCallId: 'c1', title: 'Early' },
      options: [{ optionId: 'yes', name: 'Yes', kind: 'allow_once' }],
    });
    asked.then((result) => say(`answer ${result.outcome.optionId}`));
    queueMicrotask(() => queueMicrotask(() => queueMicrotask(() => say('three '))));
    return { sessionId: 'early' };
  },
});
