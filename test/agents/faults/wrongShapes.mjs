// Sends valid JSON-RPC that is not valid ACP: updates, and then its answer.
import { misbehave, send, silent, update } from './faultBase.mjs';

const results = { initialize: 'yes', new: { sessionId: 7 }, load: 'loaded' };

misbehave(({ answer, moment, sessionId }) => {
  send({ method: 'session/update', params: [sessionId] });
  send({ method: 'session/update', params: { sessionId: null, update: 'text' } });
  update(sessionId, { sessionUpdate: 'tool_call', toolCallId: 5, title: [] });
  update(sessionId, { sessionUpdate: 'agent_message_chunk', content: 7 });
  update(sessionId, { sessionUpdate: 'plan', entries: 'none' });
  if (answer === undefined) return undefined;
  answer(results[moment] ?? 'done');
  return silent;
});
